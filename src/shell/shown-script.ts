/** Shortens command lines for display: without the shell that runs the script. Never for a decision. */
import { literalWords } from "./words.ts";

export interface ShownScript {
  readonly script: string;
  /** The shell call that runs it, such as `/bin/bash -lc`; undefined if the command is not a shell script. */
  readonly shell: string | undefined;
}

/** `/bin/bash -lc 'ls -la'` is shown as `ls -la`, run by `/bin/bash -lc`. */
export function scriptOf(command: string): ShownScript {
  const [program = "", flag = "", script, more] = (/^\s*\S*sh\s/.test(command) ? literalWords(command) : undefined) ?? [];
  if (script === undefined || more !== undefined || !program.endsWith("sh") || !/^-\w*c$/.test(flag))
    return { script: command, shell: undefined };
  return { script, shell: `${program} ${flag}` };
}
