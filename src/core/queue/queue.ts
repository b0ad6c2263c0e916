/** One queue of messages for each thread, for all clients: the next one starts a turn when the thread is idle. Serves server/thread-queue.ts. */
import { errorMessage } from "../../lib/error-text.ts";
import type { OrderedRuns } from "../../lib/ordered-runs.ts";
import { byThread } from "../../protocol/define.ts";
import { invalidRequest } from "../../protocol/errors.ts";
import type { UserInput } from "../../protocol/item.ts";
import { mostQueued, type QueuedSubmission } from "../../protocol/thread-queue.ts";
import type { Audience } from "../ports/audience.ts";
import type { Timers } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";
import type { NewSubmission, QueueStore } from "../ports/queue-store.ts";
import type { Surroundings } from "../ports/surroundings.ts";
import type { LiveThread } from "../thread/thread.ts";
import { isThreadId, type Threads } from "../thread/threads.ts";
import type { LiveTurn } from "../turn/live-turn.ts";

export interface QueuePorts {
  readonly store: QueueStore;
  readonly threads: () => Threads;
  readonly audience: Pick<Audience, "toThread">;
  readonly images: Pick<Surroundings, "imageDataUrl">;
  readonly clock: Pick<Timers, "after">;
  readonly log: Log;
  /** In the same order as the clients' requests for the thread. */
  readonly runs: OrderedRuns;
  /** Called for an idle thread in which nothing waits. */
  readonly otherwise: (thread: LiveThread) => Promise<void>;
  /** Called before a turn that starts by itself, as before one that a client starts. */
  readonly announce: (thread: LiveThread) => void;
}

/** How often the queue is checked for what other processes did to it, and for threads that were opened meanwhile. */
const checkMs = 1_000;
/** All that may wait in one thread, images included. */
const mostBytes = 64 * 1024 * 1024;

export class SubmissionQueue {
  readonly #ports: QueuePorts;
  /** Stored threads opened since the last check. Their queue waits until then, so that the client's own first message comes before it. */
  readonly #opened = new Set<string>();
  #isChecking = false;

  constructor(ports: QueuePorts) {
    this.#ports = ports;
  }

  async list(threadId: string): Promise<readonly QueuedSubmission[]> {
    const waiting = await this.#ports.store.list(threadId);
    const thread = this.#ports.threads().find(threadId);
    return thread === undefined ? waiting : waiting.filter(({ id }) => id !== thread.loadedTurnId);
  }

  async add(threadId: string, submission: NewSubmission): Promise<QueuedSubmission> {
    const input = await this.#withImages(submission.input);
    const waiting = await this.list(threadId);
    if (sizeOf(input) + waiting.reduce((sum, other) => sum + sizeOf(other.input), 0) > mostBytes)
      throw invalidRequest(`the messages that wait in this thread may have ${mostBytes / 1024 / 1024} MiB together; remove some or wait`);
    const added = await this.#ports.store.add(threadId, { ...submission, input }, mostQueued);
    if (added === undefined) throw invalidRequest(`queue cannot contain more than ${mostQueued} submissions`);
    return added;
  }

  async update(threadId: string, id: string, input: readonly UserInput[]): Promise<QueuedSubmission> {
    const updated = await this.#ports.store.update(threadId, id, await this.#withImages(input));
    if (updated === undefined) throw notFound(id);
    return updated;
  }

  delete(threadId: string, id: string): Promise<boolean> {
    return this.#ports.store.remove(threadId, id);
  }

