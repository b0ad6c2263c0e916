/**
 * Resolves symbolic links step by step, so that the complete path is known before anything is opened, even if its end does not exist yet.
 */
import { lstat, readlink } from "node:fs/promises";
import path from "node:path";
import { type Place, WorkspaceRefusal } from "../core/ports/workspace.ts";
import { errorMessage } from "../lib/error-text.ts";
import { components } from "../lib/paths.ts";
import { errorCode, systemErrorTexts } from "../lib/system-error.ts";

/** The limit of Linux for one path. */
const maxLinks = 40;

/** `absolute` must be normalized. */
export async function locatePath(absolute: string): Promise<Place> {
  const { root } = path.parse(absolute);
  let done = root;
  let todo = components(absolute);
  let links = 0;
  let viaLink = false;
  let exists = true;
  for (let name = todo.shift(); name !== undefined; name = todo.shift()) {
    if (name === "..") {
      done = path.dirname(done);
      continue;
    }
    const here = path.join(done, name);
    const stat = exists ? await lstat(here).catch(() => undefined) : undefined;
    if (stat === undefined) exists = false;
    if (!stat?.isSymbolicLink()) {
      done = here;
      continue;
    }
    if (++links > maxLinks) throw new WorkspaceRefusal("link", `${absolute} goes through too many symbolic links`);
    viaLink ||= todo.length === 0;
    const target = await readlink(here);
    const targetRoot = path.parse(target).root;
    todo = [
      ...target
        .slice(targetRoot.length)
        .split(path.sep)
        .filter((part) => part !== "" && part !== "."),
      ...todo,
    ];
    if (path.isAbsolute(target)) done = targetRoot;
  }
  return { real: done, viaLink };
}

/** A short message for a failed call, without the internal paths of the system's own message. */
export function errorText(error: unknown): string {
  const code = errorCode(error);
  return code === undefined ? errorMessage(error) : (systemErrorTexts[code] ?? code);
}
