/** `parley exec --worktree`: a separate checkout for one session, so that it disturbs nobody's work. */
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { StartError } from "../usage.ts";

/** The same folder in the new checkout, at the current commit. It is kept when the run ends: the work is in it. */
export async function newWorktree(cwd: string, root: string | undefined): Promise<string> {
  if (root === undefined) throw new StartError(`--worktree: ${cwd} is in no git repository; run it inside one or leave the flag out`);
  // Not under CODEX_HOME: commands never run inside the server's own home.
  const data = process.env["XDG_DATA_HOME"] || path.join(homedir(), ".local", "share");
  const parent = path.join(data, "parley", "worktrees", randomBytes(4).toString("hex"));
  mkdirSync(parent, { recursive: true, mode: 0o700 });
  const folder = path.join(parent, path.basename(root));
  // Hooks of the repository would run unseen and outside every sandbox.
  const flags = ["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-C", root];
  try {
    await promisify(execFile)("git", [...flags, "worktree", "add", "--detach", folder], { timeout: 120_000 });
  } catch (error) {
    const why = error instanceof Error && "stderr" in error ? String(error.stderr).trim() : String(error);
    throw new StartError(`--worktree: git could not make a worktree of ${root}: ${why}`);
  }
  return path.join(folder, path.relative(root, cwd));
}
