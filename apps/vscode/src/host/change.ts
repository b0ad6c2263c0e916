/** A proposed file change as two complete texts, as a diff editor needs them. */
import type { FileUpdateChange } from "../../../../src/protocol/item.ts";
import { diffOfChange, type FileDiff } from "../../../web/src/parts/diff/parse.ts";

export interface ProposedFile {
  readonly path: string;
  /** The old path, for a moved file. */
  readonly oldPath: string;
  readonly kind: FileDiff["change"];
  readonly before: string;
  readonly after: string;
  /** False if the file on disk has changed meanwhile and only the changed parts can be shown. */
  readonly whole: boolean;
}

/** `onDisk` is the file's current text, undefined if it does not exist. */
export function proposedFile(change: FileUpdateChange, onDisk: string | undefined): ProposedFile {
  const diff = diffOfChange(change);
  const file = { path: diff.path, oldPath: diff.oldPath ?? diff.path, kind: diff.change };
  if (diff.change === "add") return { ...file, before: "", after: textOf(diff, "new"), whole: true };
  if (diff.change === "delete") return { ...file, before: onDisk ?? textOf(diff, "old"), after: "", whole: true };
  const after = onDisk === undefined ? undefined : applied(onDisk, diff);
  if (onDisk !== undefined && after !== undefined) return { ...file, before: onDisk, after, whole: true };
  return { ...file, before: textOf(diff, "old"), after: textOf(diff, "new"), whole: false };
}

/** The text with every hunk applied; undefined if one does not match at its position. */
function applied(text: string, diff: FileDiff): string | undefined {
  const lines = text.split("\n");
  const ending = text.includes("\r\n") ? "\r" : "";
  const bare = lines.map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line));
  const out: string[] = [];
  let at = 0;
  for (const hunk of diff.hunks) {
    const first = hunk.lines.find((line) => line.oldLine !== null)?.oldLine;
    // A hunk without old lines only adds; its position follows from the first new line, shifted by the earlier additions and removals.
    const start = first == null ? at + Math.max(0, (hunk.lines[0]?.newLine ?? 1) - 1 - out.length) : first - 1;
    if (start < at || start > bare.length) return undefined;
    out.push(...lines.slice(at, start));
    at = start;
    for (const line of hunk.lines) {
      if (line.kind === "add") {
        out.push(`${line.text}${ending}`);
        continue;
      }
      if (bare[at] !== line.text) return undefined;
      if (line.kind === "same") out.push(lines[at] ?? "");
      at++;
    }
  }
  return [...out, ...lines.slice(at)].join("\n");
}

/** Only one side of the diff, for hunks that cannot be applied to the file. */
function textOf(diff: FileDiff, side: "old" | "new"): string {
  const wanted = side === "old" ? "remove" : "add";
  const hunks = diff.hunks.map((hunk) => hunk.lines.filter((l) => l.kind === "same" || l.kind === wanted).map((l) => `${l.text}\n`));
  return hunks.map((lines) => lines.join("")).join("⋯\n");
}
