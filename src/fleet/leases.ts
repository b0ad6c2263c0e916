/** The threads that this worker holds: claimed in the engine, known here with their epoch and the number of their last record. */
import type { Lease, OnLoss } from "../core/ports/thread-store.ts";
import { ThreadHeld, ThreadLost } from "../core/ports/thread-store.ts";
import { errorMessage } from "../lib/error-text.ts";
import { invalidRequest } from "../protocol/errors.ts";
import { parseLine } from "../store/rollout/line-records.ts";
import type { WriteContext } from "../store/rollout/write.ts";
import type { Engine } from "./engine.ts";
import type { Membership } from "./membership.ts";
import { persist } from "./persist.ts";

/** The columns of a claimed thread. The engine's numbers come as text. */
export interface ClaimedRow {
  readonly id: string;
  readonly team: string;
  readonly epoch: string;
  readonly seq: string;
  readonly head: Readonly<Record<string, unknown>> | null;
}

/** One thread that this worker holds. */
export class Held {
  readonly id: string;
  readonly team: string;
  #epoch: number;
  readonly boot: string;
  /** The number of its last stored record. */
  seq: number;
  readonly context: WriteContext;
  hasUserMessage: boolean;
  /** What the client that started it wants of a turn whose worker is lost; stored with its first record. */
  onLoss: OnLoss | undefined;
  /** When lists were last told of a change. */
  touchedMs = 0;
  /** Resolves when all that was appended is stored or refused; never rejects. */
  settled: Promise<void> = Promise.resolve();
  /** Set while it is being asked whether one more turn may begin. */
  beginning: Promise<void> | undefined;
  holders = 0;
  /** What belongs to it besides its records, by kind, as far as it was read: only the holder changes it. */
  readonly belongings = new Map<string, unknown>();
  /** How often a change of what belongs to it began or ended. */
  changes = 0;
  readonly claimedAt = performance.now();
  readonly #lost = new AbortController();
  readonly lost: AbortSignal = this.#lost.signal;

  constructor(row: ClaimedRow, boot: string, ordinal: number | undefined) {
    this.id = row.id;
    this.team = row.team;
    this.#epoch = Number(row.epoch);
    this.boot = boot;
    this.seq = Number(row.seq);
    this.hasUserMessage = row.head?.["hasUserMessage"] === true;
    const onLoss = row.head?.["onLoss"];
    this.onLoss = onLoss === "continue" || onLoss === "interrupt" ? onLoss : undefined;
    this.context = { threadId: row.id, ordinal, now: Date.now };
  }

  get epoch(): number {
    return this.#epoch;
  }
  /** The same worker has claimed it more than once: the last claim is the one that counts. */
  claimedIn(epoch: number): void {
    this.#epoch = Math.max(this.#epoch, epoch);
  }
  forgetBelongings(): void {
    this.changes++;
    this.belongings.clear();
  }
  lose(): void {
    this.#lost.abort(new ThreadLost(this.id));
  }
}

/** What the config of `thread/start` asks for. */
export interface ThreadWishes {
  readonly labels: readonly string[];
  readonly onLoss: OnLoss | undefined;
}

interface Claim {
  readonly outcome: string;
  readonly new_epoch: string;
  readonly at_seq: string;
  readonly known_head: ClaimedRow["head"];
  readonly held_by: string | null;
}

/** How many of the last lines are looked at for the number that the next one gets. */
const tailLines = 50;

export class Leases {
  readonly #engine: Engine;
  readonly #member: Membership;
  readonly #held = new Map<string, Held>();
  readonly #claiming = new Map<string, Promise<Held>>();
  readonly #releasing = new Map<string, Promise<void>>();
  /** Who had a thread when it was last asked for. */
  readonly #elsewhere = new Map<string, string>();
  readonly #closed = new AbortController();

  constructor(engine: Engine, member: Membership) {
    this.#engine = engine;
    this.#member = member;
  }

  find(threadId: string): Held | undefined {
    return this.#held.get(threadId);
  }
  get all(): readonly Held[] {
    return [...this.#held.values()];
  }
  get size(): number {
    return this.#held.size + this.#claiming.size;
  }
  holderOf(threadId: string): string | undefined {
    return this.#elsewhere.get(threadId);
  }
  /** Being claimed or released: what the engine says about it is about to change. */
  isChanging(threadId: string): boolean {
    return this.#claiming.has(threadId) || this.#releasing.has(threadId);
  }

  /** Several leases on one thread share the claim, which is given up with the last of them. */
  async lease(threadId: string, team: string, wants: ThreadWishes): Promise<Lease> {
    await this.#releasing.get(threadId);
    const held = this.#held.get(threadId) ?? (await this.#claimOnce(threadId, team, wants.labels));
    if (held.team !== team) throw new ThreadHeld("another team");
    held.onLoss ??= wants.onLoss;
    held.holders++;
    return this.#leaseOf(held);
  }

  #claimOnce(threadId: string, team: string, labels: readonly string[]): Promise<Held> {
    const claiming = this.#claiming.get(threadId) ?? this.#claim(threadId, team, labels).finally(() => this.#claiming.delete(threadId));
    this.#claiming.set(threadId, claiming);
    return claiming;
  }

