/** Copies a plugin's folder to the home: only files and folders, up to a limit; the old version stays until the new one is complete. */
import { chmodSync, lstatSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { firstEntriesSync } from "../lib/bounded-folder.ts";
import { readBoundedSync } from "../lib/bounded-read.ts";
import { isCode } from "../lib/system-error.ts";
import { type ContentLimits, contentLimits, maxDepth } from "./content.ts";
import { PluginProblem } from "./id.ts";

export interface Copied {
  /** Links, pipes and other special files, which were not copied. */
  readonly leftOut: readonly string[];
}

const maxNamed = 10;

/** Throws PluginProblem when it is too large; `to` then has a partial copy. */
export function copyFolder(from: string, to: string, limits: ContentLimits = contentLimits): Copied {
  const copying: Copying = { limits, leftOut: [], entries: 0, bytes: 0 };
  copyInto(from, to, copying, 0);
  return { leftOut: copying.leftOut };
}

interface Copying {
  readonly limits: ContentLimits;
  readonly leftOut: string[];
  entries: number;
  bytes: number;
}

function copyInto(from: string, to: string, copying: Copying, depth: number): void {
  const { limits, leftOut } = copying;
  if (depth > maxDepth) throw new PluginProblem(`the plugin's folders are more than ${maxDepth} deep`);
  mkdirSync(to, { recursive: true, mode: 0o755 });
  const { entries, isCut } = firstEntriesSync(from, limits.entries);
  copying.entries += entries.length;
  if (isCut || copying.entries > limits.entries) throw new PluginProblem(`the plugin has more than ${limits.entries} files and folders`);
  for (const { name } of entries) {
    const [source, target] = [path.join(from, name), path.join(to, name)];
    const stats = lstatSync(source);
    if (depth === 0 && name === ".git") continue;
    if (stats.isDirectory()) copyInto(source, target, copying, depth + 1);
    else if (stats.isFile()) copyFile(source, target, copying, (stats.mode & 0o111) !== 0);
    else if (leftOut.length < maxNamed) leftOut.push(source);
  }
}

function copyFile(source: string, target: string, copying: Copying, isProgram: boolean): void {
  try {
    const bytes = readBoundedSync(source, copying.limits.bytes - copying.bytes, { links: "refuse" });
    copying.bytes += bytes.length;
    writeFileSync(target, bytes, { flag: "wx", mode: 0o644 });
    if (isProgram) chmodSync(target, 0o755);
  } catch (error) {
    if (isCode(error, "EFBIG")) throw new PluginProblem(`the plugin's files have more than ${copying.limits.bytes} bytes`);
    throw error;
  }
}

/** Fills a new folder beside `place` and then swaps it in; the old one is restored if that fails. */
export function replaceFolder<T>(place: string, fill: (draft: string) => T): T {
  mkdirSync(path.dirname(place), { recursive: true, mode: 0o700 });
  const room = mkdtempSync(path.join(path.dirname(place), "plugin-install-"));
  try {
    const [draft, before] = [path.join(room, "new"), path.join(room, "old")];
    const made = fill(draft);
    swapFolder(draft, place, before);
    return made;
  } finally {
    rmSync(room, { recursive: true, force: true });
  }
}

/** `before` is where the current content of `place` is moved. */
export function swapFolder(draft: string, place: string, before: string): void {
  const isThere = lstatSync(place, { throwIfNoEntry: false }) !== undefined;
  if (isThere) renameSync(place, before);
  try {
    renameSync(draft, place);
  } catch (error) {
    if (isThere) renameSync(before, place);
    throw error;
  }
}
