/** Reads the lines of a thread in the engine as records, in portions, and keeps those of the thread that was read last for a moment. */
import { setImmediate } from "node:timers/promises";
import type { ThreadRecord } from "../core/ports/thread-store.ts";
import { RolloutReader } from "../store/rollout/read.ts";
import type { Query } from "./engine.ts";
import type { Leases } from "./leases.ts";

/** Lines of one query. */
const portion = 5000;
const sliceMs = 6;
const keepMs = 15_000;

interface Kept {
  readonly threadId: string;
  readonly seq: number;
  readonly records: readonly ThreadRecord[];
}

export class ThreadLog {
  readonly #query: Query;
  readonly #leases: Leases;
  readonly #team: string;
  #kept: Kept | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(query: Query, leases: Leases, team: string) {
    this.#query = query;
    this.#leases = leases;
    this.#team = team;
  }

  async read(threadId: string): Promise<readonly ThreadRecord[]> {
    const held = this.#leases.find(threadId);
    await held?.settled;
    const seq = held?.team === this.#team && !held.lost.aborted ? held.seq : await this.#lastSeq(threadId);
    if (this.#kept?.threadId === threadId && this.#kept.seq === seq) return this.#kept.records;
    const reader = new RolloutReader(threadId);
    let started = performance.now();
    for (let from = 0; from < seq; from += portion) {
      const rows = await this.#query<{ line: string }>(
        "select line from parley.log where thread = $1 and seq > $2 and seq <= $3 order by seq",
        [threadId, from, Math.min(seq, from + portion)],
      );
      for (const { line } of rows) {
        reader.take(line);
        if (performance.now() - started < sliceMs) continue;
        await setImmediate();
        started = performance.now();
      }
    }
    const records = reader.finish();
    this.#keep({ threadId, seq, records });
    return records;
  }

  /** The last lines of these kinds, newest first. */
  async lastLines(threadId: string, kinds: readonly string[], limit: number): Promise<string[]> {
    const rows = await this.#query<{ line: string }>(
      `select l.line from parley.log l join parley.threads t on t.id = l.thread
       where l.thread = $1 and t.team = $2 and l.kind = any($3::text[]) order by l.seq desc limit $4`,
      [threadId, this.#team, kinds, limit],
    );
    return rows.map(({ line }) => line);
  }

  forget(threadId: string): void {
    if (this.#kept?.threadId === threadId) this.#kept = undefined;
  }

  async #lastSeq(threadId: string): Promise<number> {
    const rows = await this.#query<{ seq: string }>("select seq from parley.threads where id = $1 and team = $2", [threadId, this.#team]);
    return Number(rows[0]?.seq ?? 0);
  }

  #keep(kept: Kept): void {
    this.#kept = kept;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#kept = undefined;
    }, keepMs).unref();
  }
}
