/**
 * This worker's place in the fleet: its row, its heartbeat, and whether it can be certain that it still holds what it claimed. The row says
 * until when; only the engine's clock is compared with it. Here only elapsed time counts, from before the last confirmed heartbeat was sent.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { WorkerId } from "../core/ports/fleet.ts";
import type { Log } from "../core/ports/log.ts";
import { errorMessage } from "../lib/error-text.ts";
import { randomUuid } from "../lib/random.ts";
import { type Engine, EngineRefused, EngineUnreachable } from "./engine.ts";

/** After this long without a heartbeat a worker counts as lost. */
export const leaseMs = 3000;
/**
 * A condition of every statement that declares workers lost. On a busy machine some are back in touch with an engine that was restarted seconds
 * before others; a worker whose process has ended is noticed without it.
 */
export const engineIsSettled = "pg_postmaster_start_time() < now() - interval '6 s'";
const beatMs = 800;
const retryMs = 150;
/** A worker that was killed leaves its name behind for as long as its lease lasts. */
const nameWaitMs = leaseMs + 1500;
/** What is certain here must be certain a little longer there. */
const marginMs = 150;

export interface MemberOptions {
  readonly engine: Engine;
  readonly log: Log;
  readonly name: string;
  readonly version: string;
  readonly url: string;
  readonly linkSecret: string;
  readonly certSha256: string | null;
  readonly labels: readonly string[];
  /** Empty serves all teams. */
  readonly teams: readonly string[];
  readonly maxThreads: number | null;
}

/** Another worker of this name is in the fleet. */
export class NameTaken extends Error {}

export class Membership {
  readonly options: MemberOptions;
  #boot = randomUuid();
  #confirmedAt = Number.NEGATIVE_INFINITY;
  /** Since when the engine has answered without a long pause. */
  #inTouchSince = Number.NEGATIVE_INFINITY;
  /** How long the last heartbeat took. */
  beatSeconds = 0;
  #isDraining = false;
  #hasLeft = false;
  #timer: NodeJS.Timeout | undefined;
  #waiting: (() => void)[] = [];
  #isUnreachable = false;
  /** Called when this worker was declared lost: it holds nothing any more. Afterwards it joins as a new one. */
  onLost: () => void = () => {};
  /** Called once when the operator asks it to leave. */
  onDrain: () => void = () => {};
  /** Called when it becomes uncertain whether this worker still holds its threads, and when it is certain again. */
  onFrozen: (isFrozen: boolean) => void = () => {};
  #isFrozen = false;

  constructor(options: MemberOptions) {
    this.options = options;
  }