  async reorder(threadId: string, ids: readonly string[]): Promise<void> {
    if (!(await this.#ports.store.reorder(threadId, ids)))
      throw invalidRequest("queue reorder must include every queued submission exactly once");
  }

  /** The thread was deleted. */
  clear(threadId: string): Promise<void> {
    return this.#ports.store.clear(threadId);
  }

  /** Notifies the thread's subscribers. */
  announce(threadId: string): void {
    this.#ports.audience.toThread(threadId, "thread/queue/changed", { threadId });
  }

  /** Starts a turn with one of the waiting messages, by default the next. Call `begin` after the response has been sent. */
  async start(thread: LiveThread, id: string | null | undefined): Promise<{ turn: LiveTurn; begin: () => void }> {
    const waiting = await this.list(thread.id);
    const chosen = id ? waiting.find((other) => other.id === id) : waiting[0];
    if (chosen === undefined) throw id ? notFound(id) : invalidRequest("queue is empty");
    if (thread.turn !== undefined) throw invalidRequest("thread already has an active or pending turn");
    return await this.#startWith(thread, chosen);
  }

  /** Starts the next message if the thread is idle and was not interrupted. Resolves to whether it did. */
  async startNext(thread: LiveThread): Promise<boolean> {
    if (thread.turn !== undefined || thread.wasInterrupted || thread.readOnlyBecause !== undefined) return false;
    // A script's process ends with its turn: what waits stays for somebody who opens the thread.
    if (!thread.clients.isInteractive || this.#ports.threads().find(thread.id) !== thread) return false;
    const [next] = await this.list(thread.id);
    if (next === undefined || thread.turn !== undefined) return false;
    this.#ports.announce(thread);
    const { begin } = await this.#startWith(thread, next);
    begin();
    return true;
  }

  /** Starts what is next in the thread, in order with its requests. */
  whenIdle(thread: LiveThread, before: () => Promise<void> = async () => {}): void {
    const failed = (error: unknown): void =>
      this.#ports.log.warn("a waiting message could not be started", { threadId: thread.id, error: errorMessage(error) });
    Promise.resolve(
      this.#ports.runs.run(byThread({ threadId: thread.id }), async () => {
        await before();
        if (!(await this.startNext(thread))) await this.#ports.otherwise(thread);
      }),
    ).catch(failed);
  }

  loaded(thread: LiveThread): void {
    if (thread.isStored) this.#opened.add(thread.id);
    this.#check();
  }

  async #startWith(
    thread: LiveThread,
    { id, input, clientUserMessageId }: QueuedSubmission,
  ): Promise<{ turn: LiveTurn; begin: () => void }> {
    await thread.readyToWrite();
    // The turn has the message's id: should the process be killed right after the message was stored, the next one knows by it.
    const own = isThreadId(id) ? { id } : {};
    const { turn, accepted, begin } = thread.startTurn({ content: input, clientId: clientUserMessageId }, {}, own);
    await accepted;
    const removed = await this.#ports.store.remove(thread.id, id).catch((error: unknown) => {
      this.#ports.log.error("a started message could not be removed from the queue", { threadId: thread.id, error: errorMessage(error) });
      return false;
    });
    if (removed) this.announce(thread.id);
    return { turn, begin };
  }

  /** Checks again and again while threads are loaded. */
  #check(): void {
    if (this.#isChecking) return;
    this.#isChecking = true;
    this.#ports.clock.after(checkMs, () => {
      this.#isChecking = false;
      this.#checkNow()
        .catch((error: unknown) => this.#ports.log.warn("the queue could not be read", { error: errorMessage(error) }))
        .finally(() => (this.#ports.threads().ids.length > 0 ? this.#check() : undefined));
    });
  }

  async #checkNow(): Promise<void> {
    const changed = await this.#ports.store.changedByOthers();
    const opened = [...this.#opened];
    this.#opened.clear();
    for (const thread of this.#ports.threads().all) {
      const isOpened = opened.includes(thread.id);
      if (isOpened) await this.#forgetStarted(thread);
      if (changed.includes(thread.id) || (isOpened && (await this.list(thread.id)).length > 0)) this.announce(thread.id);
      else if (!isOpened) continue;
      this.whenIdle(thread);
    }
  }

  /** Removes what a process started that was killed before it could do this itself. */
  async #forgetStarted({ id, loadedTurnId }: LiveThread): Promise<void> {
    const waiting = loadedTurnId === undefined ? [] : await this.#ports.store.list(id);
    if (loadedTurnId !== undefined && waiting.some((other) => other.id === loadedTurnId)) await this.#ports.store.remove(id, loadedTurnId);
  }

  /** Images are read when the message is queued: their files may be gone when it starts. */
  async #withImages(input: readonly UserInput[]): Promise<UserInput[]> {
    return await Promise.all(
      input.map(async (part): Promise<UserInput> => {
        if (part.type !== "localImage") return part;
        try {
          return { type: "image", url: await this.#ports.images.imageDataUrl(part.path), detail: part.detail ?? null };
        } catch (error) {
          throw invalidRequest(`local queued attachment is invalid: ${errorMessage(error)}`);
        }
      }),
    );
  }
}

const notFound = (id: string): Error => invalidRequest(`queued submission not found: ${id}`);
const sizeOf = (input: readonly UserInput[]): number => JSON.stringify(input).length;
