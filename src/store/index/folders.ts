/** Walks the folders of rollouts: `sessions/YYYY/MM/DD`, and the flat archive. */
import { statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { setImmediate } from "node:timers/promises";
import { namesOf } from "../../lib/bounded-folder.ts";
import { archiveFolder, dayFolder, parseRolloutName, type RolloutName, uuidTime } from "../layout.ts";

export interface FoundFile extends RolloutName {
  readonly path: string;
  readonly folder: string;
  readonly archived: boolean;
}

/** All day folders, newest first. */
export function* dayFolders(home: string, inside: (folder: string, digits: number) => readonly string[] = numbered): Generator<string> {
  for (const year of inside(path.join(home, "sessions"), 4)) for (const month of inside(year, 2)) yield* inside(month, 2);
}

/** A folder that changed this recently may change again within the same clock tick. */
export const settledMs = 2_000;
/** More years and months than anybody has. */
const mostRemembered = 2_000;

/** The same paths as long as their folder does not change: each list of threads looks at the newest days. */
export class NumberedFolders {
  readonly #known = new Map<string, { readonly mtimeMs: number; readonly paths: readonly string[] }>();

  readonly inside = (folder: string, digits: number): readonly string[] => {
    const mtimeMs = mtimeOf(folder);
    const known = this.#known.get(folder);
    if (known !== undefined && known.mtimeMs === mtimeMs) return known.paths;
    const paths = numbered(folder, digits);
    if (this.#known.size >= mostRemembered) this.#known.clear();
    if (mtimeMs !== undefined && Date.now() - mtimeMs > settledMs) this.#known.set(folder, { mtimeMs, paths });
    return paths;
  };
}

const numbered = (folder: string, digits: number): string[] =>
  namesOf(folder)
    .filter((name) => name.length === digits && /^\d+$/.test(name))
    .toArray()
    .sort()
    .reverse()
    .map((name) => folder + path.sep + name);

/** The rollouts in a folder whose names contain this id. */
function filesIn(folder: string, archived: boolean, id: string): FoundFile[] {
  const wanted = id.toLowerCase();
  return namesOf(folder)
    .filter((name) => name.toLowerCase().includes(wanted))
    .flatMap((name) => {
      const parsed = parseRolloutName(name);
      return parsed === undefined ? [] : [{ ...parsed, path: path.join(folder, name), folder, archived }];
    })
    .toArray();
}

/** All rollouts of a folder of any size, in slices. */
export async function filesInSlices(folder: string, archived: boolean): Promise<FoundFile[]> {
  const found: FoundFile[] = [];
  let started = performance.now();
  for (const name of await readdir(folder).catch(() => [])) {
    const parsed = parseRolloutName(name);
    if (parsed !== undefined) found.push({ ...parsed, path: folder + path.sep + name, folder, archived });
    if (performance.now() - started < sliceMs) continue;
    await setImmediate();
    started = performance.now();
  }
  return found;
}
const sliceMs = 6;

/** A file of which only the path is known. */
export function foundFile(file: string, home: string): FoundFile {
  const folder = path.dirname(file);
  const name = parseRolloutName(path.basename(file)) ?? { id: "", segment: "", namedMs: 0 };
  return { ...name, path: file, folder, archived: folder === archiveFolder(home) };
}

export const mtimeOf = (folder: string): number | undefined => statSync(folder, { throwIfNoEntry: false })?.mtimeMs;

/** The files of a thread by their names alone, without an index: first in the likely day folders, then in the archive, then everywhere. */
export function locateThread(home: string, fits: (file: FoundFile) => boolean, id: string): FoundFile[] {
  const guessed = likelyFolders(home, id);
  const near = guessed.flatMap((folder) => filesIn(folder, false, id)).filter(fits);
  if (near.length > 0) return near;
  const archived = filesIn(archiveFolder(home), true, id).filter(fits);
  if (archived.length > 0) return archived;
  for (const folder of dayFolders(home)) {
    if (guessed.includes(folder)) continue;
    const found = filesIn(folder, false, id).filter(fits);
    if (found.length > 0) return found;
  }
  return [];
}

/** The writer may have been in another time zone, so the days before and after are included. */
function likelyFolders(home: string, id: string): string[] {
  const ms = uuidTime(id);
  if (ms === undefined) return [];
  return [...new Set([0, -1, 1].map((days) => dayFolder(home, new Date(ms + days * 86_400_000))))];
}

/** The file to continue with, of all files of one thread. */
export function currentFile(files: readonly FoundFile[]): FoundFile | undefined {
  return [...files].sort((a, b) => rank(a).localeCompare(rank(b)) || a.path.localeCompare(b.path)).at(-1);
}
/** A compressed file next to its plain twin was left by a process that died after it had decompressed it. */
const rank = (file: FoundFile): string =>
  `${file.archived ? 0 : 1}${file.segment === file.id ? "0" : `1${file.segment}`}${file.path.endsWith(".zst") ? 0 : 1}`;