  #leaseOf(held: Held): Lease {
    let released = false;
    return {
      lost: held.lost,
      onLoss: held.onLoss,
      certain: () => this.#certain(held),
      release: () => {
        if (!released) this.#release(held);
        released = true;
      },
    };
  }

  #certain(held: Held): Promise<void> | undefined {
    if (!held.lost.aborted && this.#member.isCertain) return undefined;
    return this.#untilCertain(held);
  }
  async #untilCertain(held: Held): Promise<void> {
    for (;;) {
      held.lost.throwIfAborted();
      const waiting = this.#member.certain();
      if (waiting === undefined) return;
      await waiting;
    }
  }

  async #claim(threadId: string, team: string, labels: readonly string[]): Promise<Held> {
    const { name, boot } = this.#member.id;
    const [claim] = await persist(
      () => this.#engine.query<Claim>("select * from parley.claim($1, $2, $3, $4, $5)", [threadId, team, name, boot, labels]),
      this.#closed.signal,
    );
    if (claim?.outcome !== "claimed") throw this.#refusal(claim, threadId, team);
    this.#elsewhere.delete(threadId);
    const row = { id: threadId, team, epoch: claim.new_epoch, seq: claim.at_seq, head: claim.known_head };
    return await this.adopt(row, boot);
  }

  #refusal(claim: Claim | undefined, threadId: string, team: string): Error {
    const limit = { reason: "fleet_limit" };
    switch (claim?.outcome) {
      case "team limit":
        return invalidRequest(`team ${team} has ${claim.at_seq} live threads, the most that it may have; close one first`, limit);
      case "worker limit":
        return invalidRequest(`worker ${this.#member.id.name} has ${claim.at_seq} threads, the most that it takes`, limit);
      case "labels":
        return invalidRequest(`this thread needs a worker with the labels ${claim.held_by}, which ${this.#member.id.name} does not have`);
      case "no team":
        return invalidRequest(`there is no team ${team} in this fleet`);
      default: {
        const holder = claim?.outcome === "held" ? (claim.held_by ?? "another worker") : "no worker yet: this one is leaving the fleet";
        if (this.#elsewhere.size > maxElsewhere) this.#elsewhere.clear();
        this.#elsewhere.set(threadId, holder);
        return new ThreadHeld(holder);
      }
    }
  }

  /**
   * A thread that was claimed for this worker. It may be claimed twice at once, to open it for a client and to go on with its turn; the answers
   * come in any order.
   */
  async adopt(row: ClaimedRow, boot: string): Promise<Held> {
    const ordinal = row.head?.["historyMode"] === "paginated" ? await this.#nextOrdinal(row.id) : undefined;
    const held = new Held(row, boot, ordinal);
    if (this.#member.id.boot !== boot) held.lose();
    held.lost.throwIfAborted();
    const known = this.#held.get(row.id);
    if (known?.boot === boot) {
      known.claimedIn(held.epoch);
      return known;
    }
    this.#held.set(held.id, held);
    return held;
  }
  async #nextOrdinal(threadId: string): Promise<number> {
    const rows = await persist(
      () =>
        this.#engine.query<{ line: string }>("select line from parley.log where thread = $1 order by seq desc limit $2", [
          threadId,
          tailLines,
        ]),
      this.#closed.signal,
    );
    const last = rows.map(({ line }) => parseLine(line)?.ordinal).find((ordinal) => ordinal !== undefined);
    return last === undefined ? 0 : last + 1;
  }

  /** Another worker has it, or it was deleted. */
  drop(held: Held): void {
    if (this.#held.get(held.id) === held) this.#held.delete(held.id);
    held.lose();
  }
  dropAll(): void {
    for (const held of this.all) this.drop(held);
  }

  /** Gives up a claim that nobody here has leased, such as one that could not be opened. */
  async giveUp(held: Held, state?: "idle"): Promise<void> {
    if (this.#held.get(held.id) === held) this.#held.delete(held.id);
    await this.#letGo(held, state);
  }

  #release(held: Held): void {
    if (--held.holders > 0 || this.#held.get(held.id) !== held) return;
    this.#held.delete(held.id);
    const going = this.#letGo(held)
      // What was not given up is found again by the comparison with the engine.
      .catch((error: unknown) =>
        this.#member.options.log.warn("a thread was not given up", { threadId: held.id, error: errorMessage(error) }),
      )
      .finally(() => this.#releasing.delete(held.id));
    this.#releasing.set(held.id, going);
  }

  /** One that has no record was never stored, and leaves nothing. */
  async #letGo(held: Held, state?: "idle"): Promise<void> {
    await held.settled;
    if (held.lost.aborted) return;
    const { name } = this.#member.id;
    const why = this.#member.isDraining ? "drained" : "released";
    await persist(
      () =>
        this.#engine.query(
          `with empty as (
             delete from parley.threads where id = $1 and holder = $2 and boot = $3 and epoch = $4 and seq = 0 and head is null
           )
           update parley.threads set holder = null, boot = null, moved = $5, state = coalesce($6, state)
           where id = $1 and holder = $2 and boot = $3 and epoch = $4 and (seq > 0 or head is not null)`,
          [held.id, name, held.boot, held.epoch, why, state ?? null],
        ),
      AbortSignal.any([this.#closed.signal, held.lost]),
    );
  }

  /** Resolves when everything that was released is given up. */
  async settled(): Promise<void> {
    await Promise.all(this.#releasing.values());
  }
  close(): void {
    this.#closed.abort(new Error("the store is closed"));
  }
}

const maxElsewhere = 10_000;
