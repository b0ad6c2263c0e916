/** Text split at the places where a term occurs. */

export interface MarkedPart {
  readonly text: string;
  readonly isMatch: boolean;
}

/** Upper and lower case count as the same, as long as that does not change the length of the text. */
export function marked(text: string, term: string): readonly MarkedPart[] {
  const [lower, wanted] = [text.toLowerCase(), term.toLowerCase()];
  if (wanted === "" || lower.length !== text.length || wanted.length !== term.length) return [{ text, isMatch: false }];
  const parts: MarkedPart[] = [];
  let from = 0;
  for (let at = lower.indexOf(wanted); at !== -1; at = lower.indexOf(wanted, from)) {
    if (at > from) parts.push({ text: text.slice(from, at), isMatch: false });
    from = at + wanted.length;
    parts.push({ text: text.slice(at, from), isMatch: true });
  }
  if (from < text.length) parts.push({ text: text.slice(from), isMatch: false });
  return parts;
}
