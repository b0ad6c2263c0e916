/** Which command prefixes may become a rule: none that would allow everything. */
import { setOf } from "../../lib/set-of.ts";

/** Programs that run arbitrary code from their arguments: alone, or with just one option, a prefix of them would allow anything. */
const openEnded = setOf(
  `bash sh dash zsh fish ksh csh tcsh pwsh powershell cmd busybox python python2 python3 node deno bun perl ruby php lua
   awk gawk osascript tclsh R Rscript env sudo su doas nohup nice timeout time command exec eval xargs setsid stdbuf ssh
   find npx bunx uvx pipx make git npm pnpm yarn cargo go docker kubectl curl wget rm chmod dd`,
);
/** The next argument is program code, not a name. */
const codeOptions = /^(-c|-lc|-e|-p|-E|-r|-m|--eval|--print|-exec|eval|exec|run|-)$/;
const maxArguments = 64;
const maxCharacters = 2_000;

export function isSensiblePrefix(prefix: readonly string[]): boolean {
  const [program = "", second] = prefix;
  if (program === "" || prefix.length > maxArguments || prefix.join(" ").length > maxCharacters) return false;
  // A rule is one line that a person must be able to read.
  if (prefix.some((arg) => arg === "" || /[\x00-\x1f\x7f]/.test(arg))) return false;
  const name = program.split("/").at(-1) ?? "";
  if (!openEnded.has(name)) return true;
  return second !== undefined && !(prefix.length === 2 && codeOptions.test(second));
}
