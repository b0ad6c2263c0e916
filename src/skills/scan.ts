/** Finds the skills under one folder, and detects cheaply whether anything under it has changed since. */
import { createHash } from "node:crypto";
import { type Dirent, realpathSync, statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { readBoundedText, UnfitFile } from "../lib/bounded-read.ts";
import { errorMessage } from "../lib/error-text.ts";
import { isInside } from "../lib/paths.ts";
import type { SkillErrorInfo, SkillMetadata } from "../protocol/skills.ts";
import { readHead } from "./front-matter.ts";

/** A folder that contains skills. */
export interface Root {
  readonly folder: string;
  readonly scope: SkillMetadata["scope"];
  /** Links may not point outside: a project could otherwise expose any of the user's files to the model. */
  readonly within?: string;
  /** The plugin that owns the skills; their names begin with the plugin's. */
  readonly plugin?: { readonly id: string; readonly name: string };
}
export type FoundSkill = Omit<SkillMetadata, "enabled">;
export interface Scan {
  readonly skills: readonly FoundSkill[];
  readonly errors: readonly SkillErrorInfo[];
  /** The digest of each skill's files, by the skill's path: of a project's skills, which the user accepts as they are. */
  readonly digests: ReadonlyMap<string, string>;
  /** The paths of skills that are shown to the model only when named. */
  readonly onlyNamed: ReadonlySet<string>;
  /** Every scanned entry, with its state. */
  readonly seen: ReadonlyMap<string, string>;
}

const maxDepth = 6;
const maxFolders = 1000;
const maxBytes = 256 * 1024;

export function isUnchanged(scan: Scan): boolean {
  for (const [file, stamp] of scan.seen) if (stampOf(file) !== stamp) return false;
  return true;
}

/** Never throws: unreadable files are listed in `errors`. */
export async function scanRoot(root: Root): Promise<Scan> {
  const seen = new Map<string, string>();
  const skills: FoundSkill[] = [];
  const errors: SkillErrorInfo[] = [];
  const digests = new Map<string, string>();
  const onlyNamed = new Set<string>();
  const visited = new Set<string>();
  const queue: [folder: string, depth: number][] = [[root.folder, 0]];
  for (let next = queue.shift(); next !== undefined && visited.size < maxFolders; next = queue.shift()) {
    const [folder, depth] = next;
    seen.set(folder, stampOf(folder));
    const real = realIfFolder(folder, root);
    if (real === undefined || visited.has(real)) continue;
    visited.add(real);
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    if (entries.some((entry) => entry.name === "SKILL.md"))
      await readSkill(path.join(folder, "SKILL.md"), root, { seen, skills, errors, digests, onlyNamed });
    if (depth < maxDepth)
      for (const entry of entries) if (isOpenFolder(entry, folder, root)) queue.push([path.join(folder, entry.name), depth + 1]);
  }
  return { skills, errors, digests, onlyNamed, seen };
}

interface Found {
  readonly seen: Map<string, string>;
  readonly skills: FoundSkill[];
  readonly errors: SkillErrorInfo[];
  readonly digests: Map<string, string>;
  readonly onlyNamed: Set<string>;
}

async function readSkill(file: string, root: Root, found: Found): Promise<void> {
  const extra = path.join(path.dirname(file), "agents", "openai.yaml");
  found.seen.set(file, stampOf(file)).set(extra, stampOf(extra));
  try {
    const [text, extraText] = [await readText(file, root), await readIfThere(extra, root)];
    const { shortDescription, interface: face, dependencies, isOnlyNamed, ...head } = await readHead(file, text, extraText);
    if (isOnlyNamed) found.onlyNamed.add(file);
    // Others need none, and node:crypto takes eight milliseconds of a first turn and two megabytes.
    if (root.scope === "repo") found.digests.set(file, skillDigest(text, extraText));
    found.skills.push({
      ...head,
      name: root.plugin === undefined ? head.name : `${root.plugin.name}:${head.name}`,
      ...(shortDescription === undefined ? {} : { shortDescription }),
      ...(face === undefined ? {} : { interface: face }),
      ...(dependencies === undefined ? {} : { dependencies }),
      path: file,
      scope: root.scope,
      pluginId: root.plugin?.id ?? null,
    });
  } catch (error) {
    found.errors.push({ path: file, message: errorMessage(error) });
  }
}

/** A skill's content for the model, with its dependencies. */
const skillDigest = (text: string, extra: string | undefined): string =>
  `sha256:${createHash("sha256")
    .update(JSON.stringify([text, extra ?? null]))
    .digest("hex")}`;

/** The text of a skill's file. Throws when it is too large, not a file, or outside its root. */
export async function readText(file: string, { within }: Pick<Root, "within">): Promise<string> {
  const real = realpathSync(file);
  if (within !== undefined && !isInside(real, within)) throw new Error("is a link that leads out of the project");
  try {
    return await readBoundedText(real, maxBytes, { links: "refuse" });
  } catch (error) {
    throw error instanceof UnfitFile ? new Error(error.reason, { cause: error }) : error;
  }
}

async function readIfThere(file: string, root: Root): Promise<string | undefined> {
  try {
    return await readText(file, root);
  } catch {
    return undefined;
  }
}

function isOpenFolder(entry: Dirent, parent: string, root: Root): boolean {
  if (entry.name.startsWith(".") || entry.name === "node_modules") return false;
  return entry.isDirectory() || (entry.isSymbolicLink() && realIfFolder(path.join(parent, entry.name), root) !== undefined);
}

function realIfFolder(folder: string, { within }: Root): string | undefined {
  try {
    const real = statSync(folder).isDirectory() ? realpathSync(folder) : undefined;
    return real !== undefined && within !== undefined && !isInside(real, within) ? undefined : real;
  } catch {
    return undefined;
  }
}

function stampOf(file: string): string {
  try {
    const found = statSync(file, { bigint: true, throwIfNoEntry: false });
    return found === undefined ? "absent" : `${found.mtimeNs}:${found.size}:${found.ino}`;
  } catch {
    return "unreadable";
  }
}
