/** The name that this program was started with: a symlink may be named after the program it replaces. */
import path from "node:path";

/** With a symlink to the package's program, it is the script that Node was given; a checkout's launcher is a shell script and passes its name on. */
export function calledAs(): string {
  const program = path.basename(process.argv[1] ?? "");
  const name = /^(?:parley\.cjs|main\.ts)$/.test(program) ? (process.env["PARLEY_CALLED_AS"] ?? "parley") : program;
  return name.replace(/\.[cm]?js$/, "");
}
