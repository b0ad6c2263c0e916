/**
 * Determines what stays read-only inside the writable roots: `.git` and everything it refers to, `.codex`, `.agents`, the server's own
 * program, and start-up files of a home.
 */
import { readdirSync, type Stats } from "node:fs";
import path from "node:path";
import { readBoundedTextSync } from "../../lib/bounded-read.ts";
import { findLstat, findRealPath, findRealPathIfAny } from "../../lib/file-status.ts";
import { homeEntries } from "../../lib/home-entries.ts";
import { foldersBetween, isInside, isInsideAny } from "../../lib/paths.ts";

import { isPlaceholder } from "./placeholders.ts";

/** Names that determine what git, this server or an agent will run later. */
export const protectedNames = [".git", ".codex", ".agents"] as const;

const agentNames = [".codex", ".agents"];

export interface Protection {
  /** Existing paths that stay read-only. */
  readonly readOnly: readonly string[];
  /** Paths that do not exist and must not be created. */
  readonly missing: readonly string[];
}

export interface ProtectionInput {
  readonly named: readonly string[];
  /** Names that stay read-only in the named roots, in addition to those that always do. */
  readonly names?: readonly string[] | undefined;
  readonly temporary: readonly string[];
  /** Further paths that stay read-only in the roots, or must not be created there. */
  readonly further?: readonly string[] | undefined;
  /** What was found deeper inside the named roots: protected names, bare repositories, folders that are protected as a whole. */
  readonly nested: readonly string[];
  readonly userHome: string | undefined;
  /** The server's own program files. */
  readonly program: readonly string[];
  /** Whether what was found at a path is only a placeholder for a missing name. */
  isStandIn?(file: string, found: Stats): boolean;
}

export type ProtectionResult = { readonly refused: string } | (Protection & { readonly temporary: readonly string[] });

/** Only reads, changes nothing. `temporary` is returned without the folders that cannot be protected. */
export function protect(input: ProtectionInput): ProtectionResult {
  const entries = new Map<string, Stats | undefined>();
  const entryAt = (file: string): Stats | undefined => {
    if (!entries.has(file)) entries.set(file, findLstat(file));
    return entries.get(file);
  };
  const isLinked = (file: string): boolean => entryAt(file)?.isSymbolicLink() === true;
  const temporary = input.temporary.filter((root) => protectedNames.every((name) => !isLinked(path.join(root, name))));
  const roots = [...input.named, ...temporary];
  const found = new Collector(roots, input.isStandIn ?? isPlaceholder, entryAt);
  for (const root of roots) {
    if (entryAt(root)?.isDirectory() !== true) continue;
    const further = input.named.includes(root) ? (input.names ?? []) : [];
    for (const name of [...protectedNames, ...further]) {
      const at = path.join(root, name);
      if (isLinked(at))
        return {
          refused: `${at} is a symlink. Commands could replace it, so none may write beside it: make it a real folder (for git: a file with "gitdir: …"), or use the read-only or danger-full-access mode`,
        };
      found.addEntry(at, entryAt(at));
    }
    found.addRepository(path.join(root, ".git"));
    if (input.userHome !== undefined && isInside(input.userHome, root))
      for (const name of presentEntries(input.userHome)) found.addExisting(path.join(input.userHome, name));
  }
  for (const file of input.further ?? []) found.add(file);
  for (const file of input.program) if (isInsideAny(file, roots)) found.addPresent(file);
  for (const nested of input.nested) {
    const entry = findLstat(nested);
    if (entry === undefined) continue;
    if (entry.isSymbolicLink()) {
      found.addExisting(nested);
      continue;
    }
    found.addEntry(nested, entry);
    if (!agentNames.includes(path.basename(nested))) found.addRepository(nested);
  }
  return { readOnly: [...found.readOnly], missing: [...found.missing], temporary };
}

/** Most homes have few of them: listing the home once is cheaper than checking each. */
function presentEntries(home: string): readonly string[] {
  let names: readonly string[];
  try {
    names = readdirSync(home);
  } catch {
    return homeEntries; // It cannot be listed, but entries with known names may be accessible.
  }
  return homeEntries.filter((entry) => names.includes(entry.split("/", 1)[0] ?? entry));
}

const isLink = (file: string): boolean => findLstat(file)?.isSymbolicLink() === true;

class Collector {
  readonly readOnly = new Set<string>();
  readonly missing = new Set<string>();
  readonly #roots: readonly string[];
  readonly #isStandIn: (file: string, found: Stats) => boolean;
  /** What is at a path; each is looked at once for a command. */
  readonly #entryAt: (file: string) => Stats | undefined;

