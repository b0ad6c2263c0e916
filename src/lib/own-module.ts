/** Optional native modules: loaded only from where this program was installed. */
import { createRequire } from "node:module";
import path from "node:path";
import { findRealPath } from "./file-status.ts";
import { isInside } from "./paths.ts";

/** The file of a module that was installed with us; undefined when there is none. */
export function ownModule(name: string): string | undefined {
  try {
    const require = createRequire(import.meta.url);
    const module = require.resolve(name);
    // Node would also search the user's home and NODE_PATH: only what was installed with us is loaded.
    return isBeside(module, require.resolve.paths(name) ?? []) ? module : undefined;
  } catch {
    return undefined;
  }
}

function isBeside(module: string, searched: readonly string[]): boolean {
  const above = searched.filter(
    (folder) => path.basename(folder) === "node_modules" && isInside(import.meta.dirname, path.dirname(folder)),
  );
  return above.some((folder) => isInside(module, findRealPath(folder) ?? folder));
}
