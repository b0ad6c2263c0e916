/** Folders for a while, for what this program itself writes and then trusts. Not in the temp folders: commands of the agent may write those. */
import { mkdirSync, mkdtempSync, realpathSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import path from "node:path";

/** A new folder, its user's alone, in the user's cache folder; only where there is none to be had, in the temp folder. To be removed by the caller. */
export function makePrivateFolder(prefix: string, env: Readonly<Record<string, string | undefined>> = process.env): string {
  const named = env["XDG_CACHE_HOME"];
  const cache = named !== undefined && path.isAbsolute(named) ? named : path.join(env["HOME"] || homedir(), ".cache");
  try {
    mkdirSync(cache, { recursive: true, mode: 0o700 });
    return realpathSync(mkdtempSync(path.join(cache, prefix)));
  } catch {
    return realpathSync(mkdtempSync(path.join(tmpdir(), prefix)));
  }
}
