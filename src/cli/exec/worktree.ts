/** `parley exec --worktree`: a separate checkout for one session, so that it disturbs nobody's work. */
import { errorMessage } from "../../lib/error-text.ts";
import type { createApp } from "../../main/compose.ts";
import { StartError } from "../usage.ts";

/** The same folder in the new checkout, at the current commit. It is kept when the run ends: the work is in it. */
export async function newWorktree(cwd: string, app: Pick<ReturnType<typeof createApp>, "git" | "repositories">): Promise<string> {
  if ((await app.git.root(cwd)) === undefined)
    throw new StartError(`--worktree: ${cwd} is in no git repository; run it inside one or leave the flag out`);
  try {
    return (await (await app.repositories()).addWorktree(cwd, undefined, AbortSignal.timeout(120_000))).folder;
  } catch (error) {
    throw new StartError(`--worktree: ${errorMessage(error)}`);
  }
}
