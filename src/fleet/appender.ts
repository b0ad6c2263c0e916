/**
 * Appends records of all threads of this worker, many in one statement (`parley.append` in schema.ts). It compares holder, boot, epoch and the
 * number of the last record of each thread, so that whoever has lost a thread stores nothing. What is not known to be stored is looked up,
 * never guessed.
 */
import type { Log } from "../core/ports/log.ts";
import { ThreadLost } from "../core/ports/thread-store.ts";
import { errorMessage } from "../lib/error-text.ts";
import type { Portions } from "../lib/portions.ts";
import type { FleetCounters } from "./counters.ts";
import { type Engine, EngineUnreachable } from "./engine.ts";
import type { Held, Leases } from "./leases.ts";
import type { Membership } from "./membership.ts";
import { pauseAfter, persist } from "./persist.ts";
import type { WorkerState } from "./worker-state.ts";

/** What one call of `append` stores. */
export interface Addition {
  /** Without line ends. */
  readonly lines: readonly string[];
  /** One for each line. */
  readonly kinds: readonly string[];
  /** Undefined leaves it as it is. */
  readonly state: "idle" | "active" | undefined;
  /** Facts for lists, added to those that are known. */
  readonly head: Readonly<Record<string, unknown>> | undefined;
  readonly createdMs: number | undefined;
}

interface Waiting extends Addition {
  readonly held: Held;
  readonly since: number;
  readonly done: () => void;
  readonly fail: (error: unknown) => void;
}

/** What one statement stores of one thread. */
interface Part {
  readonly held: Held;
  readonly from: number;
  readonly waiting: readonly Waiting[];
  readonly count: number;
}

const touchEveryMs = 1000;
const maxLines = 4000;
const maxCharacters = 4 * 1024 * 1024;
/** While the engine works on one statement the next is made. */
const maxAtOnce = 2;

/** No line of JSON contains it as it is. */
const betweenParts = "\u001e";
const statement = "select id from parley.append($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) as id";

export class Appender {
  readonly #engine: Engine;
  readonly #member: Membership;
  readonly #leases: Leases;
  readonly #counters: FleetCounters;
  readonly #log: Log;
  /** In the order of their arrival. */
  #queue = new Set<Waiting>();
  /** Threads with a statement under way. */
  readonly #busy = new Set<Held>();
  #running = 0;
  #isScheduled = false;
  readonly #closed = new AbortController();

  readonly #portions: Portions;

  constructor({ engine, member, leases, counters, portions }: Pick<WorkerState, "engine" | "member" | "leases" | "counters" | "portions">) {
    this.#portions = portions;
    this.#engine = engine;
    this.#member = member;
    this.#leases = leases;
    this.#counters = counters;
    this.#log = member.options.log;
  }

  /** Resolves when it is stored. Rejects with ThreadLost, and then nothing of it is. */
  append(held: Held, addition: Addition): Promise<void> {
    if (held.lost.aborted) return Promise.reject(held.lost.reason);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#queue.add({ ...addition, held, since: performance.now(), done: resolve, fail: reject });
    held.settled = promise.then(ignore, ignore);
    this.#schedule();
    return promise;
  }

  close(): void {
    this.#closed.abort(new Error("the store is closed"));
  }

