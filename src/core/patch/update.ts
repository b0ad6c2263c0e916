/** Applies the chunks of an Update File hunk to a text. Pure; context lines stay byte for byte as in the file. */

import type { Chunk } from "../ports/file-hunk.ts";
import { nearestLines } from "./nearest-lines.ts";
import { seekExactly, seekLines } from "./seek.ts";

/** `notes`: what the model should know about a change that matched more than one place. */
export type Updated = { readonly text: string; readonly notes?: readonly string[] } | { readonly failed: string };

interface Line {
  readonly text: string;
  /** "\n", "\r\n", or "" for a last line without one. */
  readonly ending: string;
}
interface Replacement {
  readonly at: number;
  readonly count: number;
  readonly lines: readonly Line[];
}

/** `name` is the file's name in error messages. */
export function updateText(original: string, chunks: readonly Chunk[], name: string): Updated {
  const mark = original.startsWith("\ufeff") ? "\ufeff" : "";
  const lines = splitLines(original.slice(mark.length));
  const texts = lines.map((line) => line.text);
  const ending = commonEnding(lines);
  const replacements: Replacement[] = [];
  const notes: string[] = [];
  let from = 0;
  for (const chunk of chunks) {
    const wanted = removedAndKept(chunk);
    for (const anchor of chunk.anchors) {
      const found = seekLines(texts, [anchor], from, false);
      if (found === undefined) return { failed: withNearest(`Failed to find context '${anchor}' in ${name}`, texts, [anchor]) };
      from = found + 1;
    }
    const place = findPlace(texts, chunk, from);
    if (place === undefined)
      return { failed: withNearest(`Failed to find expected lines in ${name}:\n${wanted.join("\n")}`, texts, wanted) };
    const again = otherPlace(texts, chunk, place);
    if (again !== undefined)
      notes.push(
        `The lines of a chunk stand in ${name} more than once; the place at line ${place.at + 1} was changed, the one at line ${again + 1} was not. Name a line above the place after @@ to choose another.`,
      );
    replacements.push(replacement(lines, chunk, place, ending));
    if (place.count > 0) from = place.at + place.count;
  }
  return { text: mark + join(carryOut(lines, replacements), ending), notes };
}

function withNearest(failure: string, texts: readonly string[], wanted: readonly string[]): string {
  const near = nearestLines(texts, wanted);
  return near === "" ? failure : `${failure}\n${near}`;
}

/** Another place, further down, that a chunk without an anchor matches equally well: the model may have meant that one. */
function otherPlace(texts: readonly string[], chunk: Chunk, { at, count }: Found): number | undefined {
  if (chunk.anchors.length > 0 || chunk.atEnd || count === 0) return undefined;
  return seekExactly(texts, texts.slice(at, at + count), at + 1);
}

interface Found {
  readonly at: number;
  readonly count: number;
  /** Trailing empty context lines that the file does not have: blank lines before the next header, not part of the patch. */
  readonly dropped: number;
}

function findPlace(texts: readonly string[], chunk: Chunk, from: number): Found | undefined {
  const wanted = removedAndKept(chunk);
  const blanks = chunk.lines.length - 1 - chunk.lines.findLastIndex((line) => line.sign !== " " || line.text !== "");
  if (wanted.length === blanks && blanks < chunk.lines.length)
    return { at: chunk.anchors.length > 0 && !chunk.atEnd ? from : texts.length, count: 0, dropped: blanks };
  for (let dropped = 0; dropped <= blanks && dropped < wanted.length; dropped++) {
    const part = wanted.slice(0, wanted.length - dropped);
    const at = seekLines(texts, part, from, chunk.atEnd);
    if (at !== undefined) return { at, count: part.length, dropped };
  }
  return undefined;
}

const removedAndKept = (chunk: Chunk): string[] => chunk.lines.filter((line) => line.sign !== "+").map((line) => line.text);

function replacement(lines: readonly Line[], chunk: Chunk, place: Found, fallback: string): Replacement {
  const near = lines[place.at]?.ending || lines[place.at - 1]?.ending || fallback;
  const out: Line[] = [];
  let at = place.at;
  for (const line of chunk.lines.slice(0, chunk.lines.length - place.dropped)) {
    if (line.sign === "+") out.push({ text: line.text, ending: near });
    else {
      const kept = lines[at++];
      if (line.sign === " " && kept !== undefined) out.push(kept);
    }
  }
  return { at: place.at, count: place.count, lines: out };
}

function carryOut(lines: readonly Line[], replacements: readonly Replacement[]): Line[] {
  const parts: (readonly Line[])[] = [];
  let at = 0;
  for (const part of replacements.toSorted((a, b) => a.at - b.at)) {
    parts.push(lines.slice(at, part.at), part.lines);
    at = part.at + part.count;
  }
  return [...parts, lines.slice(at)].flat();
}

/** A former last line without a line break gets one. */
const join = (lines: readonly Line[], ending: string): string =>
  lines.map((line, i) => line.text + (line.ending === "" && i < lines.length - 1 ? ending : line.ending)).join("");

function splitLines(text: string): Line[] {
  const lines = text
    .split("\n")
    .map((line) => (line.endsWith("\r") ? { text: line.slice(0, -1), ending: "\r\n" } : { text: line, ending: "\n" }));
  const last = lines.pop();
  const rest = last === undefined ? "" : last.ending === "\r\n" ? `${last.text}\r` : last.text;
  return rest === "" ? lines : [...lines, { text: rest, ending: "" }];
}

function commonEnding(lines: readonly Line[]): string {
  const windows = lines.filter((line) => line.ending === "\r\n").length;
  const plain = lines.filter((line) => line.ending === "\n").length;
  return windows > plain ? "\r\n" : "\n";
}
