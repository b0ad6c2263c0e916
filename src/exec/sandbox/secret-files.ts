/** Hides the files that hold a secret of the server from commands, in every mode: what lies over them, and over which folders around them. */
import { readdirSync, type Stats } from "node:fs";
import path from "node:path";
import { findLstat, findRealPath } from "../../lib/file-status.ts";
import { isInside, isInsideAny } from "../../lib/paths.ts";
import { type HomeMask, isHidden } from "./mounts.ts";

export interface SecretMasks {
  /** Folders of which commands see what was there when they started, without the secrets. */
  readonly folders: readonly HomeMask[];
  /** Single files that cannot be opened. Such a mask falls off when the file is replaced, so folders are masked where they can be. */
  readonly files: readonly string[];
}

/** A folder with more in it is not masked entry by entry: each is a mount of its own. */
const maxEntries = 32;
/** Pipes, terminals and what the kernel makes up: nothing lies there that could be read again. */
const notOnDisk = ["/dev", "/proc", "/sys"];

export interface Surroundings {
  /** Real paths of the writable roots: what is in them must stay writable. */
  readonly roots: readonly string[];
  /** Real paths of homes, the command's own folder and the like: no folder that holds one of them is masked. */
  readonly kept: readonly string[];
  /** The server's homes, which are masked already: what is hidden in them must not be shown again. */
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
    // A link is hidden as well as what it leads to: it may lead elsewhere in a moment.
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

/** A temporary folder, where others put things that commands are to find. */
const isForAll = ({ mode }: Stats): boolean => (mode & 0o002) !== 0;

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
