/**
 * The fleet as a front sees it: its workers, who holds a thread, and where a new one goes. Asks the registry anew for each decision; the
 * list that is read several times a second only shows whom to look after.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { FleetRegistry, FleetWorker, HeldThread, WorkerId } from "../core/ports/fleet.ts";
import { errorMessage } from "../lib/error-text.ts";
import { internalError, invalidRequest, type RpcError } from "../protocol/errors.ts";

export interface FleetViewOptions {
  readonly registry: FleetRegistry;
  /** Rejects with the system's error where nobody accepts a connection. */
  readonly knock: (worker: FleetWorker) => Promise<void>;
  readonly warn: (message: string, fields: Readonly<Record<string, unknown>>) => void;
}

/** What a thread needs of its worker. */
export interface Needs {
  readonly team: string;
  readonly labels: readonly string[];
}

export interface Placed {
  readonly worker: FleetWorker;
  /** Call once when the worker has answered: from then on the registry counts the thread. */
  done(): void;
}

const lookMs = 250;
/** The engine restarts in less; clients wait meanwhile. */
const patienceMs = 15_000;
/** How long a request waits for the first worker of a fleet that has none. */
const emptyMs = 5000;
const betweenTriesMs = 50;
const betweenKnocksMs = 25;
/** The registry counts as reachable for this long after its last answer. */
const aliveMs = 3000;

export const sameWorker = (one: WorkerId, other: WorkerId): boolean => one.name === other.name && one.boot === other.boot;
export const keyOf = ({ name, boot }: WorkerId): string => `${name} ${boot}`;

export class FleetView {
  readonly #options: FleetViewOptions;
  #workers: readonly FleetWorker[] = [];
  #heardAt = Number.NEGATIVE_INFINITY;
  #running: Promise<readonly FleetWorker[]> | undefined;
  #next: Promise<readonly FleetWorker[]> | undefined;
  /** Threads on their way to a worker, which its list may not count yet. */
  readonly #placing = new Map<string, number>();
  /** The workers of those that were answered since the last list was asked for: only the next one counts them for certain. */
  #answered: string[] = [];
  /** Workers whose connections ended, while it is found out whether they have. */
  readonly #suspects = new Map<string, Promise<void>>();
  readonly #end = new AbortController();
  #hasTrouble = false;
  /** Called after each look at the list. */
  onLook: (workers: readonly FleetWorker[]) => void = () => {};

  constructor(options: FleetViewOptions) {
    this.#options = options;
  }

