/** Detects a shell command that is only a patch, so that it becomes a file change with its own approval. */
import path from "node:path";
import { verificationFailed } from "./file-changes.ts";

export type Intercepted = { readonly patch: string; readonly cwd: string } | { readonly failed: string };

const shells = new Set(["bash", "sh", "zsh", "dash", "ksh"]);
const names = new Set(["apply_patch", "applypatch"]);

/**
 * The patch in `argv`, or undefined for an ordinary command. Only a pure patch counts: `apply_patch <text>` as an argv, or a shell
 * script that is one here-document for apply_patch, with at most `cd <folder> &&` before it. Anything more is left to the shell.
 */
export function interceptPatch(argv: readonly string[], cwd: string): Intercepted | undefined {
  const [program = "", ...rest] = argv;
  if (names.has(path.basename(program))) return rest.length === 1 && rest[0] !== undefined ? { patch: rest[0], cwd } : undefined;
  const script = shellScript(argv) ?? (argv.length === 1 ? program : undefined);
  if (script === undefined) return undefined;
  const bare = script.trim();
  if (bare.startsWith("*** Begin Patch") && bare.endsWith("*** End Patch"))
    return { failed: verificationFailed(`patch detected without explicit call to apply_patch. Rerun as ["apply_patch", "<patch>"]`) };
  return fromScript(script, cwd);
}

/** The script that a shell gets as one argument; undefined for other programs. */
export function shellScript([program = "", ...rest]: readonly string[]): string | undefined {
  const shell = path.basename(program).replace(/\.exe$/i, "");
  return shells.has(shell) && rest.length === 2 && /^-l?c$/.test(rest[0] ?? "") ? rest[1] : undefined;
}

/** A shell word with the same value in every shell: quoted, or bare without any character that expands. */
const word = String.raw`(?:'([^'\n]+)'|"([^"\\$\`\n]+)"|([^\s'"\\$\`;&|<>()*?[\]{}~#!=-][^\s'"\\$\`;&|<>()*?[\]{}~#!]*))`;
const opening = new RegExp(
  String.raw`^\s*(?:cd[ \t]+${word}[ \t]*&&\s*)?apply_?patch[ \t]*<<(-?)[ \t]*(['"]?)([A-Za-z_][A-Za-z0-9_]*)\5[ \t]*\n`,
);

/** The body is taken literally, also under an unquoted delimiter: nothing in a patch is ever expanded. */
function fromScript(script: string, cwd: string): Intercepted | undefined {
  const found = opening.exec(script);
  if (found === null) return undefined;
  const [whole, single, double, plain, dash, , delimiter] = found;
  const folder = single ?? double ?? plain;
  const stripTabs = (line: string): string => (dash === "-" ? line.replace(/^\t+/, "") : line);
  const lines = script.slice(whole.length).split("\n").map(stripTabs);
  const close = lines.indexOf(delimiter ?? "");
  if (close < 0 || lines.slice(close + 1).some((line) => line.trim() !== "")) return undefined;
  return { patch: lines.slice(0, close).join("\n"), cwd: folder === undefined ? cwd : path.resolve(cwd, folder) };
}
