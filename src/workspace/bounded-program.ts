/** Starts one of our helper programs (git, ripgrep) with bounded memory: it reads a project's files as they are, and some are endless. */
import { existsSync } from "node:fs";

/** In kilobytes. Counts allocated memory but not mapped files, so that large repositories can be read. */
const maxMemory = 1024 * 1024;

/** The same program under a memory limit, if the system supports one. The arguments after the script are never parsed as a script. */
export function boundedProgram(program: string, args: readonly string[]): readonly [program: string, args: readonly string[]] {
  if (process.platform !== "linux" || !existsSync("/bin/sh")) return [program, args];
  return ["/bin/sh", ["-c", `ulimit -d ${maxMemory} 2>/dev/null; exec "$0" "$@"`, program, ...args]];
}
