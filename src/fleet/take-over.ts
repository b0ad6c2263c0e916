/**
 * What every worker does for the others: declares those lost that no longer beat, and claims their threads whose turn is unfinished. It also
 * finds claims of its own whose answer was lost on the way.
 */
import type { Log } from "../core/ports/log.ts";
import { errorMessage } from "../lib/error-text.ts";
import { EngineUnreachable } from "./engine.ts";
import type { ClaimedRow, Held } from "./leases.ts";
import { engineIsSettled } from "./membership.ts";
import { freeLost } from "./registry.ts";
import type { WorkerState } from "./worker-state.ts";

const everyMs = 250;
const compareEveryMs = 1000;
const claimedAtOnce = 16;

export interface TakeOverEvents {
  /** A thread with an unfinished turn is this worker's from here on. */
  claimed(held: Held): void;
}

export class TakeOver {
  readonly #worker: WorkerState;
  readonly #events: TakeOverEvents;
  readonly #log: Log;
  #timer: NodeJS.Timeout | undefined;
  #comparedAt = Number.NEGATIVE_INFINITY;
  #isClosed = false;

  constructor(worker: WorkerState, events: TakeOverEvents) {
    this.#worker = worker;
    this.#events = events;
    this.#log = worker.member.options.log;
  }

  start(): void {
    this.#schedule();
  }
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #schedule(): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.#round()
        .catch((error: unknown) => {
          if (!(error instanceof EngineUnreachable)) this.#log.error("the fleet was not looked after", { error: errorMessage(error) });
        })
        .finally(() => this.#schedule())
        .catch(() => {});
    }, everyMs);
  }

  async #round(): Promise<void> {
    const { member } = this.#worker;
    if (!member.isCertain || member.hasLeft) return;
    const isTimeToCompare = performance.now() - this.#comparedAt >= compareEveryMs;
    if (member.mayReap && ((await this.#declareLost()) || isTimeToCompare))
      this.#worker.counters.add("takeovers", await freeLost(this.#worker.engine.query));
    if (isTimeToCompare) {
      this.#comparedAt = performance.now();
      await this.#readLimits();
      await this.#compare();
      this.#worker.counters.set("heartbeat_seconds", member.beatSeconds);
      await this.#worker.counters.flush(this.#worker.engine.query);
    }
    while (!member.isDraining && (await this.#claim()) === claimedAtOnce);
  }

  /** Whether anybody was. */
  async #declareLost(): Promise<boolean> {
    const rows = await this.#worker.engine.query<{ name: string }>(
      `update parley.workers set lost = true where not lost and until < now() and name <> $1 and ${engineIsSettled} returning name`,
      [this.#worker.member.id.name],
    );
    for (const { name } of rows) this.#log.warn("a worker is lost", { name });
    return rows.length > 0;
  }

  async #claim(): Promise<number> {
    const { engine, member, leases } = this.#worker;
    const { labels, teams, maxThreads } = member.options;
    const { name, boot } = member.id;
    const room = maxThreads === null ? claimedAtOnce : Math.min(claimedAtOnce, maxThreads - leases.size);
    if (room <= 0) return 0;
    const rows = await engine.query<ClaimedRow>(
      `with unfinished as (
         select id from parley.threads where holder is null and state <> 'idle' and (cardinality($3::text[]) = 0 or team = any($3))
           and labels <@ $4::text[] order by updated_ms for update skip locked limit $5
       )
       update parley.threads t set holder = $1, boot = $2, epoch = t.epoch + 1 from unfinished u
       where t.id = u.id and exists (select 1 from parley.workers where name = $1 and boot = $2 and not lost and not draining)
       returning t.id, t.team, t.epoch, t.seq, t.head`,
      [name, boot, teams, labels, room],
    );
    this.#worker.counters.add("takeovers", rows.length);
    for (const row of rows) await this.#adopt(row, boot);
    return rows.length;
  }

  async #adopt(row: ClaimedRow, boot: string): Promise<void> {
    try {
      this.#events.claimed(await this.#worker.leases.adopt(row, boot));
    } catch (error) {
      this.#log.warn("a claimed thread was not taken over", { threadId: row.id, error: errorMessage(error) });
    }
  }

  /** A claim whose answer was lost is held by us without our knowledge; it is taken in a new epoch, or given up. */
  async #compare(): Promise<void> {
    const { engine, member, leases } = this.#worker;
    const { name, boot } = member.id;
    const sentAt = performance.now();
    const known = new Map(leases.all.filter(({ claimedAt }) => claimedAt < sentAt).map((held) => [held.id, held]));
    const rows = await engine.query<ClaimedRow & { readonly state: string }>(
      "select id, team, epoch, seq, head, state from parley.threads where holder = $1 and boot = $2",
      [name, boot],
    );
    const ours = new Map(rows.map((row) => [row.id, Number(row.epoch)]));
    for (const held of known.values()) {
      if (leases.find(held.id) !== held || leases.isChanging(held.id)) continue;
      if (ours.get(held.id) !== held.epoch) leases.drop(held);
    }
    for (const row of rows) {
      if (leases.find(row.id) !== undefined || leases.isChanging(row.id)) continue;
      const isWanted = row.state !== "idle" && !member.isDraining;
      const again = await engine.query<ClaimedRow>(
        `update parley.threads set epoch = epoch + 1, holder = case when $5 then holder end, boot = case when $5 then boot end,
           moved = case when $5 then moved else 'released' end
         where id = $1 and holder = $2 and boot = $3 and epoch = $4 returning id, team, epoch, seq, head`,
        [row.id, name, boot, row.epoch, isWanted],
      );
      for (const taken of isWanted ? again : []) await this.#adopt(taken, boot);
    }
  }

  async #readLimits(): Promise<void> {
    const rows = await this.#worker.engine.query<{ name: string; max_turns: number }>(
      "select name, max_turns from parley.teams where max_turns is not null",
    );
    this.#worker.turnLimits = new Map(rows.map((row) => [row.name, row.max_turns]));
  }
}
