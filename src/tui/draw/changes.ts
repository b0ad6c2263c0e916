/** File changes: a headline with the numbers, then each file's diff. */

import { cleanLine } from "../../lib/terminal-text.ts";
import type { FileUpdateChange } from "../../protocol/item.ts";
import { type Change, changeLines, countsOf } from "../text/diff.ts";
import { type Color, type Line, muted, prefixed, span, truncate, wrap } from "../text/spans.ts";
import type { Theme } from "../text/theme.ts";

export interface ChangesPlace {
  readonly width: number;
  readonly theme: Theme;
  readonly cwd: string;
  /** Diff lines in total. */
  readonly limit: number;
  readonly result: "done" | "failed" | "declined" | "interrupted" | "pending";
}

const verbs = { add: "Added", delete: "Deleted", update: "Edited" } as const;
const colors: Readonly<Record<ChangesPlace["result"], Color>> = {
  done: "success",
  failed: "danger",
  declined: "warning",
  interrupted: "warning",
  pending: "accent",
};
const endings = { done: "", failed: "could not be applied", declined: "declined", interrupted: "interrupted", pending: "" } as const;

export function changesLines(changes: readonly FileUpdateChange[], place: ChangesPlace): Line[] {
  const { theme, width, result } = place;
  const mark: Line = theme.spoken ? [] : [span(`${theme.marks.bullet} `, { color: colors[result], bold: true })];
  const ending: Line = endings[result] === "" ? [] : [span(`  ${endings[result]}`, { color: colors[result] })];
  const only = changes.length === 1 ? changes[0] : undefined;
  // In an approval every name is shown in full.
  const fitted = (of: Line): Line[] => (result === "pending" ? wrap(of, width) : [truncate(of, width)]);
  if (only !== undefined)
    return [
      ...fitted([...mark, span(`${verbs[only.kind.type]} `, { bold: true }), ...nameOf(only, place), ...ending]),
      ...diffOf(only, place, place.limit),
    ];
  const head: Line = [...mark, span(`Changed ${changes.length} files`, { bold: true }), ...countsSpans(changes), ...ending];
  let room = place.limit;
  const files = changes.flatMap((change) => {
    const diff = diffOf(change, place, Math.max(0, room));
    room -= diff.length;
    return [...fitted([muted("  └ "), span(`${verbs[change.kind.type]} `), ...nameOf(change, place)]), ...diff];
  });
  return [truncate(head, width), ...files];
}

function diffOf(change: Change, { width }: ChangesPlace, limit: number): Line[] {
  return prefixed(changeLines(change, width - 4, limit), [span("    ")], [span("    ")]);
}

function nameOf(change: Change, { cwd }: ChangesPlace): Line {
  const moved = change.kind.type === "update" && change.kind.move_path ? ` → ${relative(change.kind.move_path, cwd)}` : "";
  return [span(relative(change.path, cwd) + moved, { color: "code" }), ...countsSpans([change])];
}

function countsSpans(changes: readonly Change[]): Line {
  const counts = changes.map(countsOf);
  const added = counts.reduce((n, c) => n + c.added, 0);
  const removed = counts.reduce((n, c) => n + c.removed, 0);
  return [muted(" ("), span(`+${added}`, { color: "success" }), muted(" "), span(`-${removed}`, { color: "danger" }), muted(")")];
}

export function relative(path: string, cwd: string): string {
  const name = cleanLine(path);
  return cwd !== "" && name.startsWith(`${cwd}/`) ? name.slice(cwd.length + 1) : name;
}
