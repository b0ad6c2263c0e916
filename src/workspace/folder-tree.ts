/** The files below a folder, without ignored ones. Listings are cached: for an unchanged folder only its timestamps are checked. */
import type { Stats } from "node:fs";
import path from "node:path";
import { firstEntriesSync } from "../lib/bounded-folder.ts";
import { findLstat, settledAfterMs } from "../lib/file-status.ts";
import type { Pace } from "../lib/pace.ts";
import {
  foldersAbove,
  isIgnored,
  isNeverListed,
  type ReadRules,
  type Rules,
  repositoryOf,
  ruleFileNames,
  rulesBelow,
  rulesReader,
} from "./ignore-rules.ts";

interface Folder {
  readonly path: string;
  /** Empty: must be read again. */
  sign: string;
  /** The rules that apply here, without the folder's own. */
  inherited: readonly Rules[];
  /** The names of the folder's own rule files. */
  ruleFiles: readonly string[];
  ruleSign: string;
  files: readonly string[];
  folders: readonly Folder[];
  /** Whether it has more entries than are read. */
  isCut: boolean;
}

/** A folder with more entries, including ignored ones, is not read completely: a million of them would block the server. */
const mostEntries = 25_000;

export class FolderTree {
  readonly #root: string;
  #top: Folder | undefined;
  #repository: string | undefined;
  #above = "";

  constructor(root: string) {
    this.#root = root;
  }

  /** The full paths of all files, or of the first ones if there are more than `limit`; undefined if a folder is too large to read. */
  async list(limit: number, pace: Pace): Promise<string[] | undefined> {
    const found: string[] = [];
    const read = await this.#prepare();
    const todo: Folder[] = this.#top === undefined ? [] : [this.#top];
    for (let next = todo.pop(); next !== undefined && found.length <= limit; next = todo.pop()) {
      if (!renew(next, read)) continue;
      if (next.isCut) return undefined;
      for (const file of next.files) found.push(file);
      todo.push(...next.folders);
      const pause = pace();
      if (pause !== undefined) await pause;
    }
    return found;
  }

  /** Starts over if the rules above the root have changed. */
  async #prepare(): Promise<Reader> {
    const repository = repositoryOf(this.#root);
    const rules = await rulesReader(repository !== undefined);
    const names = ruleFileNames(repository !== undefined);
    const folders = foldersAbove(this.#root, repository);
    const above = folders.map((folder) => ruleSignOf(folder, names)).join("|");
    if (this.#top === undefined || repository !== this.#repository || above !== this.#above)
      this.#top = newFolder(this.#root, folders.flatMap(rules));
    this.#repository = repository;
    this.#above = above;
    return { rules, names };
  }
}

interface Reader {
  readonly rules: ReadRules;
  readonly names: readonly string[];
}

const newFolder = (at: string, inherited: readonly Rules[]): Folder => ({
  path: at,
  sign: "",
  inherited,
  ruleFiles: [],
  ruleSign: "",
  files: [],
  folders: [],
  isCut: false,
});

/** False if the folder does not exist. */
function renew(folder: Folder, { rules, names }: Reader): boolean {
  const found = findLstat(folder.path);
  if (found?.isDirectory() !== true) return false;
  const sign = signOf(found);
  if (sign === folder.sign && ruleSignOf(folder.path, folder.ruleFiles) === folder.ruleSign) return true;
  const isSettled = Date.now() - Math.max(found.mtimeMs, found.ctimeMs) > settledAfterMs;
  const { entries, isCut } = firstEntriesSync(folder.path, mostEntries);
  const ruleFiles = names.filter((name) => entries.some((entry) => entry.name === name));
  const ruleSign = ruleSignOf(folder.path, ruleFiles);
  const own = ruleFiles.length === 0 ? folder.inherited : [...folder.inherited, ...rules(folder.path)];
  // If the rules changed, everything below is listed again.
  const known = ruleSign === folder.ruleSign ? new Map(folder.folders.map((child) => [child.path, child])) : undefined;
  const files: string[] = [];
  const folders: Folder[] = [];
  for (const entry of entries) {
    const isFolder = entry.isDirectory();
    if (isNeverListed(entry.name) || !(isFolder || entry.isFile())) continue;
    const whole = path.join(folder.path, entry.name);
    if (own.length > 0 && isIgnored(whole, isFolder, own)) continue;
    if (isFolder) folders.push(known?.get(whole) ?? newFolder(whole, rulesBelow(whole, own)));
    else files.push(whole);
  }
  Object.assign(folder, { sign: isSettled ? sign : "", ruleFiles, ruleSign, files, folders, isCut });
  return true;
}

const signOf = (found: Stats): string => `${found.dev}:${found.ino}:${found.mtimeMs}:${found.ctimeMs}`;

function ruleSignOf(folder: string, names: readonly string[]): string {
  if (names.length === 0) return "";
  const signs = names.map((name) => {
    const found = findLstat(path.join(folder, name));
    if (found === undefined) return "";
    // A file that was just written may be written again with the same timestamp.
    return Date.now() - found.mtimeMs > settledAfterMs ? `${signOf(found)}:${found.size}` : `${signOf(found)}:${Date.now()}`;
  });
  return signs.join(",");
}
