/** What is known of a repository's files: by the index where they are as git stored them, by their content where they are not. */
import { lstatSync, readlinkSync, type Stats } from "node:fs";
import { absent, sameState } from "../core/ports/workspace.ts";
import { readBoundedSync } from "../lib/bounded-read.ts";
import { blobId } from "../lib/diff.ts";
import { isCode } from "../lib/system-error.ts";
import type { Kept } from "./files-memory.ts";
import type { GitIndex, IndexEntry } from "./git-index.ts";

/** A file as it was found. */
export interface Found {
  readonly state: Kept;
  /** Size and timestamp, to compare what is not kept. */
  readonly sign: string;
}
/** `entry`: as git has stored it. */
export type Known = Found | { readonly entry: IndexEntry };

export interface RepositoryRules {
  readonly digest: "sha1" | "sha256";
  /** Whether the permission to execute is part of a file's state. */
  readonly hasModes: boolean;
}

export interface RepositoryLimits {
  /** How much of what differs from the index is kept. */
  readonly fileBytes: number;
  readonly totalBytes: number;
}

export class RepositoryFiles {
  readonly index: GitIndex;
  readonly #rules: RepositoryRules;
  readonly #limits: RepositoryLimits;
  readonly #differing = new Map<string, Found>();
  #left: number;
  /** Whether something that is small enough was not kept for want of room. */
  isFull = false;

  constructor(index: GitIndex, rules: RepositoryRules, limits: RepositoryLimits) {
    this.index = index;
    this.#rules = rules;
    this.#limits = limits;
    this.#left = limits.totalBytes;
  }

  /** Undefined: not there, or ignored. */
  known(name: string): Known | undefined {
    const differing = this.#differing.get(name);
    if (differing !== undefined) return differing;
    const entry = this.index.find(name);
    return entry === undefined || entry.isLeftOut || entry.kind === "submodule" ? undefined : { entry };
  }

  /** What was found now is what is known from now on. */
  learn(name: string, found: Found): void {
    this.#left += heldBytes(this.#differing.get(name)?.state);
    this.#differing.delete(name);
    const entry = this.index.find(name);
    if (entry === undefined || entry.isLeftOut ? isAbsent(found.state) : this.isAsStored(entry, found)) return;
    const bytes = heldBytes(found.state);
    const fits = bytes <= this.#left;
    this.isFull ||= !fits && bytes <= this.#limits.fileBytes;
    const isKept = fits && bytes <= this.#limits.fileBytes;
    if (isKept) this.#left -= bytes;
    this.#differing.set(name, isKept ? found : { state: "notKept", sign: found.sign });
  }

  isSame(known: Known, now: Known): boolean {
    if ("entry" in known) return "entry" in now ? isSameEntry(known.entry, now.entry) : this.isAsStored(known.entry, now);
    if ("entry" in now) return this.isAsStored(now.entry, known);
    if (known.state === "notKept" || now.state === "notKept") return known.sign === now.sign;
    return sameState(known.state, now.state);
  }

  isAsStored(entry: IndexEntry, { state, sign }: Found): boolean {
    if (state === "notKept") return sign === signOf(entry.size, entry.mtimeMs);
    if (state.kind === "link") return entry.kind === "link" && blobId(Buffer.from(state.target), this.#rules.digest) === entry.oid;
    if (state.kind !== "file" || entry.kind !== "file") return false;
    const isExecutable = (state.mode & 0o100) !== 0;
    if (this.#rules.hasModes && isExecutable !== entry.isExecutable) return false;
    return state.bytes.length === entry.size && blobId(state.bytes, this.#rules.digest) === entry.oid;
  }

  /** The names of everything known below a folder. */
  *below(folder: string): Generator<string> {
    const [from, to] = this.index.below(folder);
    for (let place = from; place < to; place++) yield this.index.pathAt(place);
    for (const name of this.#differing.keys()) if (name.startsWith(`${folder}/`)) yield name;
  }

  /** The names of which one of the two knows something else by its index, or that differ from it. */
  *differencesFrom(older: RepositoryFiles): Generator<string> {
    yield* this.index.differencesFrom(older.index);
    yield* this.#differing.keys();
    yield* older.#differing.keys();
  }
}

const isAbsent = (state: Kept): boolean => state !== "notKept" && state.kind === "absent";
const isSameEntry = (a: IndexEntry, b: IndexEntry): boolean =>
  a.oid === b.oid && a.kind === b.kind && a.isExecutable === b.isExecutable && a.isLeftOut === b.isLeftOut;
const heldBytes = (state: Kept | undefined): number =>
  state !== undefined && state !== "notKept" && state.kind === "file" ? state.bytes.length : 0;

/** What is at a path now. A larger file is known by its sign only. */
export function findNow(file: string, maxBytes: number): Found {
  let found: Stats | undefined;
  try {
    found = lstatSync(file, { throwIfNoEntry: false });
  } catch (error) {
    // Below what is not a folder any more; anything else cannot be looked at.
    return { state: isCode(error, "ENOTDIR") ? absent : "notKept", sign: "" };
  }
  if (found === undefined) return { state: absent, sign: "" };
  const sign = signOf(found.size, found.mtimeMs);
  try {
    if (found.isSymbolicLink()) return { state: { kind: "link", target: readlinkSync(file) }, sign };
    if (found.isDirectory()) return { state: { kind: "other", what: "folder" }, sign };
    if (!found.isFile()) return { state: { kind: "other", what: found.isFIFO() ? "pipe" : "device" }, sign };
    if (found.size > maxBytes) return { state: "notKept", sign };
    return { state: { kind: "file", bytes: readBoundedSync(file, maxBytes, { links: "refuse" }), mode: found.mode & 0o7777 }, sign };
  } catch {
    return { state: "notKept", sign }; // gone or replaced in the meantime, or not readable for us
  }
}

const signOf = (size: number, mtimeMs: number): string => `${size}:${Math.floor(mtimeMs)}`;
