/** File changes in colour, with line numbers, for the transcript and the approval prompt. */
import { clean, expandTabs } from "../../lib/terminal-text.ts";
import { highlight, languageOf } from "./code.ts";
import { type Line, lineWidth, muted, padded, type Style, span, truncate, wrap } from "./spans.ts";

/** The needed part of a change; items and approvals have more. */
export interface Change {
  readonly path: string;
  readonly kind: { readonly type: "add" | "delete" | "update"; readonly move_path?: string | null };
  /** The full text of an added or deleted file, the hunks of a changed one. */
  readonly diff: string;
}

interface Row {
  readonly sign: "+" | "-" | " ";
  readonly number: number;
  readonly text: string;
}
type Part = Row | "gap";

export interface Counts {
  readonly added: number;
  readonly removed: number;
}

export function countsOf(change: Change): Counts {
  const rows = rowsOf(change).filter((part): part is Row => part !== "gap");
  return { added: rows.filter((row) => row.sign === "+").length, removed: rows.filter((row) => row.sign === "-").length };
}

/** At most `limit` lines; the last one then says how many are missing. */
export function changeLines(change: Change, width: number, limit: number): Line[] {
  const parts = rowsOf(change);
  const digits = String(Math.max(1, ...parts.map((part) => (part === "gap" ? 0 : part.number)))).length;
  const language = languageOf(change.kind.type === "update" ? (change.kind.move_path ?? change.path) : change.path);
  const lines: Line[] = [];
  for (const [i, part] of parts.entries()) {
    const drawn = part === "gap" ? [[muted(`${" ".repeat(digits)} ⋮`)]] : rowLines(part, digits, width, language);
    if (lines.length + drawn.length > limit) return [...lines, [muted(`${" ".repeat(digits)} … ${parts.length - i} more lines`)]];
    lines.push(...drawn);
  }
  return lines;
}

function rowLines({ sign, number, text }: Row, digits: number, width: number, language: string | undefined): Line[] {
  const background = sign === "+" ? "added" : sign === "-" ? "removed" : undefined;
  const color = sign === "+" ? "added" : sign === "-" ? "removed" : undefined;
  const style: Style = background === undefined ? {} : { background };
  const gutter = (shown: string, mark: string): Line => [
    span(`${shown.padStart(digits)} `, { color: "muted" }),
    span(`${mark} `, { ...style, color }),
  ];
  const content = highlight(expandTabs(text), language).map((part) => span(part.text, { ...style, color: part.style?.color ?? color }));
  const room = Math.max(8, width - digits - 3);
  return wrap(content, room).map((of, i) => {
    const row: Line = [...gutter(i === 0 ? String(number) : "", i === 0 ? sign : " "), ...of];
    return background === undefined ? row : padded(row, width, style);
  });
}

function rowsOf({ kind, diff }: Change): Part[] {
  if (kind.type === "update") return hunkRows(diff);
  const sign = kind.type === "add" ? "+" : "-";
  const lines = clean(diff).replace(/\n$/, "").split("\n");
  return diff === "" ? [] : lines.map((text, i) => ({ sign, number: i + 1, text }));
}

/** Lines outside any hunk, such as headers and the note of a move, are left out. */
function hunkRows(diff: string): Part[] {
  const parts: Part[] = [];
  let [old, young, oldLeft, youngLeft] = [0, 0, 0, 0];
  for (const text of clean(diff).split("\n")) {
    const [, oldStart, oldCount, youngStart, youngCount] = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(text) ?? [];
    if (oldStart !== undefined) {
      if (parts.length > 0) parts.push("gap");
      [old, young, oldLeft, youngLeft] = [Number(oldStart), Number(youngStart), Number(oldCount ?? 1), Number(youngCount ?? 1)];
      continue;
    }
    if (oldLeft <= 0 && youngLeft <= 0) continue;
    const rest = text.slice(1);
    if (text.startsWith("+")) {
      parts.push({ sign: "+", number: young++, text: rest });
      youngLeft--;
    } else if (text.startsWith("-")) {
      parts.push({ sign: "-", number: old++, text: rest });
      oldLeft--;
    } else if (!text.startsWith("\\")) {
      parts.push({ sign: " ", number: young++, text: rest });
      old++;
      oldLeft--;
      youngLeft--;
    }
  }
  return parts;
}

/** A complete git diff, file by file, for the pager. */
export function gitDiffLines(diff: string, width: number): Line[] {
  return clean(diff)
    .split("\n")
    .map((text) => truncate(gitLine(expandTabs(text)), Math.max(width, lineWidth([span(text)]))));
}

function gitLine(text: string): Line {
  if (/^(diff --git|index |similarity |rename |new file|deleted file|old mode|new mode|--- |\+\+\+ )/.test(text))
    return [span(text, text.startsWith("diff --git") ? { bold: true } : { color: "muted" })];
  if (text.startsWith("@@")) return [span(text, { color: "accent" })];
  if (text.startsWith("+")) return [span(text, { color: "added", background: "added" })];
  if (text.startsWith("-")) return [span(text, { color: "removed", background: "removed" })];
  return [span(text)];
}
