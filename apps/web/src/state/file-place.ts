/** Places in files, such as `src/app.ts:12`, in text. */

export interface FilePlace {
  readonly path: string;
  readonly line: number | null;
}

const name = String.raw`(?:(?:~|\.{1,2})?/)?(?:[\w@+.-]+/)*[\w@+-][\w@+.-]*\.[A-Za-z][\w]{0,9}`;
const whole = new RegExp(`^(${name})(?:(?::|#L)(\\d{1,7}))?(?::\\d{1,7})?$`);
/** In running text only with a line: a bare name is more often a word than a file. */
const inText = new RegExp(`(?<![\\w/.@:-])(${name}):(\\d{1,7})(?::\\d{1,7})?(?![\\w/])`, "g");
/** A longer text is not searched: it is no name, and searching it would cost too much. */
const maxName = 300;
const maxText = 4000;

/** A text that is nothing but the place of a file. */
export function filePlace(text: string): FilePlace | undefined {
  const found = text.length > maxName || /^\w+:\/\//.test(text) ? null : whole.exec(text);
  return found?.[1] === undefined ? undefined : { path: found[1], line: found[2] === undefined ? null : Number(found[2]) };
}

/** Splits a line of output at the places of files in it. */
export function splitAtFiles(text: string): readonly (string | (FilePlace & { readonly text: string }))[] {
  if (text.length > maxText || !text.includes(":")) return [text];
  const parts: (string | (FilePlace & { readonly text: string }))[] = [];
  let at = 0;
  for (const found of text.matchAll(inText)) {
    if (found.index > at) parts.push(text.slice(at, found.index));
    parts.push({ path: found[1] ?? "", line: Number(found[2]), text: found[0] });
    at = found.index + found[0].length;
  }
  if (at < text.length) parts.push(text.slice(at));
  return parts;
}
