/** Tracks the file changes of one turn's commands: a snapshot before the first, scans while the model works, a final scan when the turn ends. */
import type { Audience } from "../ports/audience.ts";
import type { Timers } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";
import type { Snapshot, Snapshots } from "../ports/snapshots.ts";
import type { TurnKey, UndoStore } from "../ports/undo-store.ts";
import { stateMark } from "./undo.ts";

export interface TurnSnapshotPorts {
  readonly snapshots: Snapshots;
  readonly undo: UndoStore;
  readonly log: Log;
  readonly audience: Pick<Audience, "toThread">;
  readonly clock: Pick<Timers, "monotonic" | "after">;
}

/** Where commands of the turn may currently write. */
export interface SnapshotScope {
  readonly roots: readonly string[];
  readonly mayWrite: boolean;
  /** What a permission profile denies is neither kept nor restored: no command of the turn can have changed it. */
  readonly isDenied?: (path: string) => boolean;
}

/** A background scan starts this long after a command, and takes at most this share of the time. */
const pauseMs = 50;
const share = 10;

export class TurnSnapshot {
  readonly #key: TurnKey;
  readonly #scope: () => SnapshotScope;
  readonly #ports: TurnSnapshotPorts | undefined;
  #taken: Promise<Snapshot | undefined> | undefined;
  /** Commands that are running. */
  #running = 0;
  /** Something may have changed since the last scan began. */
  #isStale = false;
  #noting: Promise<void> = Promise.resolve();
  #cancelNext: (() => void) | undefined;
  #tookMs = 0;
  #isSettled = false;

  /** Without ports nothing is stored: for ephemeral threads. */
  constructor(key: TurnKey, scope: () => SnapshotScope, ports: TurnSnapshotPorts | undefined) {
    this.#key = key;
    this.#scope = scope;
    this.#ports = ports;
  }

  /** The turn begins. */
  begin(): void {
    const { mayWrite, roots } = this.#scope();
    if (mayWrite) this.#ports?.snapshots.prepare(roots).catch(() => undefined); // the first command takes its snapshot itself
  }

  /** A command is likely to follow. */
  expectCommand(): void {
    const { mayWrite, roots } = this.#scope();
    if (mayWrite && this.#taken === undefined) this.#ports?.snapshots.warm(roots);
  }

  /** Call before a command that may change files. Call the returned function when the command has ended or was not started after all. */
  async remember(): Promise<() => void> {
    if (this.#ports === undefined) return () => {};
    const { roots } = this.#scope();
    const taken = this.#taken ?? this.#ports.snapshots.take(roots);
    this.#taken = taken;
    if ((await taken) === undefined && this.#taken === taken) this.#announceNone(roots, this.#ports);
    this.#running++;
    this.#isStale = true;
    return () => this.#ended();
  }

  /** A command that undo does not cover is never run without a word. The next one tries again: what was slow is read on meanwhile. */
  #announceNone(roots: readonly string[], { snapshots, audience }: TurnSnapshotPorts): void {
    this.#taken = undefined;
    const { threadId } = this.#key;
    const message = snapshots.whyNone(roots, threadId);
    if (message !== undefined) audience.toThread(threadId, "warning", { threadId, message });
  }

  #ended(): void {
    this.#running--;
    this.#isStale = true;
    if (!this.#isSettled) this.#cancelNext ??= this.#ports?.clock.after(Math.max(pauseMs, this.#tookMs * share), () => void this.#note());
  }

  /**
   * Call before the end of a command is announced: resolves when its changes can be undone with the turn, even if this
   * process dies.
   */
  async makeDurable(): Promise<void> {
    if (this.#taken === undefined || this.#isSettled) return;
    if (this.#isStale) await this.#note();
    else await this.#noting;
  }

  /** Resolves when every change can be undone with the turn. */
  async settle(): Promise<void> {
    if (this.#taken === undefined) return;
    await this.#noting;
    if (this.#isStale || this.#running > 0) await this.#note();
    this.#isSettled = true;
    (await this.#taken)?.close();
  }

  #note(): Promise<void> {
    this.#cancelNext?.();
    this.#cancelNext = undefined;
    this.#isStale = this.#running > 0;
    this.#noting = this.#noting.then(() => this.#keepChanges());
    return this.#noting;
  }

  /** A lost before-image costs an undo, never the command's result. */
  async #keepChanges(): Promise<void> {
    if (this.#ports === undefined) return;
    const { undo, log, clock } = this.#ports;
    const startedAt = clock.monotonic();
    const { isDenied } = this.#scope();
    try {
      for (const { path, before, after } of (await (await this.#taken)?.changes()) ?? []) {
        if (isDenied?.(path) === true) continue;
        const mark = stateMark(after);
        if (before !== undefined) await undo.keep(this.#key, path, before, mark);
        await undo.left(this.#key, path, mark);
      }
    } catch (error) {
      log.warn("changes of a command could not be kept for undo", { error: String(error) });
    }
    this.#tookMs = clock.monotonic() - startedAt;
  }
}