  get id(): WorkerId {
    return { name: this.options.name, boot: this.#boot };
  }
  get isDraining(): boolean {
    return this.#isDraining;
  }
  get hasLeft(): boolean {
    return this.#hasLeft;
  }

  /** Whether nobody can have taken this worker's threads yet. Synchronous: also right after the process was stopped and goes on. */
  get isCertain(): boolean {
    return performance.now() - this.#confirmedAt < leaseMs - marginMs;
  }
  /** Undefined while certain; else resolves when the next heartbeat was answered, with whatever it said. */
  certain(): Promise<void> | undefined {
    if (this.isCertain) return undefined;
    return new Promise((resolve) => void this.#waiting.push(resolve));
  }
  /** After an outage every worker beats first: nobody is declared lost by one that was out of touch itself. */
  get mayReap(): boolean {
    return this.isCertain && performance.now() - this.#inTouchSince >= leaseMs;
  }

  /** Throws NameTaken while another worker of this name is alive. */
  async join(): Promise<void> {
    for (const end = performance.now() + nameWaitMs; ; ) {
      const sentAt = performance.now();
      if (await this.#tryJoin()) return this.#confirm(sentAt);
      if (performance.now() > end)
        throw new NameTaken(`a worker named ${this.options.name} is in the fleet already; choose another --name, or end that one first`);
      await sleep(retryMs);
    }
  }

  /** The row of a worker that is past its time, or was lost, is taken over; its threads are nobody's from then on. */
  async #tryJoin(): Promise<boolean> {
    const { engine, name, url, linkSecret, certSha256, labels, teams, maxThreads, version } = this.options;
    const joining = engine.query<{ name: string }>(
      `with freed as (
         update parley.threads t set holder = null, boot = null, moved = 'lost' from parley.workers w
         where w.name = $1 and (w.lost or w.until < now()) and t.holder = w.name and t.boot = w.boot
       )
       insert into parley.workers as w (name, boot, url, link_secret, cert_sha256, until, labels, teams, max_threads, draining, version)
       values ($1, $2, $3, $4, $5, now() + $6::integer * interval '1 ms', $7, $8, $9, $10, $11)
       on conflict (name) do update set boot = excluded.boot, url = excluded.url, link_secret = excluded.link_secret,
         cert_sha256 = excluded.cert_sha256, until = excluded.until, labels = excluded.labels, teams = excluded.teams,
         max_threads = excluded.max_threads, draining = excluded.draining, lost = false, version = excluded.version
       where w.lost or w.until < now() or w.boot = excluded.boot
       returning name`,
      [name, this.#boot, url, linkSecret, certSha256, leaseMs, labels, teams, maxThreads, this.#isDraining, version],
    );
    const rows = await joining.catch((error: unknown): never => {
      // The row is one that this worker's role does not see.
      if (!(error instanceof EngineRefused) || !/row-level security/.test(error.message)) throw error;
      throw new NameTaken(`a worker of other teams is named ${name}; choose another --name`);
    });
    return rows.length === 1;
  }

  /** Begins to send heartbeats. */
  start(): void {
    this.#schedule(beatMs);
  }

  async drain(): Promise<void> {
    const isNew = !this.#isDraining;
    this.#isDraining = true;
    if (isNew) this.onDrain();
    await this.options.engine.query("update parley.workers set draining = true where name = $1 and boot = $2", [
      this.options.name,
      this.#boot,
    ]);
  }

  /** It holds nothing any more, and is not missed. */
  async leave(): Promise<void> {
    this.#hasLeft = true;
    clearTimeout(this.#timer);
    await this.options.engine.query("delete from parley.workers where name = $1 and boot = $2", [this.options.name, this.#boot]);
  }

  #schedule(ms: number): void {
    if (this.#hasLeft) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#beat().catch((error: unknown) => {
        this.options.log.error("a heartbeat failed", { error: errorMessage(error) });
        this.#schedule(retryMs);
      });
    }, ms);
  }

  async #beat(): Promise<void> {
    const sentAt = performance.now();
    this.#noticeFreeze();
    try {
      const rows = await this.options.engine.own<{ draining: boolean }>(
        `update parley.workers set until = now() + $3::integer * interval '1 ms' where name = $1 and boot = $2 and not lost returning draining`,
        [this.options.name, this.#boot, leaseMs],
      );
      const [row] = rows;
      if (row === undefined && !this.#hasLeft) return await this.#lost();
      this.#confirm(sentAt);
      if (row?.draining === true && !this.#isDraining) {
        this.#isDraining = true;
        this.onDrain();
      }
      this.#schedule(Math.max(0, beatMs - (performance.now() - sentAt)));
    } catch (error) {
      if (!(error instanceof EngineUnreachable)) throw error;
      if (!this.#isUnreachable) this.options.log.warn("the fleet's engine cannot be reached; trying again", { error: error.message });
      this.#isUnreachable = true;
      this.#noticeFreeze();
      this.#schedule(retryMs);
    }
  }

  #confirm(sentAt: number): void {
    if (sentAt - this.#confirmedAt > leaseMs / 2) this.#inTouchSince = sentAt;
    this.#confirmedAt = sentAt;
    this.beatSeconds = (performance.now() - sentAt) / 1000;
    if (this.#isUnreachable) this.options.log.info("the fleet's engine answers again");
    this.#isUnreachable = false;
    for (const go of this.#waiting.splice(0)) go();
    this.#noticeFreeze();
  }

  #noticeFreeze(): void {
    if (this.#isFrozen === !this.isCertain) return;
    this.#isFrozen = !this.isCertain;
    this.onFrozen(this.#isFrozen);
  }

  /** Others have declared this worker lost, as after a long stop. What it held is theirs; it begins anew. */
  async #lost(): Promise<void> {
    this.options.log.warn("this worker was declared lost: it gives up its threads and joins the fleet anew", { name: this.options.name });
    this.onLost();
    this.#boot = randomUuid();
    for (;;) {
      if (this.#hasLeft) return;
      try {
        await this.join();
        return this.#schedule(beatMs);
      } catch (error) {
        this.options.log.warn("this worker cannot join the fleet", { error: errorMessage(error) });
        await sleep(retryMs * 4);
      }
    }
  }
}
