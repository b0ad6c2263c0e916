/** Which beginnings of commands may become a rule: none that would allow anything at all. */

/** Programs that run whatever they are told: alone, or with no more than an option, they say nothing about what is allowed. */
const openEnded = setOf(
  `bash sh dash zsh fish ksh csh tcsh pwsh powershell cmd busybox python python2 python3 node deno bun perl ruby php lua
   awk gawk osascript tclsh R Rscript env sudo su doas nohup nice timeout time command exec eval xargs setsid stdbuf ssh
   find npx bunx uvx pipx make git npm pnpm yarn cargo go docker kubectl curl wget rm chmod dd`,
);
/** The next word is a program text, not a name. */
const codeOptions = /^(-c|-lc|-e|-p|-E|-r|-m|--eval|--print|-exec|eval|exec|run|-)$/;
const maxWords = 64;
const maxCharacters = 2_000;

export function isSensiblePrefix(prefix: readonly string[]): boolean {
  const [program = "", second] = prefix;
  if (program === "" || prefix.length > maxWords || prefix.join(" ").length > maxCharacters) return false;
  // A rule is one line that a person reads.
  if (prefix.some((word) => word === "" || /[\x00-\x1f\x7f]/.test(word))) return false;
  const name = program.split("/").at(-1) ?? "";
  if (!openEnded.has(name)) return true;
  return second !== undefined && !(prefix.length === 2 && codeOptions.test(second));
}

function setOf(words: string): ReadonlySet<string> {
  return new Set(words.split(/\s+/));
}
