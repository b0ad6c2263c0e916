/** Writes words so that a POSIX shell reads them back unchanged, in the style that clients know from the real server. */

/** One shell-quoted string for an argument list. */
export const quoteCommand = (argv: readonly string[]): string => argv.map(quoteWord).join(" ");

function quoteWord(word: string): string {
  if (word === "") return "''";
  if (/^[\w+./:@\]-]+$/.test(word)) return word;
  let out = "";
  for (let at = 0; at < word.length; ) {
    const single = singleQuotable.exec(word.slice(at))?.[0] ?? "";
    const double = doubleQuotable.exec(word.slice(at))?.[0] ?? "";
    if (single.length >= double.length) {
      out += `'${single}'`;
      at += single.length;
    } else {
      out += `"${double.replaceAll(/["\\]/g, "\\$&")}"`;
      at += double.length;
    }
  }
  return out;
}

/** A backslash is literal here for a POSIX shell but not for every other, and a caret is safe only right after the opening quote. */
const singleQuotable = /^\^?[^'\\^]*/;
/** Without what a shell still looks at between double quotes; quotes and backslashes are escaped. */
const doubleQuotable = /^[^`$!^]*/;
