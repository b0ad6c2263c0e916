/** Prompt templates in the composer: `{{name}}` is a place to fill in. */

const place = /\{\{[^{}\n]{0,60}\}\}/;

/** The text of a template, and what of it is selected first: its first place to fill in, otherwise its end. */
export function filledIn(text: string): [text: string, start: number, end: number] {
  const found = place.exec(text);
  return found === null ? [text, text.length, text.length] : [text, found.index, found.index + found[0].length];
}

/** What the user types after `/` to get a template. */
export const templateCommand = (name: string): string => name.trim().toLowerCase().replaceAll(/\s+/g, "-");