  constructor(roots: readonly string[], isStandIn: (file: string, found: Stats) => boolean, entryAt: (file: string) => Stats | undefined) {
    this.#roots = roots;
    this.#isStandIn = isStandIn;
    this.#entryAt = entryAt;
  }

  /** Only paths in a writable root need protection; everything else is read-only anyway. A root that is named explicitly stays writable. */
  add(file: string): void {
    this.addEntry(file, findLstat(file));
  }

  addPresent(file: string): void {
    const entry = findLstat(file);
    if (entry !== undefined) this.addEntry(file, entry);
  }

  addEntry(file: string, entry: Stats | undefined): void {
    if (this.#roots.includes(file) || !isInsideAny(file, this.#roots)) return;
    if (entry !== undefined) {
      // A placeholder, of another command or of a server that was killed, still counts as missing.
      (this.#isStandIn(file, entry) ? this.missing : this.readOnly).add(file);
      return;
    }
    // The parents may be missing too: a placeholder for the outermost missing folder blocks everything below it.
    let at = file;
    while (this.#entryAt(path.dirname(at)) === undefined) at = path.dirname(at);
    this.missing.add(at);
  }

  addExisting(file: string): void {
    const real = findRealPathIfAny(file);
    if (real !== undefined) this.add(real);
  }

  /**
   * What a `.git` refers to: the folder named in a `gitdir:` file, the common folder of a worktree, hooks and config that are links or
   * elsewhere.
   */
  addRepository(git: string): void {
    if (this.missing.has(git)) return;
    const folder = this.#entryAt(git)?.isFile() === true ? this.#followed(git, "gitdir:") : git;
    if (folder === undefined) return;
    const common = this.#followed(path.join(folder, "commondir"), "");
    const top = path.basename(git) === ".git" ? path.dirname(git) : git;
    for (const base of common === undefined ? [folder] : [folder, common])
      for (const name of ["hooks", "config", "config.worktree", "info"]) {
        const at = path.join(base, name);
        if (isLink(at)) this.addExisting(at);
        if (name.startsWith("config")) for (const hooks of hooksPaths(at)) this.add(realOf(path.resolve(top, hooks)));
      }
  }

  #followed(pointer: string, prefix: string): string | undefined {
    const text = readPointer(pointer);
    if (text === undefined || !text.startsWith(prefix)) return undefined;
    const target = path.resolve(path.dirname(pointer), text.slice(prefix.length).trim());
    const real = realOf(target);
    this.add(real);
    return real;
  }
}

/** A `.git` or `commondir` file is one short line. */
function readPointer(file: string): string | undefined {
  if (findLstat(file)?.isFile() !== true) return undefined;
  try {
    return readBoundedTextSync(file, 8192, { links: "refuse" }).trim();
  } catch {
    return undefined;
  }
}

/** Where a repository's config locates its hooks, if not in its own folder: `core.hooksPath`, in each of its spellings. */
function hooksPaths(config: string): readonly string[] {
  const text = readSettings(config);
  if (!/hookspath/i.test(text)) return [];
  return [...text.matchAll(/^[ \t]*(?:\[[^\]\n]*\][ \t]*)?hookspath[ \t]*=[ \t]*("(?:[^"\\\n]|\\.)*"|[^\n#;]*)/gim)].flatMap(
    ([, value = ""]) => {
      const plain = value
        .trim()
        .replace(/^"(.*)"$/, "$1")
        .replaceAll(/\\(.)/g, "$1");
      return plain === "" || plain.startsWith("~") ? [] : [plain];
    },
  );
}

function readSettings(config: string): string {
  try {
    return readBoundedTextSync(config, maxSettings);
  } catch {
    return ""; // missing, or a file that git would not read either
  }
}
const maxSettings = 256 * 1024;

const realOf = (file: string): string => findRealPath(file) ?? realOfMissing(file);

function realOfMissing(file: string): string {
  const parent = path.dirname(file);
  if (parent === file) return file;
  return path.join(findRealPath(parent) ?? realOfMissing(parent), path.basename(file));
}

/**
 * Folders between a root and what must stay unchanged inside it. Mounted onto themselves they cannot be renamed, so that a protected path
 * cannot be moved away with one of its parents.
 */
export function pinnedFolders(roots: readonly string[], held: Iterable<string>): string[] {
  const pinned = new Set<string>();
  for (const file of held)
    for (const root of roots)
      if (isInside(file, root) && file !== root) for (const folder of foldersBetween(root, file)) pinned.add(folder);
  return [...pinned];
}
