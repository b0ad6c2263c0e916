/** Colours for the lines of a diff: each side of a hunk is highlighted as code, and changes within a line stay marked. */
import { useEffect, useState } from "react";
import { type ColorSpan, colorize, languageOfPath } from "../code/highlight.ts";
import type { DiffLine, FileDiff, Hunk } from "./parse.ts";
import type { Piece } from "./rows.ts";

export type LineColors = ReadonlyMap<DiffLine, readonly ColorSpan[]>;
export interface ColoredPiece extends ColorSpan {
  readonly changed: boolean;
}

/** Files with more lines than this are not highlighted. */
const maxLines = 1200;

/** Undefined until the colours are loaded, and if there are none. */
export function useDiffColors(file: FileDiff): LineColors | undefined {
  const [known, setKnown] = useState<{ file: FileDiff; colors: LineColors }>();
  useEffect(() => {
    const language = languageOfPath(file.path);
    if (language === undefined || file.hunks.reduce((n, hunk) => n + hunk.lines.length, 0) > maxLines) return;
    let isWanted = true;
    Promise.all(file.hunks.flatMap((hunk) => [side(hunk, "remove", language), side(hunk, "add", language)])).then(
      (sides) => isWanted && setKnown({ file, colors: new Map(sides.flat()) }),
      () => {}, // shown without colours
    );
    return () => {
      isWanted = false;
    };
  }, [file]);
  return known?.file === file ? known.colors : undefined;
}

async function side(hunk: Hunk, kind: "add" | "remove", language: string): Promise<[DiffLine, readonly ColorSpan[]][]> {
  const lines = hunk.lines.filter((line) => line.kind === "same" || line.kind === kind);
  const colors = await colorize(lines.map((line) => line.text).join("\n"), language);
  return lines.flatMap((line, i) => (colors?.[i] === undefined ? [] : [[line, colors[i]]]));
}

/** Splits the coloured text where the marks begin and end. */
export function withMarks(spans: readonly ColorSpan[], pieces: readonly Piece[] | undefined): readonly ColoredPiece[] {
  if (pieces === undefined) return spans.map((span) => ({ ...span, changed: false }));
  const cut: ColoredPiece[] = [];
  let [at, used] = [0, 0];
  for (const span of spans) {
    for (let from = 0; from < span.text.length; ) {
      const piece = pieces[at];
      const length = Math.min(span.text.length - from, piece === undefined ? span.text.length : piece.text.length - used);
      if (length > 0) cut.push({ ...span, text: span.text.slice(from, from + length), changed: piece?.changed ?? false });
      from += length;
      used += length;
      if (piece === undefined || used < piece.text.length) continue;
      at++;
      used = 0;
    }
  }
  return cut;
}
