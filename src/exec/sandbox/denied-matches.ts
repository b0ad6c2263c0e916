/**
 * Finds the files that a profile's denied patterns name. A mount hides a path and not a pattern, so every command looks for them first; a
 * file that gets such a name while a command runs is not hidden from it.
 */
import { readdir } from "node:fs/promises";
import path from "node:path";
import { type DeniedGlob, globMatcher, type ResolvedFiles } from "../../core/ports/file-access.ts";
import { findRealPath } from "../../lib/file-status.ts";
import { isInsideAny } from "../../lib/paths.ts";

/** Looking through more would delay every command by seconds. */
const maxLooked = 400_000;
/** Each is a mount of its own. */
const maxMatches = 500;
/** Trees of the kernel: they are replaced in every sandbox, and endless. */
const notSearched = ["/proc", "/sys", "/dev"];

/** Real paths, or why they cannot be listed. */
export async function deniedMatches({ deniedGlobs, globScanMaxDepth }: ResolvedFiles): Promise<readonly string[] | { refused: string }> {
  const found = new Set<string>();
  let looked = 0;
  for (const glob of deniedGlobs) {
    const base = findRealPath(glob.base);
    if (base === undefined) continue;
    const isDenied = globMatcher([{ ...glob, base }]);
    const pending: { folder: string; depth: number }[] = [{ folder: base, depth: 1 }];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      const { folder, depth } = next;
      if (isInsideAny(folder, notSearched)) continue;
      for (const entry of await entriesOf(folder)) {
        if (++looked > maxLooked) return tooMuch(glob, `more than ${maxLooked} files and folders would have to be looked at`);
        const file = path.join(folder, entry.name);
        if (isDenied(file)) addMatch(found, file);
        else if (entry.isDirectory() && depth < (globScanMaxDepth ?? Number.POSITIVE_INFINITY))
          pending.push({ folder: file, depth: depth + 1 });
      }
      if (found.size > maxMatches) return tooMuch(glob, `more than ${maxMatches} files match it`);
    }
  }
  return [...found];
}

/** A link is hidden by what it leads to: a mount cannot cover the link itself. */
function addMatch(found: Set<string>, file: string): void {
  const real = findRealPath(file);
  if (real !== undefined) found.add(real);
}

const tooMuch = ({ base, pattern }: DeniedGlob, reason: string): { refused: string } => ({
  refused: `No sandbox: ${reason} to deny ${pattern} in ${base}. Name folders in place of files, or set glob_scan_max_depth in the permission profile.`,
});

async function entriesOf(folder: string): Promise<readonly { name: string; isDirectory(): boolean }[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch {
    return []; // We may not read it, so commands may not either.
  }
}
