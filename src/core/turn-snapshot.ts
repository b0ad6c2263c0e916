/** What the commands of one turn change: remembered before the first of them, looked for while the model thinks, settled when the turn ends. */
import type { Log } from "./ports/log.ts";
import type { Snapshot, Snapshots } from "./ports/snapshots.ts";
import type { TurnKey, UndoStore } from "./ports/undo-store.ts";
import { stateMark } from "./undo.ts";

export interface TurnSnapshotPorts {
  readonly snapshots: Snapshots;
  readonly undo: UndoStore;
  readonly log: Log;
}

/** A look in the background comes this long after a command, and takes no more than this part of the time. */
const pauseMs = 50;
const share = 10;

export class TurnSnapshot {
  readonly #key: TurnKey;
  readonly #roots: () => readonly string[];
  readonly #ports: TurnSnapshotPorts | undefined;
  #taken: Promise<Snapshot | undefined> | undefined;
  /** Commands that run now. */
  #running = 0;
  /** Something may have changed since the last look began. */
  #isStale = false;
  #noting: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #tookMs = 0;

  /** Without ports nothing is remembered: for threads that leave nothing behind. */
  constructor(key: TurnKey, roots: () => readonly string[], ports: TurnSnapshotPorts | undefined) {
    this.#key = key;
    this.#roots = roots;
    this.#ports = ports;
  }

  /** A command is likely to come. */
  expectCommand(): void {
    if (this.#taken === undefined) this.#ports?.snapshots.warm(this.#roots());
  }

  /** Before a command that may change files; `ended` is to be called when it has ended. */
  async remember(): Promise<void> {
    if (this.#ports === undefined) return;
    this.#taken ??= this.#ports.snapshots.take(this.#roots());
    await this.#taken;
    this.#running++;
    this.#isStale = true;
  }

  ended(): void {
    if (this.#ports === undefined) return;
    this.#running--;
    this.#isStale = true;
    this.#timer ??= setTimeout(() => void this.#note(), Math.max(pauseMs, this.#tookMs * share));
  }

  /** Resolves when everything that was changed can be taken back with the turn. */
  async settle(): Promise<void> {
    if (this.#taken === undefined) return;
    await this.#noting;
    if (this.#isStale || this.#running > 0) await this.#note();
    (await this.#taken)?.close();
  }

  #note(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isStale = this.#running > 0;
    this.#noting = this.#noting.then(() => this.#keepChanges());
    return this.#noting;
  }

  /** A lost before-image costs an undo, never the command's result. */
  async #keepChanges(): Promise<void> {
    const { undo, log } = this.#ports ?? {};
    const startedAt = performance.now();
    try {
      for (const { path, before, after } of (await (await this.#taken)?.changes()) ?? []) {
        const mark = stateMark(after);
        if (before !== undefined) await undo?.keep(this.#key, path, before, mark);
        await undo?.left(this.#key, path, mark);
      }
    } catch (error) {
      log?.warn("changes of a command could not be kept for undo", { error: String(error) });
    }
    this.#tookMs = performance.now() - startedAt;
  }
}
