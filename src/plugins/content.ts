/** The digest of a plugin's whole folder, which the user's acceptance is bound to. Codex computes the same one for its hooks. */
import { createHash, type Hash } from "node:crypto";
import { type BigIntStats, lstatSync } from "node:fs";
import path from "node:path";
import { firstEntriesSync } from "../lib/bounded-folder.ts";
import { readBoundedSync } from "../lib/bounded-read.ts";
import { errorMessage } from "../lib/error-text.ts";
import { isCode } from "../lib/system-error.ts";
import { PluginProblem } from "./id.ts";

export interface Content {
  /** `sha256:…` */
  readonly digest: string;
  /** Every entry, by its path from the root, with its state. */
  readonly seen: ReadonlyMap<string, string>;
}

export interface ContentLimits {
  readonly entries: number;
  readonly bytes: number;
}
export const contentLimits: ContentLimits = { entries: 10_000, bytes: 100 * 1024 * 1024 };
export const maxDepth = 32;

/** Throws PluginProblem when the folder contains anything but files and folders, or too much. */
export function readContent(root: string, limits: ContentLimits = contentLimits): Content {
  const walk: Walk = { root, limits, hash: createHash("sha256").update("codex-plugin-bundle-v1"), seen: new Map(), bytes: 0 };
  enter(walk, "", 0);
  return { digest: `sha256:${walk.hash.digest("hex")}`, seen: walk.seen };
}

/** Checks every entry again without reading it. */
export function isUnchanged(root: string, { seen }: Content): boolean {
  for (const [name, stamp] of seen) if (stampAt(path.join(root, name)) !== stamp) return false;
  return true;
}

interface Walk {
  readonly root: string;
  readonly limits: ContentLimits;
  readonly hash: Hash;
  readonly seen: Map<string, string>;
  bytes: number;
}

function enter(walk: Walk, name: string, depth: number): void {
  const place = path.join(walk.root, name);
  const stats = statsAt(place);
  if (stats === undefined) throw new PluginProblem(`${place} cannot be read`);
  const most = walk.limits.entries;
  if (walk.seen.size >= most) throw new PluginProblem(`it has more than ${most} files and folders`);
  walk.seen.set(name, stampOf(stats));
  if (stats.isDirectory()) {
    if (depth > maxDepth) throw new PluginProblem(`its folders are more than ${maxDepth} deep`);
    describe(walk, name, "directory");
    const { entries, isCut } = firstEntriesSync(place, most);
    if (isCut) throw new PluginProblem(`it has more than ${most} files and folders`);
    const names = entries.map((entry) => entry.name).sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    for (const inner of names) enter(walk, name === "" ? inner : `${name}/${inner}`, depth + 1);
    return;
  }
  if (!stats.isFile()) throw new PluginProblem(`${place} is neither a file nor a folder, which a plugin may not have`);
  describe(walk, name, "file");
  addFile(walk, place);
}

function describe({ hash }: Walk, name: string, kind: "directory" | "file"): void {
  const bytes = Buffer.from(name);
  hash.update(lengthOf(bytes)).update(bytes).update(kind);
}

function addFile(walk: Walk, place: string): void {
  try {
    const bytes = readBoundedSync(place, walk.limits.bytes - walk.bytes, { links: "refuse" });
    walk.bytes += bytes.length;
    walk.hash.update(lengthOf(bytes)).update(bytes);
  } catch (error) {
    if (isCode(error, "EFBIG")) throw new PluginProblem(`its files have more than ${walk.limits.bytes} bytes`);
    throw new PluginProblem(errorMessage(error));
  }
}

function lengthOf(bytes: Buffer): Buffer {
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(bytes.length));
  return length;
}

function statsAt(place: string): BigIntStats | undefined {
  try {
    return lstatSync(place, { bigint: true });
  } catch {
    return undefined;
  }
}
const stampOf = (stats: BigIntStats): string => `${stats.mtimeNs}:${stats.ctimeNs}:${stats.size}:${stats.ino}`;
function stampAt(place: string): string | undefined {
  const stats = statsAt(place);
  return stats === undefined ? undefined : stampOf(stats);
}
