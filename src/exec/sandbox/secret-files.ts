/** Hides files with secrets of the server from commands, in every mode: decides whether to mask the file or the folder around it. */
import { readdirSync, type Stats } from "node:fs";
import path from "node:path";
import { findLstat, findRealPath } from "../../lib/file-status.ts";
import { isInside, isInsideAny } from "../../lib/paths.ts";
import { type HomeMask, isHidden } from "./mounts.ts";

export interface SecretMasks {
  /** Folders of which commands see the entries that existed when they started, without the secrets. */
  readonly folders: readonly HomeMask[];
  /** Single files that cannot be opened. Such a mask is lost when the file is replaced, so folders are masked where possible. */
  readonly files: readonly string[];
}

/** A folder with more entries is not masked entry by entry: each is a separate mount. */
const maxEntries = 32;
/** Pipes, terminals and virtual files of the kernel: they contain nothing that could be read again. */
const notOnDisk = ["/dev", "/proc", "/sys"];

export interface Surroundings {
  /** Real paths of the writable roots: their content must stay writable. */
  readonly roots: readonly string[];
  /** Real paths of homes, the command's working folder and similar: no folder that contains one of them is masked. */
  readonly kept: readonly string[];
  /** The server's homes, which are masked already: what is hidden in them must not be exposed again. */
  readonly homes: readonly HomeMask[];
}

export function maskSecrets(secrets: readonly string[], surroundings: Surroundings): SecretMasks {
  const masks = new Map<string, Set<string>>();
  const files = new Set<string>();
  const hideEntry = (file: string): boolean => {
    const folder = path.dirname(file);
    const hidden = masks.get(folder);
    if (hidden === undefined && !canMask(folder, surroundings)) return false;
    masks.set(folder, (hidden ?? new Set()).add(path.basename(file)));
    return true;
  };
  const whole = new Set<string>();
  for (const given of new Set(secrets)) {
    const parent = findRealPath(path.dirname(given));
    const real = findRealPath(given);
    if (real !== undefined && isInsideAny(real, notOnDisk)) continue;
    if (isHidden(given, surroundings.homes, surroundings.roots)) continue;
    if (real !== undefined && findLstat(real)?.isDirectory() === true) {
      whole.add(real);
      continue;
    }
    // Both a link and its target are hidden: the link may point elsewhere a moment later.
    const entry = parent === undefined ? undefined : path.join(parent, path.basename(given));
    const isEntryHidden = entry !== undefined && hideEntry(entry);
    if (real !== undefined && !(isEntryHidden && real === entry) && !hideEntry(real)) files.add(real);
  }
  const around = [...masks].filter(([home]) => !isInsideAny(home, whole));
  return {
    folders: [
      ...[...whole].map((home) => ({ home, entries: [] })),
      ...around.map(([home, hidden]) => ({ home, entries: entriesOf(home).filter((name) => !hidden.has(name)) })),
    ],
    files: [...files],
  };
}

function canMask(folder: string, { roots, kept, homes }: Surroundings): boolean {
  if (folder.split(path.sep).length < 3 || isInsideAny(folder, notOnDisk)) return false;
  if (
    homes.some(({ home }) => isInside(folder, home)) ||
    isInsideAny(folder, roots) ||
    [...roots, ...kept].some((each) => isInside(each, folder))
  )
    return false;
  const found = findLstat(folder);
  return found?.isDirectory() === true && !isForAll(found) && entriesOf(folder).length <= maxEntries;
}

/** A temporary folder, where other programs put files that commands need. */
const isForAll = ({ mode }: Stats): boolean => (mode & 0o002) !== 0;

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
