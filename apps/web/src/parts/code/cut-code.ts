/** Cuts long code into parts at line ends, each to be drawn by itself. */

const partChars = 3000;

export interface Cut {
  readonly code: string;
  /** Complete parts, without the line break that follows each. */
  readonly parts: readonly { readonly text: string; readonly lines: number }[];
  readonly end: number;
}

/** Cuts code at line ends; `before` is the result for its beginning. */
export function cutCode(before: Cut | undefined, code: string): Cut {
  const base = before !== undefined && code.startsWith(before.code) ? before : { code: "", parts: [], end: 0 };
  const parts = [...base.parts];
  let { end } = base;
  for (let at = code.indexOf("\n", end + partChars); at !== -1; at = code.indexOf("\n", end + partChars)) {
    // A part that ends with an empty line would lose it.
    while (code[at - 1] === "\n" && code[at + 1] !== undefined) at = nextLineEnd(code, at);
    if (code[at] !== "\n" || code[at + 1] === undefined) break;
    const text = code.slice(end, at);
    parts.push({ text, lines: text.split("\n").length });
    end = at + 1;
  }
  return { code, parts, end };
}
const nextLineEnd = (code: string, at: number): number => {
  const next = code.indexOf("\n", at + 1);
  return next === -1 ? code.length : next;
};
