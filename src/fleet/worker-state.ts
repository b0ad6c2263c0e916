/** What the parts of one worker share: its place in the fleet, the threads that it holds, and the one that stores their records. */
import { ThreadLost } from "../core/ports/thread-store.ts";
import { Portions } from "../lib/portions.ts";
import { invalidRequest } from "../protocol/errors.ts";
import { Appender } from "./appender.ts";
import { FleetCounters } from "./counters.ts";
import type { Engine, Query } from "./engine.ts";
import { type Held, Leases } from "./leases.ts";
import type { Membership } from "./membership.ts";
import { persist } from "./persist.ts";

/** A read that the engine did not answer by then fails. */
const patienceMs = 15_000;

export class WorkerState {
  readonly engine: Engine;
  readonly member: Membership;
  readonly leases: Leases;
  readonly counters: FleetCounters;
  /** What comes in bursts: requests of fronts, and what waits for a statement that stores records of many threads. */
  readonly portions = new Portions();
  readonly appender: Appender;
  /** The most turns at once of each team that has a limit; undefined until it is known. */
  turnLimits: ReadonlyMap<string, number> | undefined;

  constructor(engine: Engine, member: Membership) {
    this.engine = engine;
    this.member = member;
    this.leases = new Leases(engine, member);
    this.counters = new FleetCounters(member.id.name);
    this.appender = new Appender(this);
  }

  /** A statement about a thread that compares its claim: `$1` to `$4` are its id, this worker, its boot and the epoch. No row means lost. */
  async fenced<Row extends object>(held: Held, text: string, values: readonly unknown[] = []): Promise<Row[]> {
    const { name } = this.member.id;
    const rows = await persist(() => this.engine.query<Row>(text, [held.id, name, held.boot, held.epoch, ...values]), held.lost);
    if (rows.length > 0) return rows;
    this.leases.drop(held);
    throw new ThreadLost(held.id);
  }

  /** For reads: waits a while for an engine that restarts. */
  readonly query: Query = (text, values) => persist(() => this.engine.query(text, values), AbortSignal.timeout(patienceMs));

  limitsTurns(team: string): boolean {
    return this.turnLimits === undefined || this.turnLimits.has(team);
  }
  /** Refuses a turn beyond the team's limit. */
  async beginTurn(held: Held): Promise<void> {
    const beginning = this.#beginTurn(held);
    held.beginning = beginning.catch(() => {});
    try {
      await beginning;
    } finally {
      held.beginning = undefined;
    }
  }
  async #beginTurn(held: Held): Promise<void> {
    const [row] = await this.fenced<{ answer: string }>(held, "select parley.begin_turn($1, $2, $3, $4) as answer");
    if (row?.answer === "begun") return;
    if (row?.answer !== "lost")
      throw invalidRequest(`team ${held.team} runs ${row?.answer} turns at once, the most that it may; wait until one has ended`, {
        reason: "fleet_limit",
      });
    this.leases.drop(held);
    throw new ThreadLost(held.id);
  }

  close(): void {
    this.leases.close();
    this.appender.close();
  }
}
