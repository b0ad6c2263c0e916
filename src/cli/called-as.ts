/** The name that this program was started by: a link to it may carry the name of what it stands in for. */
import path from "node:path";

/** A link to the package's program is the program that Node was given; the launcher of a checkout is a shell script and passes its name on. */
export function calledAs(): string {
  const program = path.basename(process.argv[1] ?? "");
  const name = /^(?:parley\.cjs|main\.ts)$/.test(program) ? (process.env["PARLEY_CALLED_AS"] ?? "parley") : program;
  return name.replace(/\.[cm]?js$/, "");
}
