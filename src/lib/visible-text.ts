/** Makes text from others safe to show: nothing in it is hidden, controls a terminal or changes the text direction, and its length is bounded. */

/** Control characters except tab and line feed, zero-width and direction marks, and the tag characters that can hide text in text. */
const hidden =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;

export function visibleText(text: string, max: number): string {
  const plain = text.replace(hidden, "");
  return plain.length <= max ? plain : `${plain.slice(0, max).toWellFormed()}…`;
}

/** The same on one line, for names. */
export const visibleLine = (text: string, max: number): string => visibleText(text.replace(/[\t\n]+/g, " "), max).trim();
