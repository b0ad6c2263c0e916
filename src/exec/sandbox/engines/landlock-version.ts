/** Detects the kernel's Landlock version. */
import { helperArgv, helperNode, runHelper } from "./helper.ts";
import { landlockVersionProgram } from "./inside.ts";

/** 0 if there is none, or if no Node can query it. */
export async function landlockVersion(): Promise<number> {
  const node = helperNode();
  if (node === undefined) return 0;
  const { output } = await runHelper(helperArgv(node), Buffer.from(landlockVersionProgram()), { argv: [], cwd: "/", env: {}, filter: "" });
  return Math.max(0, Number(output) || 0);
}
