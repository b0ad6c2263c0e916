/** Caches V8's compiled code between starts. Anyone who can write the folder can run code here, so it must be ours alone or it is not used. */
import { existsSync, lstatSync, mkdirSync, realpathSync } from "node:fs";
import { enableCompileCache, flushCompileCache } from "node:module";
import { homedir, tmpdir } from "node:os";
import { join, sep } from "node:path";

/** How long after startup a cold cache is written, so that a server that is killed later still leaves a warm start behind. */
const flushAfterMs = 3000;

/** `beside` is tried first (a checkout or a private installation), then the user's home. Undefined where neither is safe. */
export function cacheFolder(beside: string): string | undefined {
  return isPrivate(beside) ? beside : [join(process.env["CODEX_HOME"] || join(homedir(), ".codex"), "parley", "cache")].find(isPrivate);
}

/** Lets Node cache what it compiles, for code outside the bundle. Never throws: without a cache it is only slower. */
export function keepCompiledCode(beside: string): void {
  const folder = cacheFolder(beside);
  if (folder === undefined) return;
  enableCompileCache(folder);
  setTimeout(flushCompileCache, flushAfterMs).unref();
}

/** What `os.tmpdir()` says, without loading a module for it at each start. */
function tempFolder(): string {
  const { TMPDIR, TMP, TEMP } = process.env;
  return process.platform === "win32" ? tmpdir() : TMPDIR || TMP || TEMP || "/tmp";
}

/** Whether a folder, created if necessary, is writable by this user only. */
export function isPrivate(folder: string): boolean {
  try {
    if (!existsSync(folder)) mkdirSync(folder, { recursive: true, mode: 0o700 });
    const real = realpathSync.native(folder);
    const { uid, mode } = lstatSync(real);
    // Commands of the agent may write the temp folders, whatever the file modes.
    const isTemp = [realpathSync.native(tempFolder()), "/tmp"].some((temp) => real === temp || real.startsWith(`${temp}${sep}`));
    return !isTemp && (process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0));
  } catch {
    return false;
  }
}
