/** A location outside the temp folders for tests that need one, even if the checkout itself is in a temp folder. */
import { accessSync, constants, realpathSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import path from "node:path";

const isTemp = (folder: string): boolean => [realpathSync(tmpdir()), "/tmp"].some((temp) => `${folder}/`.startsWith(`${temp}/`));

/** The checkout may belong to another user. */
function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Returns a path prefix for a new folder. */
export function outsideTemp(): string {
  const modules = path.resolve(import.meta.dirname, "../../node_modules");
  const folder = [modules, homedir(), "/var/tmp"].find((place) => isWritable(place) && !isTemp(realpathSync(place))) ?? modules;
  return path.join(folder, ".parley-test-");
}
