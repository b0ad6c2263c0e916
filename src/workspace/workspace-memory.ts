/**
 * The last known state of the files of one workspace: contents of small ones, size and timestamps of all. Shared by the turns that run in
 * it.
 */
import { closeSync, readlinkSync, readSync, type Stats } from "node:fs";
import type { Snapshot } from "../core/ports/snapshots.ts";
import { type FileState, sameState } from "../core/ports/workspace.ts";
import { openRegularSync } from "../lib/bounded-read.ts";
import { findLstat, settledAfterMs } from "../lib/file-status.ts";
import { createPace, type Pace } from "../lib/pace.ts";
import { isInside } from "../lib/paths.ts";
import { type FilesMemory, OpenSnapshot, SharedScan } from "./files-memory.ts";
import { FolderTree } from "./folder-tree.ts";

export interface SnapshotLimits {
  readonly files: number;
  readonly fileBytes: number;
  readonly totalBytes: number;
}

/** A file as it was last read. */
interface Seen {
  readonly ino: number;
  readonly size: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  readonly mode: number;
  readonly state: FileState | "notKept";
  /** False if it had changed so recently that another change could have the same timestamp. */
  readonly isSettled: boolean;
}

/** Work between two pauses: a large workspace must not delay other streams. */
const stretchMs = 2;

export class WorkspaceMemory implements FilesMemory {
  readonly #trees: readonly FolderTree[];
  readonly #limits: SnapshotLimits;
  readonly #known = new Map<string, Seen>();
  readonly #open = new Set<OpenSnapshot>();
  readonly #scan = new SharedScan(() => this.#look());
  #left: number;
  isTooLarge = false;
  /** Whether something that is small enough was not kept for want of room. */
  isFull = false;

  constructor(roots: readonly string[], limits: SnapshotLimits) {
    const outer = roots.filter((root, i) => !roots.some((other, j) => isInside(root, other) && (other !== root || j < i)));
    this.#trees = outer.map((root) => new FolderTree(root));
    this.#limits = limits;
    this.#left = limits.totalBytes;
  }

  get isInUse(): boolean {
    return this.#open.size > 0 || this.#scan.isRunning;
  }
  get ageMs(): number {
    return this.#scan.ageMs;
  }

  refresh(): Promise<void> {
    return this.#scan.refresh();
  }

  open(): Snapshot {
    const opened = new OpenSnapshot({
      refresh: () => this.refresh(),
      now: (file) => this.#known.get(file)?.state,
      close: (snapshot) => this.#open.delete(snapshot),
    });
    this.#open.add(opened);
    return opened;
  }

  async #look(): Promise<void> {
    const pace = createPace(stretchMs, 16);
    const listed = new Set<string>();
    let isCut = false;
    for (const tree of this.#trees) {
      const files = await tree.list(this.#limits.files, pace);
      for (const file of files ?? []) listed.add(file);
      isCut ||= files === undefined;
    }
    this.isTooLarge = isCut || listed.size > this.#limits.files;
    if (this.isTooLarge && this.#open.size === 0) return this.#forget();
    let room = this.#limits.files;
    for (const file of listed) if (this.#known.has(file) || room-- > 0) await this.#lookAt(file, pace);
    for (const file of this.#known.keys()) if (!listed.has(file)) await this.#lookAt(file, pace);
  }

  async #lookAt(file: string, pace: Pace): Promise<void> {
    const pause = pace();
    if (pause !== undefined) await pause;
    const before = this.#known.get(file);
    const found = findLstat(file);
    if (found !== undefined && before?.isSettled === true && isSame(before, found)) return;
    const seen = found === undefined ? undefined : this.#see(file, found, before);
    this.#left += heldBytes(before) - heldBytes(seen);
    if (seen === undefined) this.#known.delete(file);
    else this.#known.set(file, seen);
    if (hasChanged(before, seen)) for (const snapshot of this.#open) snapshot.note(file, before?.state);
  }

  #see(file: string, found: Stats, before: Seen | undefined): Seen | undefined {
    const room = Math.min(this.#limits.fileBytes, this.#left + heldBytes(before));
    try {
      if (found.isSymbolicLink()) return seenAs(found, { kind: "link", target: readlinkSync(file) });
      if (found.isFile() && found.size <= room) return readSeen(file, room);
      this.isFull ||= found.isFile() && found.size <= this.#limits.fileBytes;
    } catch {
      // Gone in the meantime, or not readable for us.
    }
    return seenAs(found, "notKept");
  }

  close(): void {
    this.#forget();
  }

  #forget(): void {
    this.#known.clear();
    this.#left = this.#limits.totalBytes;
  }
}

/** A file may have been replaced by something else a moment ago. The timestamps are those of the file that was read. */
function readSeen(file: string, maxBytes: number): Seen | undefined {
  const { fd, stats: found } = openRegularSync(file, { links: "refuse" });
  try {
    if (found.size > maxBytes) return seenAs(found, "notKept");
    const bytes = Buffer.allocUnsafeSlow(found.size);
    let at = 0;
    for (let read = -1; read !== 0 && at < bytes.length; at += read) read = readSync(fd, bytes, at, bytes.length - at, at);
    return seenAs(found, { kind: "file", bytes: bytes.subarray(0, at), mode: found.mode & 0o7777 });
  } finally {
    closeSync(fd);
  }
}

function seenAs({ ino, size, mtimeMs, ctimeMs, mode }: Stats, state: Seen["state"]): Seen {
  return { ino, size, mtimeMs, ctimeMs, mode, state, isSettled: Date.now() - Math.max(mtimeMs, ctimeMs) > settledAfterMs };
}

const isSame = (seen: Seen, found: Stats): boolean =>
  seen.mtimeMs === found.mtimeMs &&
  seen.ctimeMs === found.ctimeMs &&
  seen.size === found.size &&
  seen.ino === found.ino &&
  seen.mode === found.mode;

/** Compares contents if they are kept; otherwise size and timestamp. */
function hasChanged(before: Seen | undefined, now: Seen | undefined): boolean {
  if (before === undefined || now === undefined) return before !== now;
  if (before.state !== "notKept" && now.state !== "notKept") return !sameState(before.state, now.state);
  return before.state !== now.state || before.size !== now.size || before.mtimeMs !== now.mtimeMs || before.ino !== now.ino;
}

const heldBytes = (seen: Seen | undefined): number =>
  seen !== undefined && seen.state !== "notKept" && seen.state.kind === "file" ? seen.state.bytes.length : 0;
