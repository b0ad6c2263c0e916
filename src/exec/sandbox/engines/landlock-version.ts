/** Which version of Landlock the kernel has. */
import { helperArgv, helperNode, runHelper } from "./helper.ts";
import { landlockVersionProgram } from "./inside.ts";

/** 0 where there is none, or where no Node can ask. */
export async function landlockVersion(): Promise<number> {
  const node = helperNode();
  if (node === undefined) return 0;
  const { said } = await runHelper(helperArgv(node), Buffer.from(landlockVersionProgram()), { argv: [], cwd: "/", env: {}, filter: "" });
  return Math.max(0, Number(said) || 0);
}
