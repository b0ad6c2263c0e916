/** Path patterns with wildcards, as regular expressions. `*` and `?` match within one name; `**` spans folders. */

const special = /[\\^$.*+?()[\]{}|/]/g;
const escaped = (text: string): string => text.replaceAll(special, "\\$&");

/** Whether a path contains wildcards. */
export const hasWildcards = (path: string): boolean => /[*?[\]]/.test(path);

/** The folder above the first wildcard of an absolute pattern. */
export function staticFolder(glob: string): string {
  const names = glob.split("/");
  const first = names.findIndex(hasWildcards);
  return names.slice(0, first === -1 ? names.length : first).join("/") || "/";
}

/**
 * The text of a regular expression for a whole path. Only groups, classes and the usual repetitions, so that the macOS sandbox can read
 * it too. A bracket or brace that is never closed stands for itself.
 */
export function globSource(glob: string): string {
  let source = "";
  let depth = 0;
  for (let at = 0; at < glob.length; at++) {
    const rest = glob.slice(at);
    const found = wholeFolders(rest, source) ?? characterClass(rest);
    if (found !== undefined) {
      source += found.source;
      at += found.length - 1;
      continue;
    }
    const char = rest.charAt(0);
    if (char === "*") source += "[^/]*";
    else if (char === "?") source += "[^/]";
    else if (char === "\\" && rest.length > 1) {
      source += escaped(rest.charAt(1));
      at++;
    } else if (char === "{" && rest.includes("}")) {
      source += "(";
      depth++;
    } else if (char === "}" && depth > 0) {
      source += ")";
      depth--;
    } else if (char === "," && depth > 0) source += "|";
    else source += escaped(char);
  }
  return `^${source}${")".repeat(depth)}$`;
}

export const globPattern = (glob: string): RegExp => new RegExp(globSource(glob), "s");

interface Piece {
  readonly source: string;
  readonly length: number;
}

/** `**` between slashes is any number of folders; at the end it is everything below. */
function wholeFolders(rest: string, before: string): Piece | undefined {
  if (!rest.startsWith("**") || !(before === "" || before.endsWith("/"))) return undefined;
  if (rest === "**") return { source: ".+", length: 2 };
  return rest.startsWith("**/") ? { source: "(.*\\/)?", length: 3 } : undefined;
}

function characterClass(rest: string): Piece | undefined {
  const found = /^\[([!^]?)(\]?[^\]]*)\]/.exec(rest);
  if (found === null || found[2] === "") return undefined;
  const [whole, negation, chars = ""] = found;
  const inner = chars.replaceAll(/[\\[\]^]/g, "\\$&");
  return { source: negation === "" ? `[${inner}]` : `[^/${inner}]`, length: whole.length };
}
