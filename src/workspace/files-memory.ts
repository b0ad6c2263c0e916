/** What the ways of remembering a workspace's files have in common: a scan that several callers share, and what changed since a moment. */
import type { SeenChange, Snapshot } from "../core/ports/snapshots.ts";
import { absent, type FileState } from "../core/ports/workspace.ts";

export interface FilesMemory {
  /** Whether a turn needs it, or it is being read. */
  readonly isInUse: boolean;
  /** Whether it has more than can be kept: no snapshot can be opened. */
  readonly isTooLarge: boolean;
  /** Since the last scan began. */
  readonly ageMs: number;
  /** Looks at the disk; what existed when this was called is known when it resolves. */
  refresh(): Promise<void>;
  open(): Snapshot;
  close(): void;
}

/** Calls during a scan share the next one. */
export class SharedScan {
  readonly #look: () => Promise<void>;
  #running: Promise<void> | undefined;
  #queued: Promise<void> | undefined;
  #seenAt = Number.NEGATIVE_INFINITY;

  constructor(look: () => Promise<void>) {
    this.#look = look;
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }
  get ageMs(): number {
    return performance.now() - this.#seenAt;
  }

  refresh(): Promise<void> {
    if (this.#running === undefined) return this.#start();
    this.#queued ??= this.#running
      .catch(() => undefined) // reported to whom waits for that one
      .then(() => {
        this.#queued = undefined;
        return this.#start();
      });
    return this.#queued;
  }

  #start(): Promise<void> {
    const seenAt = performance.now();
    this.#running = this.#look().finally(() => {
      this.#running = undefined;
      this.#seenAt = seenAt;
    });
    return this.#running;
  }
}

export type Kept = FileState | "notKept";
/** A function where the content is elsewhere until it is asked for. */
export type Earlier = Kept | (() => Promise<Kept>);

interface Memory {
  refresh(): Promise<void>;
  /** Undefined if there is nothing. */
  now(file: string): Kept | undefined;
  close(snapshot: OpenSnapshot): void;
}

/** What one call of `changes` holds at most: the undo store keeps no more of a turn. */
const maxBytes = 64 * 1024 * 1024;

/** What has changed since one moment. Keeps an earlier content only until it was reported. */
export class OpenSnapshot implements Snapshot {
  readonly #memory: Memory;
  readonly #before = new Map<string, Earlier>();
  readonly #reported = new Set<string>();
  readonly #fresh = new Set<string>();

  constructor(memory: Memory) {
    this.#memory = memory;
  }

  /** Undefined: there was nothing. */
  note(file: string, before: Earlier | undefined): void {
    if (!this.#reported.has(file) && !this.#before.has(file)) this.#before.set(file, before ?? absent);
    this.#fresh.add(file);
  }

  async changes(): Promise<readonly SeenChange[]> {
    await this.#memory.refresh();
    const changes: SeenChange[] = [];
    let left = maxBytes;
    for (const file of [...this.#fresh]) {
      this.#fresh.delete(file);
      const earlier = this.#before.get(file);
      const now = this.#memory.now(file);
      const loaded = typeof earlier === "function" ? (left > 0 ? await earlier() : "notKept") : earlier;
      left -= bytesOf(loaded) + bytesOf(now);
      const before = left < 0 && loaded !== undefined ? "notKept" : loaded;
      // A new file that cannot be kept: most likely build output.
      if (now === "notKept" && before !== undefined && before !== "notKept" && before.kind === "absent") continue;
      const after: FileState = now === undefined ? absent : now === "notKept" ? { kind: "other", what: "large file" } : now;
      changes.push({ path: file, before, after });
      this.#reported.add(file);
      this.#before.delete(file);
    }
    return changes;
  }

  close(): void {
    this.#memory.close(this);
  }
}

const bytesOf = (kept: Kept | undefined): number => (typeof kept === "object" && kept.kind === "file" ? kept.bytes.length : 0);
