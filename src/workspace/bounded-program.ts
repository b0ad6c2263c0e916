/** Starts a helper of ours (git, ripgrep) with bounded memory: it reads files of a project as it finds them, and some are without end. */
import { existsSync } from "node:fs";

/** In kilobytes. Counts what a program asks for, not what it maps of files, so that large repositories can be read. */
const maxMemory = 1024 * 1024;

/** The same program under a limit, where the system has one. The words after the script are never read as a script. */
export function boundedProgram(program: string, args: readonly string[]): readonly [program: string, args: readonly string[]] {
  if (process.platform !== "linux" || !existsSync("/bin/sh")) return [program, args];
  return ["/bin/sh", ["-c", `ulimit -d ${maxMemory} 2>/dev/null; exec "$0" "$@"`, program, ...args]];
}
