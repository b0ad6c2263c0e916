/** Leases on threads: one writer per thread across all processes on one home, respecting Codex's own locks. */
import path from "node:path";
import { type Lease, ThreadHeld } from "../../core/ports/thread-store.ts";
import { isCode } from "../../lib/system-error.ts";
import { ownFolder } from "../layout.ts";
import { codexHolding } from "./codex-lock.ts";
import { acquireLock, type HeldLock, holderOf } from "./lock-file.ts";
import { ownName } from "./processes.ts";

const touchMs = 30_000;

/** The socket through which other processes on this home reach the threads that this one holds. */
export interface OfferedSocket {
  readonly name: string;
  /** Called before the first lease; it may begin to listen later. */
  offer(): void;
}

export class Leases {
  readonly #home: string;
  readonly #process = ownName();
  readonly #socket: OfferedSocket | undefined;
  readonly #held = new Map<string, { readonly lock: HeldLock; holders: number }>();
  readonly #asking = new Map<string, Promise<HeldLock>>();
  #timer: NodeJS.Timeout | undefined;

  constructor(home: string, socket?: OfferedSocket) {
    this.#home = home;
    this.#socket = socket;
  }

  /** The name of the socket of the other process that holds a thread; undefined if none does, or if it offers none. */
  socketOf(threadId: string): string | undefined {
    if (this.#held.has(threadId)) return undefined;
    const name = holderOf(this.#fileOf(threadId))?.socket ?? undefined;
    return name === this.#socket?.name ? undefined : name;
  }

  /** Several leases of one process on one thread share a lock, which is released with the last of them. */
  async lease(threadId: string, client: string): Promise<Lease> {
    const known = this.#held.get(threadId);
    if (known !== undefined) known.holders++;
    else await this.#ask(threadId, client);
    let released = false;
    return {
      release: () => {
        if (!released) this.#release(threadId);
        released = true;
      },
    };
  }

  releaseAll(): void {
    for (const { lock } of this.#held.values()) lock.release();
    this.#held.clear();
    clearInterval(this.#timer);
  }

  async #ask(threadId: string, client: string): Promise<void> {
    const asking = this.#asking.get(threadId) ?? this.#acquire(threadId, client).finally(() => this.#asking.delete(threadId));
    this.#asking.set(threadId, asking);
    const lock = await asking;
    const known = this.#held.get(threadId);
    if (known === undefined) this.#held.set(threadId, { lock, holders: 1 });
    else known.holders++;
    this.#timer ??= setInterval(() => this.#touch(), touchMs).unref();
  }

  async #acquire(threadId: string, client: string): Promise<HeldLock> {
    const lock = await this.#lockFile(threadId, client);
    if ("heldBy" in lock) throw new ThreadHeld(`pid ${lock.heldBy.pid}, ${lock.heldBy.client || "unknown client"}`);
    // Checked while holding our own lock, so that of two simultaneous processes at most one continues.
    const codex = await codexHolding(this.#home, threadId);
    if (codex === undefined) return lock;
    lock.release();
    throw new ThreadHeld(codex);
  }

  /** On a home that cannot be written there is nothing to lock: the store keeps new records in memory. */
  async #lockFile(threadId: string, client: string): ReturnType<typeof acquireLock> {
    try {
      this.#socket?.offer();
      return await acquireLock(this.#fileOf(threadId), { process: this.#process, client, socket: this.#socket?.name });
    } catch (error) {
      if (isCode(error, "EROFS", "EACCES", "EPERM", "ENOSPC", "EDQUOT", "EIO", "ENOENT", "ENOTDIR")) return { touch() {}, release() {} };
      throw error;
    }
  }

  #fileOf(threadId: string): string {
    return path.join(ownFolder(this.#home), "locks", `${threadId}.json`);
  }

  #release(threadId: string): void {
    const known = this.#held.get(threadId);
    if (known === undefined || --known.holders > 0) return;
    this.#held.delete(threadId);
    known.lock.release();
  }

  #touch(): void {
    for (const { lock } of this.#held.values()) lock.touch();
  }
}
