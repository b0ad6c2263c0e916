/** Command lines as people read them: without the shell that runs the script. For display only, never for a decision. */
import { literalWords } from "./words.ts";

export interface ShownScript {
  readonly script: string;
  /** What runs it, as in `/bin/bash -lc`; undefined when the command is not a script of a shell. */
  readonly shell: string | undefined;
}

/** `/bin/bash -lc 'ls -la'` is `ls -la`, run by `/bin/bash -lc`. */
export function scriptOf(command: string): ShownScript {
  const [program = "", flag = "", script, more] = (/^\s*\S*sh\s/.test(command) ? literalWords(command) : undefined) ?? [];
  if (script === undefined || more !== undefined || !program.endsWith("sh") || !/^-\w*c$/.test(flag))
    return { script: command, shell: undefined };
  return { script, shell: `${program} ${flag}` };
}