  /** Looks at the list until `close`. */
  async watch(): Promise<void> {
    while (!this.#end.signal.aborted) {
      try {
        this.onLook(await this.fresh());
        this.#hasTrouble = false;
      } catch (error) {
        if (!this.#hasTrouble) this.#options.warn("the fleet's engine does not answer", { error: errorMessage(error) });
        this.#hasTrouble = true;
      }
      await sleep(lookMs, undefined, { signal: this.#end.signal, ref: false }).catch(() => {});
    }
  }
  close(): void {
    this.#end.abort();
  }

  /** As of the last look. */
  get workers(): readonly FleetWorker[] {
    return this.#workers;
  }
  /** Whether clients can be served. */
  get isAlive(): boolean {
    return performance.now() - this.#heardAt < aliveMs;
  }

  /** The list as it is after this call, not one that was under way. */
  fresh(): Promise<readonly FleetWorker[]> {
    this.#next ??= (this.#running ?? Promise.resolve([]))
      .catch(() => [])
      .then(() => {
        this.#next = undefined;
        this.#running = this.#read();
        return this.#running;
      });
    return this.#next;
  }

  async #read(): Promise<readonly FleetWorker[]> {
    const counted = this.#answered.splice(0);
    try {
      this.#workers = await this.#options.registry.workers();
    } catch (error) {
      this.#answered.push(...counted);
      throw error;
    }
    this.#heardAt = performance.now();
    for (const key of counted) {
      const left = (this.#placing.get(key) ?? 1) - 1;
      if (left > 0) this.#placing.set(key, left);
      else this.#placing.delete(key);
    }
    return this.#workers;
  }

  /** The worker, if it may still run something: neither lost nor another boot by now. */
  async reachable(id: WorkerId): Promise<FleetWorker | undefined> {
    const known = this.#workers.find((one) => sameWorker(one, id));
    if (known !== undefined && known.state !== "lost" && !this.#suspects.has(keyOf(id))) return known;
    await this.#suspects.get(keyOf(id));
    return (await this.#patiently(() => this.fresh())).find((one) => sameWorker(one, id) && one.state !== "lost");
  }

  /** Undefined if there is no such thread. */
  async holder(threadId: string): Promise<HeldThread | undefined> {
    return (await this.holders([threadId])).get(threadId);
  }
  holders(threadIds: readonly string[]): Promise<ReadonlyMap<string, HeldThread>> {
    return this.#patiently(() => this.#options.registry.holders(threadIds));
  }
  held(team: string): Promise<readonly string[]> {
    return this.#patiently(() => this.#options.registry.held(team));
  }

  /** The least busy worker that fits. Throws an RpcError that says what is missing. */
  async place(needs: Needs): Promise<Placed> {
    const until = performance.now() + emptyMs;
    for (;;) {
      const workers = await this.#patiently(() => this.fresh());
      const up = workers.filter((one) => one.state === "up" && !this.#suspects.has(keyOf(one)));
      const fitting = up.filter((one) => serves(one, needs.team) && missingOf(one, needs).length === 0);
      const free = fitting.filter((one) => one.maxThreads === null || this.#load(one) < one.maxThreads);
      const least = Math.min(...free.map((one) => this.#load(one)));
      const best = free.filter((one) => this.#load(one) === least);
      const worker = best[Math.floor(Math.random() * best.length)];
      if (worker !== undefined) return this.#placeOn(worker);
      if (up.length > 0 || performance.now() > until) throw whyNone(up, fitting, needs);
      await sleep(betweenTriesMs);
    }
  }

  /** Any worker that can answer what concerns no running thread; those that leave only if there are no others. */
  async any(team: string): Promise<FleetWorker> {
    const until = performance.now() + emptyMs;
    for (;;) {
      const alive = this.#workers.filter((one) => one.state !== "lost" && serves(one, team) && !this.#suspects.has(keyOf(one)));
      const staying = alive.filter(({ state }) => state === "up");
      const among = staying.length > 0 ? staying : alive;
      const worker = among[Math.floor(Math.random() * among.length)];
      if (worker !== undefined) return worker;
      if (performance.now() > until) throw invalidRequest("no worker of this fleet is up; try again later");
      await sleep(betweenTriesMs);
      await this.#patiently(() => this.fresh());
    }
  }

  /** A connection to the worker ended. Where nobody listens any more its process has ended, and its lease is not waited for. */
  suspect(worker: FleetWorker): Promise<void> {
    const key = keyOf(worker);
    const known = this.#suspects.get(key);
    if (known !== undefined) return known;
    const looking = this.#examine(worker)
      .catch((error: unknown) => this.#options.warn("a worker's lease was not ended", { worker: worker.name, error: errorMessage(error) }))
      .finally(() => this.#suspects.delete(key));
    this.#suspects.set(key, looking);
    return looking;
  }

  async #examine(worker: FleetWorker): Promise<void> {
    for (let knocks = 2; knocks > 0; knocks--) {
      const error: unknown = await this.#options.knock(worker).then(
        () => undefined,
        (refused: unknown) => refused,
      );
      const isRefused = error instanceof Error && "code" in error && error.code === "ECONNREFUSED";
      if (!isRefused) return;
      if (knocks > 1) await sleep(betweenKnocksMs);
    }
    await this.#patiently(() => this.#options.registry.expire(worker));
    await this.#patiently(() => this.fresh());
  }

  #load(worker: FleetWorker): number {
    return worker.threads + (this.#placing.get(keyOf(worker)) ?? 0);
  }

  #placeOn(worker: FleetWorker): Placed {
    const key = keyOf(worker);
    this.#placing.set(key, (this.#placing.get(key) ?? 0) + 1);
    let isDone = false;
    return {
      worker,
      done: () => {
        if (isDone) return;
        isDone = true;
        this.#answered.push(key);
      },
    };
  }

  /** An engine that restarts is waited for. */
  async #patiently<T>(ask: () => Promise<T>): Promise<T> {
    const until = performance.now() + patienceMs;
    for (;;) {
      try {
        return await ask();
      } catch (error) {
        if (performance.now() < until && !this.#end.signal.aborted) {
          await sleep(betweenTriesMs);
          continue;
        }
        this.#options.warn("the fleet's engine does not answer", { error: errorMessage(error) });
        throw internalError("the fleet's engine does not answer; try again later");
      }
    }
  }
}

export const serves = ({ teams }: FleetWorker, team: string): boolean => teams.length === 0 || teams.includes(team);
const missingOf = (worker: FleetWorker, { labels }: Needs): string[] => labels.filter((label) => !worker.labels.includes(label));

function whyNone(up: readonly FleetWorker[], fitting: readonly FleetWorker[], needs: Needs): RpcError {
  if (fitting.length > 0)
    return invalidRequest("every worker that fits runs as many threads as it may; try again later, or start another worker", {
      reason: "fleet_limit",
    });
  const serving = up.filter((one) => serves(one, needs.team));
  if (serving.length === 0) return invalidRequest("no worker of this fleet is up; try again later");
  const nowhere = needs.labels.filter((label) => serving.every((one) => !one.labels.includes(label)));
  const named = (nowhere.length > 0 ? nowhere : needs.labels).map((label) => JSON.stringify(label)).join(", ");
  return invalidRequest(
    nowhere.length > 0
      ? `no worker of this fleet has the label ${named}; start one with --label, or leave the label out of config["fleet.labels"]`
      : `no worker of this fleet has all of the labels ${named}; start one with them, or leave some out of config["fleet.labels"]`,
  );
}
