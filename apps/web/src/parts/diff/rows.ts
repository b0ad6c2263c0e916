/** Arranges a hunk's lines for the two ways of looking at it, and marks the words that changed. */
import type { DiffLine, Hunk } from "./parse.ts";

export interface Piece {
  readonly text: string;
  readonly changed: boolean;
}
export interface SideRow {
  readonly left: DiffLine | null;
  readonly right: DiffLine | null;
}

/** Old on the left, new on the right; a block of removed lines is placed beside the block that replaced it. */
export function sideBySide(hunk: Hunk): readonly SideRow[] {
  const rows: SideRow[] = [];
  let removed: DiffLine[] = [];
  let added: DiffLine[] = [];
  const flush = (): void => {
    for (let i = 0; i < Math.max(removed.length, added.length); i++) rows.push({ left: removed[i] ?? null, right: added[i] ?? null });
    removed = [];
    added = [];
  };
  for (const line of hunk.lines) {
    if (line.kind === "remove") {
      if (added.length > 0) flush();
      removed.push(line);
    } else if (line.kind === "add") added.push(line);
    else {
      flush();
      rows.push({ left: line, right: line });
    }
  }
  flush();
  return rows;
}

/** For every changed line that has a partner on the other side: its pieces, with the part that differs marked. */
export function wordMarks(hunk: Hunk): ReadonlyMap<DiffLine, readonly Piece[]> {
  const marks = new Map<DiffLine, readonly Piece[]>();
  for (const { left, right } of sideBySide(hunk)) {
    if (left === null || right === null || left === right) continue;
    const [old, fresh] = markPair(left.text, right.text);
    if (old === undefined || fresh === undefined) continue;
    marks.set(left, old);
    marks.set(right, fresh);
  }
  return marks;
}

function markPair(a: string, b: string): [Piece[], Piece[]] | [] {
  if (a.length > 2000 || b.length > 2000) return [];
  const left = tokens(a);
  const right = tokens(b);
  let start = 0;
  while (start < left.length && start < right.length && left[start] === right[start]) start++;
  let end = 0;
  while (end < left.length - start && end < right.length - start && left[left.length - 1 - end] === right[right.length - 1 - end]) end++;
  const shared = start + end;
  // Lines that share almost nothing are simply different; marking everything would be useless.
  if (shared === 0 || shared * 3 < Math.min(left.length, right.length)) return [];
  return [cut(left, start, end), cut(right, start, end)];
}

const tokens = (text: string): string[] => text.match(/\w+|\s+|[^\w\s]/g) ?? [];

function cut(list: readonly string[], start: number, end: number): Piece[] {
  const parts: Piece[] = [
    { text: list.slice(0, start).join(""), changed: false },
    { text: list.slice(start, list.length - end).join(""), changed: true },
    { text: list.slice(list.length - end).join(""), changed: false },
  ];
  return parts.filter((p) => p.text !== "");
}
