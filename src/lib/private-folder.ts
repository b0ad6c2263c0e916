/** Temporary folders for files that this program writes and then trusts. Not in the temp folder: commands of the agent may write there. */
import { mkdirSync, mkdtempSync, realpathSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import path from "node:path";

/** A new folder in the user's cache folder, accessible by its user only; in the temp folder if there is no cache folder. The caller removes it. */
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
