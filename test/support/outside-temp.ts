/** A place for tests of what must not lie in a temp folder, also when the checkout itself lies in one. */
import { accessSync, constants, realpathSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import path from "node:path";

const isTemp = (folder: string): boolean => [realpathSync(tmpdir()), "/tmp"].some((temp) => `${folder}/`.startsWith(`${temp}/`));

/** The checkout need not be the user's own. */
function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** The first letters of a folder to make. */
export function outsideTemp(): string {
  const modules = path.resolve(import.meta.dirname, "../../node_modules");
  const folder = [modules, homedir(), "/var/tmp"].find((place) => isWritable(place) && !isTemp(realpathSync(place))) ?? modules;
  return path.join(folder, ".parley-test-");
}
