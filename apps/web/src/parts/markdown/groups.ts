/** Groups finished blocks of markdown, so that text that streams in makes React and the browser look at the last group only. */
import type { Token } from "marked";

export interface Groups {
  readonly blocks: readonly Token[];
  /** Groups that get no further blocks; the same arrays are reused from step to step. */
  readonly full: readonly (readonly Token[])[];
  /** How many blocks are in them. */
  readonly grouped: number;
}

// Each group costs the browser a look at the whole page, once, so they are not small.
const maxBlocks = 64;
const maxChars = 6000;

/** `before` is the result for the beginning of the same blocks. */
export function groupsOf(before: Groups | undefined, blocks: readonly Token[]): Groups {
  if (before?.blocks === blocks) return before;
  const isLonger = before !== undefined && before.grouped <= blocks.length && before.blocks[0] === blocks[0];
  const full = isLonger ? [...before.full] : [];
  let grouped = isLonger ? before.grouped : 0;
  for (let at = grouped, chars = 0, count = 0; at < blocks.length; at++) {
    const block = blocks[at];
    chars += block?.raw.length ?? 0;
    if (block?.type !== "space") count++;
    if (count < maxBlocks && chars < maxChars) continue;
    full.push(blocks.slice(grouped, at + 1));
    grouped = at + 1;
    [chars, count] = [0, 0];
  }
  return { blocks, full, grouped };
}
