/** Quotes arguments so that a POSIX shell reads them back unchanged, in the same style as the real server. */

/** An argument list as one shell-quoted string. */
export const quoteCommand = (argv: readonly string[]): string => argv.map(quoteArgument).join(" ");

function quoteArgument(arg: string): string {
  if (arg === "") return "''";
  if (/^[\w+./:@\]-]+$/.test(arg)) return arg;
  let out = "";
  for (let at = 0; at < arg.length; ) {
    const single = singleQuotable.exec(arg.slice(at))?.[0] ?? "";
    const double = doubleQuotable.exec(arg.slice(at))?.[0] ?? "";
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

/** A backslash here is literal in a POSIX shell but not in every other shell, and a caret is safe only right after the opening quote. */
const singleQuotable = /^\^?[^'\\^]*/;
/** Excludes the characters that a shell still expands between double quotes; quotes and backslashes are escaped. */
const doubleQuotable = /^[^`$!^]*/;
