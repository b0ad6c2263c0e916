/** The folders of this program itself. A command that could write there would run as the server at its next start. */
import { existsSync, realpathSync } from "node:fs";
import { getCompileCacheDir } from "node:module";
import path from "node:path";

/** An installed package as a whole; of a checkout, which people edit, only what runs at startup without a build. All real paths. */
export function programFolders(from: string = import.meta.dirname): readonly string[] {
  const root = packageAbove(from);
  const started = [path.dirname(process.execPath), getCompileCacheDir()];
  const own =
    root === undefined
      ? []
      : isInstalled(root)
        ? [root]
        : ["bin", "dist", "node_modules/.bin", "node_modules/.cache/parley"].map((name) => path.join(root, name));
  return [...new Set([...own, ...started].flatMap(real))];
}

function packageAbove(folder: string): string | undefined {
  for (let at = folder; ; at = path.dirname(at)) {
    if (existsSync(path.join(at, "bin", "parley"))) return at;
    if (at === path.dirname(at)) return undefined;
  }
}

const isInstalled = (root: string): boolean => root.split(path.sep).includes("node_modules");

function real(folder: string | undefined): string[] {
  try {
    return folder === undefined ? [] : [realpathSync.native(folder)];
  } catch {
    return []; // missing: nothing is run from it
  }
}
