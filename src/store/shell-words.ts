/** Shell words to and from one line: rollouts keep a command as words, clients see it as one string. */

const plain = /^[A-Za-z0-9_@%+=:,./-]+$/;

export const joinWords = (words: readonly string[]): string =>
  words.map((word) => (plain.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)).join(" ");

/** Splits on blanks outside quotes. A line that is not made of plainly quoted words comes back as one word. */
export function splitWords(line: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  for (let i = 0; i < line.length; i++) {
    const char = line.charAt(i);
    if (char === " ") {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (char === "'" || char === '"') {
      const end = line.indexOf(char, i + 1);
      if (end < 0) return [line];
      word = (word ?? "") + line.slice(i + 1, end);
      i = end;
    } else if (char === "\\") {
      i++;
      word = (word ?? "") + line.charAt(i);
    } else word = (word ?? "") + char;
  }
  if (word !== undefined) words.push(word);
  return words.length === 0 ? [line] : words;
}
