/** Which project a folder belongs to, and whether the user trusts it. Looks at names and links only; runs nothing from the folder. */
import { lstatSync, realpathSync, statSync } from "node:fs";
import path from "node:path";
import { isStandIn } from "../home/stand-in.ts";
import { readBoundedTextSync } from "../lib/bounded-read.ts";
import { isTable, type TomlTable } from "../lib/toml.ts";
import type { LookAt } from "./file-cache.ts";

export interface Project {
  /** The nearest parent folder that contains a marker and is not open to all users; the folder itself when none does. */
  readonly root: string;
  /** The root, or the main checkout of a linked worktree: worktrees share the user's decision about the repository. */
  readonly repository: string;
  /** From the root down to the folder. */
  readonly folders: readonly string[];
  /** undefined: the user has not decided. */
  readonly trust: "trusted" | "untrusted" | undefined;
}

/** `projects` must come from the user's own settings: a folder cannot make itself trusted. */
export function findProject(cwd: string, markers: readonly string[], projects: unknown, look: LookAt = (place, by) => by(place)): Project {
  const folder = look(cwd, realPath);
  const upward = ancestors(folder);
  const isMarked = (dir: string): boolean => markers.some((marker) => look(path.join(dir, marker), exists));
  const root = upward.find((dir) => isMarked(dir) && (dir === folder || !look(dir, isOpenToAll))) ?? folder;
  const folders = upward.slice(0, upward.indexOf(root) + 1).reverse();
  const main = look(root, mainRepository);
  return { root, repository: main ?? root, folders, trust: trustOf([folder, path.resolve(cwd), root, main], projects, look) };
}

/** Such as /tmp: what others put there must not become part of every project below it, nor join these into one. */
const isOpenToAll = (dir: string): boolean => ((statSync(dir, { throwIfNoEntry: false })?.mode ?? 0) & 0o002) !== 0;

function trustOf(candidates: readonly (string | undefined)[], projects: unknown, look: LookAt): Project["trust"] {
  if (!isTable(projects)) return undefined;
  const folders = candidates.filter((candidate) => candidate !== undefined);
  for (const folder of folders) {
    const level = levelOf(projects, folder);
    if (level !== undefined) return level;
  }
  // Keys may contain symlinks (/tmp on macOS); resolving them all is only worth it when none matches literally.
  const resolved = new Map(Object.keys(projects).map((key) => [look(key, realPath), key]));
  for (const folder of folders) {
    const level = levelOf(projects, resolved.get(folder) ?? folder);
    if (level !== undefined) return level;
  }
  return undefined;
}

function levelOf(projects: TomlTable, key: string): Project["trust"] {
  const entry = Object.hasOwn(projects, key) ? projects[key] : undefined;
  const level = isTable(entry) ? entry["trust_level"] : undefined;
  return level === "trusted" || level === "untrusted" ? level : undefined;
}

/** A path with a prefix before it. */
const maxPointerBytes = 8192;

/**
 * The main checkout of a linked worktree. A `.git` file can claim to belong to any repository, so the claim counts only when that
 * repository's record of the worktree points back here.
 */
function mainRepository(root: string): string | undefined {
  const link = root.endsWith(path.sep) ? `${root}.git` : `${root}${path.sep}.git`; // looked at in every turn: join() takes as long as the look
  try {
    if (lstatSync(link, { throwIfNoEntry: false })?.isFile() !== true) return undefined;
    const [, target = ""] = /^gitdir:\s*(.+?)\s*$/m.exec(readBoundedTextSync(link, maxPointerBytes)) ?? [];
    const record = realPath(path.resolve(root, target));
    const back = readBoundedTextSync(path.join(record, "gitdir"), maxPointerBytes).trim();
    if (realPath(path.resolve(record, back)) !== realPath(link)) return undefined;
    const gitDir = path.dirname(path.dirname(record));
    if (path.basename(path.dirname(record)) !== "worktrees" || path.basename(gitDir) !== ".git") return undefined;
    return path.dirname(gitDir);
  } catch {
    return undefined;
  }
}

function ancestors(folder: string): string[] {
  const found = [folder];
  for (let dir = path.dirname(folder); dir !== found.at(-1); dir = path.dirname(dir)) found.push(dir);
  return found;
}

/** The path with links resolved; the path itself where nothing exists. */
export function realPath(file: string): string {
  try {
    return realpathSync.native(file);
  } catch {
    return path.resolve(file);
  }
}

function exists(file: string): boolean {
  try {
    const found = statSync(file, { throwIfNoEntry: false });
    return found !== undefined && !isStandIn(file, found);
  } catch {
    return false;
  }
}
