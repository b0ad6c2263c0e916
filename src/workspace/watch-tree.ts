/** Puts watches on every folder of a repository's working tree that its rules do not ignore. */
import path from "node:path";
import { firstEntriesSync } from "../lib/bounded-folder.ts";
import type { Pace } from "../lib/pace.ts";
import type { FolderWatches } from "./folder-watches.ts";
import { isNeverListed } from "./ignore-rules.ts";

export interface TreeRules {
  /** Whether git tracks something in the folder: then it is watched, whatever the rules say. */
  isTracked(folder: string): boolean;
  /** Which of these folders are ignored; undefined if that cannot be known. */
  ignored(folders: readonly string[]): Promise<ReadonlySet<string> | undefined>;
  /** Where the repository and the workspace begin: another folder with a `.git` of its own is another repository. */
  readonly tops: readonly string[];
}

/** A folder with more entries is not read: it would hold up the server. */
const mostEntries = 100_000;

/** Why not all folders could be watched. */
export class Unwatchable extends Error {}

export interface TreeWatching {
  readonly watches: FolderWatches;
  readonly rules: TreeRules;
  readonly pace: Pace;
  /** Gets the full path of everything that is not a folder. */
  readonly onFile?: (file: string) => void;
}

/** Each folder is watched before it is read, so that nothing appears unnoticed in between. */
export async function watchTree(folders: readonly string[], { watches, rules, pace, onFile }: TreeWatching): Promise<void> {
  let wave = await wanted(folders, rules);
  while (wave.length > 0) {
    const inside: string[] = [];
    for (const folder of wave) {
      if (!watches.add(folder)) throw new Unwatchable(`it has more folders than can be watched (${watches.count})`);
      const { entries, isCut } = firstEntriesSync(folder, mostEntries);
      if (isCut) throw new Unwatchable(`${folder} has more than ${mostEntries} entries`);
      if (!rules.tops.includes(folder) && entries.some(({ name }) => name === ".git")) {
        watches.drop(folder);
        continue;
      }
      for (const entry of entries) {
        if (isNeverListed(entry.name)) continue;
        const whole = path.join(folder, entry.name);
        if (entry.isDirectory()) inside.push(whole);
        else onFile?.(whole);
      }
      const pause = pace();
      if (pause !== undefined) await pause;
    }
    wave = await wanted(inside, rules);
  }
}

async function wanted(folders: readonly string[], { isTracked, ignored }: TreeRules): Promise<string[]> {
  const [found, others]: [string[], string[]] = [[], []];
  for (const folder of folders) (isTracked(folder) ? found : others).push(folder);
  if (others.length === 0) return found;
  const skipped = await ignored(others);
  if (skipped === undefined) throw new Unwatchable("git does not answer what is ignored");
  return [...found, ...others.filter((folder) => !skipped.has(folder))];
}