  /** Everything that is appended in one tick goes into one statement. */
  #schedule(): void {
    if (this.#isScheduled || this.#running >= maxAtOnce) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#start();
    });
  }

  #start(): void {
    const parts = this.#take();
    if (parts.length === 0) return;
    this.#running++;
    for (const { held } of parts) this.#busy.add(held);
    this.#store(parts)
      .catch((error: unknown) => {
        for (const { waiting } of parts) for (const one of waiting) one.fail(error);
      })
      .finally(() => {
        this.#running--;
        for (const { held } of parts) this.#busy.delete(held);
        if (this.#queue.size > 0) this.#schedule();
      })
      .catch(ignore);
    if (this.#queue.size > 0) this.#schedule();
  }

  #take(): Part[] {
    const byThread = new Map<Held, Waiting[]>();
    let lines = 0;
    let characters = 0;
    for (const waiting of this.#queue) {
      if (this.#busy.has(waiting.held)) continue;
      if (lines >= maxLines || characters >= maxCharacters) break;
      this.#queue.delete(waiting);
      if (waiting.held.lost.aborted) {
        waiting.fail(waiting.held.lost.reason);
        continue;
      }
      const known = byThread.get(waiting.held);
      if (known === undefined) byThread.set(waiting.held, [waiting]);
      else known.push(waiting);
      lines += waiting.lines.length;
      for (const line of waiting.lines) characters += line.length;
    }
    return [...byThread].map(([held, waiting]) => ({
      held,
      from: held.seq,
      waiting,
      count: waiting.reduce((sum, { lines: own }) => sum + own.length, 0),
    }));
  }

  async #store(parts: readonly Part[]): Promise<void> {
    let left = parts;
    for (let tries = 0; left.length > 0; tries++) {
      // An engine that answers and stores nothing, as with a full disk, is not asked without end.
      if (tries > 1) await pauseAfter(tries, this.#closed.signal);
      try {
        const stored = await this.#send(left);
        for (const part of left) this.#settle(part, stored.has(part.held.id));
        return;
      } catch (error) {
        if (error instanceof EngineUnreachable) left = await this.#lookUp(left);
        else return await this.#oneByOne(left, error);
      }
    }
  }

  async #send(parts: readonly Part[]): Promise<ReadonlySet<string>> {
    const { name, boot } = this.#member.id;
    const rows = await this.#engine.query<{ id: string }>(statement, [
      name,
      boot,
      arrayOf(parts.map(({ held }) => held.id)),
      arrayOf(parts.map(({ held }) => held.epoch)),
      arrayOf(parts.map(({ from }) => from)),
      arrayOf(parts.map(({ count }) => count)),
      arrayOf(parts.map(({ waiting }) => waiting.findLast(({ state }) => state !== undefined)?.state)),
      parts.map(({ waiting }) => headOf(waiting)),
      arrayOf(parts.map(({ waiting }) => waiting.find(({ createdMs }) => createdMs !== undefined)?.createdMs)),
      arrayOf(parts.map((part) => this.#touched(part))),
      parts.map(({ waiting }) => waiting.map(({ kinds }) => kinds.join(",")).join(",")).join(betweenParts),
      parts.map(({ waiting }) => waiting.map(({ lines }) => lines.join("\n")).join("\n")).join(betweenParts),
    ]);
    return new Set(rows.map(({ id }) => id));
  }

  /**
   * The time of the change, where it is told: at the start and end of turns, and once a second between. It is what lists are sorted by, and
   * while it stays as it is the engine need not change their indexes.
   */
  #touched({ held, waiting }: Part): number | undefined {
    const now = Date.now();
    const isTold = now - held.touchedMs >= touchEveryMs || waiting.some(({ state, head }) => state !== undefined || head !== undefined);
    if (isTold) held.touchedMs = now;
    return isTold ? now : undefined;
  }

  #settle({ held, from, count, waiting }: Part, isStored: boolean): void {
    const now = performance.now();
    if (isStored) {
      held.seq = from + count;
      for (const one of waiting) this.#counters.appended((now - one.since) / 1000, one.lines.length);
      this.#portions.add(() => {
        for (const one of waiting) one.done();
      });
      return;
    }
    this.#counters.add("fenced");
    this.#leases.drop(held);
    for (const one of waiting) one.fail(new ThreadLost(held.id));
  }

  /** The answer was lost on the way: what is in the engine decides. Returns what is certainly not stored and still ours. */
  async #lookUp(parts: readonly Part[]): Promise<readonly Part[]> {
    const { name } = this.#member.id;
    const rows = await persist(
      () =>
        this.#engine.query<{ id: string; holder: string | null; boot: string | null; epoch: string; seq: string }>(
          "select id, holder, boot, epoch, seq from parley.threads where id = any($1)",
          [parts.map(({ held }) => held.id)],
        ),
      this.#closed.signal,
    );
    const found = new Map(rows.map((row) => [row.id, row]));
    return parts.filter((part) => {
      const { held, from, count } = part;
      const row = found.get(held.id);
      const isOurs = row?.holder === name && row.boot === held.boot && Number(row.epoch) === held.epoch && !held.lost.aborted;
      if (isOurs && Number(row.seq) === from) return true;
      this.#settle(part, isOurs && Number(row.seq) === from + count);
      return false;
    });
  }

  /** One thread's records that the engine refuses must not keep those of others from being stored. */
  async #oneByOne(parts: readonly Part[], error: unknown): Promise<void> {
    const [only] = parts;
    if (parts.length === 1 && only !== undefined) {
      this.#log.error("records were refused by the fleet's engine", { threadId: only.held.id, error: errorMessage(error) });
      for (const one of only.waiting) one.fail(error);
      return;
    }
    for (const part of parts) await this.#store([part]);
  }
}

const ignore = (): void => {};

/** As the engine writes an array of numbers, ids or other words without quotes: the driver's own way looks at each character. */
const arrayOf = (values: readonly (string | number | undefined)[]): string => `{${values.map((value) => value ?? "NULL").join(",")}}`;

/** The engine's jsonb has no place for the character 0, nor for half a surrogate pair. */
function headOf(waiting: readonly Waiting[]): string | null {
  const known = waiting.flatMap(({ head }) => head ?? []);
  if (known.length === 0) return null;
  return storable(Object.assign({}, ...known));
}
export const storable = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) => (typeof inner === "string" ? inner.toWellFormed().replaceAll("\0", "\uFFFD") : inner));
