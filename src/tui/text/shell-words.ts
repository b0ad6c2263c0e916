/** Commands as people write them: without the shell that runs them. */

/** The words of a quoted command line; undefined where it is more than words and quotes. */
function splitWords(text: string): string[] | undefined {
  const words: string[] = [];
  let rest = text.trim();
  while (rest !== "") {
    const [word] = /^(?:[^\s'"\\$`;&|<>()]|\\.|'[^']*'|"(?:[^"\\$`]|\\.)*")+/.exec(rest) ?? [];
    if (word === undefined) return undefined;
    words.push(
      word.replace(
        /\\(.)|'([^']*)'|"((?:[^"\\]|\\.)*)"/g,
        (_all, escaped?: string, single?: string, double?: string) => escaped ?? single ?? (double ?? "").replace(/\\(.)/g, "$1"),
      ),
    );
    const after = rest.slice(word.length);
    if (after !== "" && !/^\s/.test(after)) return undefined;
    rest = after.trimStart();
  }
  return words;
}

export interface ShellScript {
  readonly script: string;
  /** What runs it, as in `/bin/bash -lc`; undefined when the command is no script of a shell. */
  readonly shell: string | undefined;
}

/** `/bin/bash -lc 'ls -la'` is `ls -la`, run by `/bin/bash -lc`. */
export function scriptOf(command: string): ShellScript {
  if (!/^\S*sh\s+-\w*c\s/.test(command)) return { script: command, shell: undefined };
  const words = splitWords(command);
  const [program = "", flag = "", script] = words ?? [];
  if (script === undefined || words?.length !== 3 || !/^-\w*c$/.test(flag)) return { script: command, shell: undefined };
  return { script, shell: `${program} ${flag}` };
}
