/** What belongs to a thread besides its records and moves with it in a fleet: the messages that wait in it, and its goal. */
import type { GoalStore, StoredGoal } from "../core/ports/goal-store.ts";
import type { NewSubmission, QueueStore } from "../core/ports/queue-store.ts";
import { ThreadHeld } from "../core/ports/thread-store.ts";
import { parse } from "../lib/schema.ts";
import { QueuedSubmission } from "../protocol/thread-queue.ts";
import { isObject, listOf } from "../store/rollout/shapes.ts";
import type { Query } from "./engine.ts";
import type { Held } from "./leases.ts";
import { persist } from "./persist.ts";
import type { WorkerState } from "./worker-state.ts";

/** Only the holder changes what belongs to a thread; while nobody holds it, anybody may. */
class Belongings {
  readonly #worker: WorkerState;
  readonly #team: string;
  readonly #kind: string;
  readonly #never = new AbortController().signal;

  constructor(worker: WorkerState, team: string, kind: string) {
    this.#worker = worker;
    this.#team = team;
    this.#kind = kind;
  }

  async read(threadId: string): Promise<unknown> {
    const held = this.#heldOf(threadId);
    if (held?.belongings.has(this.#kind) === true) return held.belongings.get(this.#kind);
    const before = held?.changes;
    const value = await this.#readStored(threadId);
    // Where it was changed meanwhile this may be the value before.
    if (held?.changes === before) held?.belongings.set(this.#kind, value);
    return value;
  }
  /** As long as this worker holds the thread nobody else changes what belongs to it. */
  #heldOf(threadId: string): Held | undefined {
    const held = this.#worker.leases.find(threadId);
    return held === undefined || held.team !== this.#team || held.lost.aborted ? undefined : held;
  }
  async #readStored(threadId: string): Promise<unknown> {
    const rows = await this.#worker.query<{ value: unknown }>(
      "select b.value from parley.belongings b join parley.threads t on t.id = b.thread where b.thread = $1 and b.kind = $2 and t.team = $3",
      [threadId, this.#kind, this.#team],
    );
    return rows[0]?.value;
  }

  /** Reads, decides and writes with no other worker in between. `next` returns what to store: undefined removes it, the same value leaves it. */
  async change<T>(threadId: string, next: (value: unknown) => { readonly value: unknown; readonly result: T }): Promise<T> {
    const held = this.#heldOf(threadId);
    const changing = () => this.#worker.engine.transaction((query) => this.#changeIn(query, threadId, next));
    held?.forgetBelongings();
    try {
      return await persist(changing, held?.lost ?? this.#never);
    } finally {
      held?.forgetBelongings();
    }
  }

  async #changeIn<T>(
    query: Query,
    threadId: string,
    next: (value: unknown) => { readonly value: unknown; readonly result: T },
  ): Promise<T> {
    const { name, boot } = this.#worker.member.id;
    const [thread] = await query<{ holder: string | null; boot: string | null }>(
      "select holder, boot from parley.threads where id = $1 and team = $2 for update",
      [threadId, this.#team],
    );
    if (thread !== undefined && thread.holder !== null && (thread.holder !== name || thread.boot !== boot))
      throw new ThreadHeld(thread.holder);
    const at = [threadId, this.#kind];
    const [row] = await query<{ value: unknown }>("select value from parley.belongings where thread = $1 and kind = $2", at);
    const { value, result } = next(row?.value);
    if (value === row?.value || thread === undefined) return result;
    if (value === undefined) await query("delete from parley.belongings where thread = $1 and kind = $2", at);
    else
      await query(
        `insert into parley.belongings (thread, kind, value) values ($1, $2, $3)
         on conflict (thread, kind) do update set value = excluded.value`,
        [...at, JSON.stringify(value)],
      );
    return result;
  }
}

export function createSharedQueue(worker: WorkerState, team: string, newId: () => string): QueueStore {
  const stored = new Belongings(worker, team, "queue");
  const change = <T>(
    threadId: string,
    next: (queue: readonly QueuedSubmission[]) => { readonly queue?: readonly QueuedSubmission[]; readonly result: T },
  ): Promise<T> =>
    stored.change(threadId, (value) => {
      const { queue, result } = next(submissionsIn(value));
      return { value: queue === undefined ? value : queue.length === 0 ? undefined : queue, result };
    });
  return {
    list: async (threadId) => submissionsIn(await stored.read(threadId)),
    add(threadId, submission: NewSubmission, most) {
      const added: QueuedSubmission = {
        id: newId(),
        input: [...submission.input],
        clientUserMessageId: submission.clientUserMessageId,
      };
      return change(threadId, (queue) => (queue.length >= most ? { result: undefined } : { queue: [...queue, added], result: added }));
    },
    update: (threadId, id, input) =>
      change(threadId, (queue) => {
        const known = queue.find((one) => one.id === id);
        if (known === undefined) return { result: undefined };
        const updated = { ...known, input: [...input] };
        return { queue: queue.map((one) => (one === known ? updated : one)), result: updated };
      }),
    remove: (threadId, id) =>
      change(threadId, (queue) => {
        const rest = queue.filter((one) => one.id !== id);
        return rest.length === queue.length ? { result: false } : { queue: rest, result: true };
      }),
    reorder: (threadId, ids) =>
      change(threadId, (queue) => {
        if (JSON.stringify(queue.map(({ id }) => id).toSorted()) !== JSON.stringify([...ids].toSorted())) return { result: false };
        return { queue: ids.flatMap((id) => queue.find((one) => one.id === id) ?? []), result: true };
      }),
    clear: (threadId) => change(threadId, () => ({ queue: [], result: undefined })),
    // Only the holder changes a queue, and it announces that itself.
    changedByOthers: async () => [],
  };
}

const submissionsIn = (value: unknown): readonly QueuedSubmission[] => listOf(value).flatMap((one) => parse(QueuedSubmission, one) ?? []);

export function createSharedGoals(worker: WorkerState, team: string): GoalStore {
  const stored = new Belongings(worker, team, "goal");
  return {
    read: async (threadId) => goalIn(await stored.read(threadId)),
    change: (threadId, next) =>
      stored.change(threadId, (value) => {
        const goal = goalIn(value);
        const changed = next(goal);
        return { value: changed === undefined || changed === goal ? value : changed, result: changed ?? goal };
      }),
    remove: (threadId) => stored.change(threadId, (value) => ({ value: undefined, result: goalIn(value) !== undefined })),
  };
}

/** Written by a worker of this fleet; one of another version may have written something else. */
const goalIn = (value: unknown): StoredGoal | undefined =>
  isObject(value) && typeof value["goalId"] === "string" && typeof value["status"] === "string"
    ? (value as unknown as StoredGoal)
    : undefined;
