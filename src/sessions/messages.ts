/** Messages to a session: started, steered, or queued in the engine, and never delivered twice. */
import { RpcError } from "../client/client.ts";
import { errorMessage } from "../lib/error-text.ts";
import type { UserInput } from "../protocol/item.ts";
import type { QueuedSubmission } from "../protocol/thread-queue.ts";
import type { Overrides, TurnSettings } from "./controls.ts";
import { EngineDown, type EngineLink } from "./link.ts";
import type { Actor, QueuedMessage } from "./records.ts";
import { hasTurnEnded, isNotSteerable, isQueueFull, isUnsupported, NoQueue, QueueFull } from "./refusals.ts";
import { type EngineSessions, readTurns, type Session } from "./sessions.ts";

export interface Message {
  readonly messageId: string;
  readonly input: readonly UserInput[];
  readonly delivery: "auto" | "steer" | "queue";
  readonly overrides: Overrides;
  readonly by: Actor;
}
export interface Accepted {
  readonly turnId: string | null;
  readonly messageId: string;
  readonly delivery: "started" | "steered" | "queued";
}

/** Messages that were sent to the engine and have no response yet: it is unknown whether they arrived. */
export interface HandedMessages {
  has(sessionId: string, messageId: string): boolean;
  add(sessionId: string, messageId: string): void;
  delete(sessionId: string, messageId: string): void;
}

export interface MessagePorts {
  link(): EngineLink;
  readonly sessions: EngineSessions;
  readonly handed: HandedMessages;
  /** What waits in a session's engine has changed. */
  queueChanged(sessionId: string, queue: readonly QueuedMessage[]): void;
  /** A message that was accepted before, also in an earlier run. */
  accepted(sessionId: string, messageId: string): { readonly turnId: string | null } | undefined;
  accept(sessionId: string, messageId: string, turnId: string | null): void;
  /** Stores the settings that a message chooses, for its session and the following turns. */
  choose(session: Session, overrides: Overrides): void;
  /** The settings of a turn; settings that nobody chose stay as they are in the thread. */
  turnSettings(session: Session): Partial<TurnSettings>;
  /** A message or the queue could not be sent or read. */
  notSent(session: Session, reason: string): void;
  now(): number;
}

/** What waits in the engine, under the engine's id. */
interface Waiting {
  readonly id: string;
  readonly message: QueuedMessage;
}
type Author = Pick<QueuedMessage, "createdAt" | "by">;
const anotherClient: Actor = { kind: "client", name: "another client" };
/** Authors are remembered for so many messages; of older ones it is only known that somebody wrote them. */
const knownAuthors = 1000;

export class Messages {
  readonly #ports: MessagePorts;
  /** Messages that are being sent, so that a second copy waits for the first one's response. */
  readonly #underway = new Map<string, Promise<Accepted>>();

  /** The engine's queues, as last read. */
  readonly #queues = new Map<string, readonly Waiting[]>();
  /** Who wrote the messages that were queued here. */
  readonly #authors = new Map<string, Author>();

  constructor(ports: MessagePorts) {
    this.#ports = ports;
  }

  /** As last read; what was never read is read now and announced. */
  queue(sessionId: string): readonly QueuedMessage[] {
    if (!this.#queues.has(sessionId)) this.queueChanged(sessionId);
    return (this.#queues.get(sessionId) ?? []).map(({ message }) => message);
  }
  /** How many messages wait, as far as it is known. */
  count(sessionId: string): number {
    return this.#queues.get(sessionId)?.length ?? 0;
  }
  /** The engine's queue has changed. */
  queueChanged(sessionId: string): void {
    const session = this.#ports.sessions.find(sessionId);
    if (session === undefined) return;
    this.readQueue(sessionId).catch((error: unknown) => this.#ports.notSent(session, errorMessage(error)));
  }
  /** Reads the engine's queue. An engine without one has nothing waiting. */
  async readQueue(sessionId: string): Promise<readonly QueuedMessage[]> {
    const { data } = await this.#ports
      .link()
      .call("thread/queue/list", { threadId: sessionId, limit: 100 })
      .catch((error: unknown) => {
        if (isUnsupported(error)) return { data: [] };
        throw error;
      });
    const before = JSON.stringify(this.#queues.get(sessionId) ?? []);
    const waiting = data.map((submission) => this.#waitingOf(submission));
    this.#queues.set(sessionId, waiting);
    if (JSON.stringify(waiting) !== before) this.#announceQueue(sessionId);
    return waiting.map(({ message }) => message);
  }

  send(session: Session, message: Message): Promise<Accepted> {
    const { messageId } = message;
    const done = this.#ports.accepted(session.id, messageId);
    if (done === undefined) return this.#once(session.id, messageId, () => this.#hand(session, message));
    const isQueued = this.queue(session.id).some((q) => q.messageId === messageId);
    return Promise.resolve({ turnId: done.turnId, messageId, delivery: isQueued ? "queued" : "started" });
  }

  /** For a message that its sender does not store: if the engine does not accept it, it is queued. */
  async sendOrQueue(session: Session, message: Message): Promise<Accepted> {
    try {
      return await this.send(session, message);
    } catch (error) {
      this.#ports.notSent(session, errorMessage(error));
      return await this.#enqueue(session, message);
    }
  }

  /** Removes a queued message; false if it is no longer queued. */
  async take(sessionId: string, messageId: string): Promise<boolean> {
    const waiting = await this.#find(sessionId, messageId);
    if (waiting === undefined) return false;
    const { deleted } = await this.#ports.link().call("thread/queue/delete", { threadId: sessionId, queuedSubmissionId: waiting.id });
    await this.readQueue(sessionId);
    return deleted;
  }

  /** Changes a queued message; false if it is no longer queued. */
  async change(sessionId: string, messageId: string, input: readonly UserInput[]): Promise<boolean> {
    const waiting = await this.#find(sessionId, messageId);
    if (waiting === undefined) return false;
    const params = { threadId: sessionId, queuedSubmissionId: waiting.id, input: [...input] };
    await this.#ports.link().call("thread/queue/update", params);
    await this.readQueue(sessionId);
    return true;
  }

  /** Puts the queued messages in this order; false if they are not the ones that wait. */
  async reorder(sessionId: string, messageIds: readonly string[]): Promise<boolean> {
    await this.readQueue(sessionId);
    const waiting = this.#queues.get(sessionId) ?? [];
    const ids = messageIds.flatMap((wanted) => waiting.find(({ message }) => message.messageId === wanted)?.id ?? []);
    if (ids.length !== messageIds.length || new Set(ids).size !== waiting.length) return false;
    await this.#ports.link().call("thread/queue/reorder", { threadId: sessionId, queuedSubmissionIds: ids });
    await this.readQueue(sessionId);
    return true;
  }

  /** Sends a queued message at once: it starts a turn, or steers the running one. Undefined if it is no longer queued. */
  async sendNow(session: Session, messageId: string): Promise<"started" | "steered" | undefined> {
    const waiting = await this.#find(session.id, messageId);
    if (waiting === undefined) return undefined;
    await this.#ports.sessions.attach(session.id);
    if (session.activeTurnId !== null) return await this.#steerQueued(session, waiting);
    await this.#ports.link().call("thread/queue/start", { threadId: session.id, queuedSubmissionId: waiting.id });
    await this.readQueue(session.id);
    return "started";
  }

  /** Taken out of the queue before it is sent, so that it cannot be sent twice; what the turn does not take waits again. */
  async #steerQueued(session: Session, { message }: Waiting): Promise<"started" | "steered" | undefined> {
    if (session.activeTurnId === null || !(await this.take(session.id, message.messageId))) return undefined;
    const again: Message = { ...message, delivery: "queue", overrides: {} };
    try {
      const turnId = session.activeTurnId === null ? undefined : await this.#steer(session, again, session.activeTurnId);
      if (turnId !== undefined) return "steered";
      await this.#start(session, message.input, message.messageId);
      return "started";
    } catch (error) {
      await this.#enqueue(session, again);
      throw error;
    }
  }

  async #find(sessionId: string, messageId: string): Promise<Waiting | undefined> {
    if (!this.#queues.has(sessionId)) await this.readQueue(sessionId);
    return this.#queues.get(sessionId)?.find(({ message }) => message.messageId === messageId);
  }

  /** The session is gone. */
  drop(sessionId: string): void {
    this.#queues.delete(sessionId);
  }

  #once(sessionId: string, messageId: string, send: () => Promise<Accepted>): Promise<Accepted> {
    const key = `${sessionId}\n${messageId}`;
    const underway = this.#underway.get(key) ?? send().finally(() => this.#underway.delete(key));
    this.#underway.set(key, underway);
    return underway;
  }

  async #hand(session: Session, message: Message): Promise<Accepted> {
    const { sessions } = this.#ports;
    await sessions.attach(session.id);
    const earlier = await this.#arrived(session.id, message.messageId);
    if (earlier !== undefined) return this.#accept(session, message.messageId, earlier, "started");
    if (await this.#isWaiting(session.id, message.messageId)) return this.#accept(session, message.messageId, null, "queued");
    this.#ports.choose(session, message.overrides);
    if (session.activeTurnId !== null && message.delivery === "queue") return await this.#enqueue(session, message);
    try {
      const steered = session.activeTurnId === null ? undefined : await this.#steer(session, message, session.activeTurnId);
      if (steered !== undefined) return this.#accept(session, message.messageId, steered, "steered");
      return this.#accept(session, message.messageId, await this.#start(session, message.input, message.messageId), "started");
    } catch (error) {
      if (isNotSteerable(error)) return await this.#enqueue(session, message);
      throw error;
    }
  }

  /** The engine starts it when its turn has ended, with the settings of the thread: those that were chosen here are set before. */
  async #enqueue(session: Session, { messageId, input, by }: Message): Promise<Accepted> {
    const threadId = session.id;
    this.#authors.set(messageId, { createdAt: new Date(this.#ports.now()).toISOString(), by });
    for (const oldest of this.#authors.keys()) if (this.#authors.size > knownAuthors) this.#authors.delete(oldest);
    const link = this.#ports.link();
    try {
      const settings = this.#ports.turnSettings(session);
      if (Object.keys(settings).length > 0) await link.call("thread/settings/update", { threadId, ...settings });
      const params = { threadId, clientUserMessageId: messageId, input: [...input] };
      await this.#handOver(threadId, messageId, () => link.call("thread/queue/add", params));
    } catch (error) {
      if (isUnsupported(error)) throw new NoQueue("This engine keeps no messages for later: send it when the turn has ended.");
      throw isQueueFull(error) ? new QueueFull(errorMessage(error)) : error;
    }
    await this.readQueue(threadId);
    return this.#accept(session, messageId, null, "queued");
  }

  #waitingOf({ id, input, clientUserMessageId: messageId }: QueuedSubmission): Waiting {
    const text = input.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n\n");
    const author = this.#authors.get(messageId) ?? { createdAt: "", by: anotherClient };
    return { id, message: { messageId, input, text, ...author } };
  }

  /** Returns the turn that accepted the message. Undefined if that turn has ended; the message then starts the next one. */
  async #steer(session: Session, { messageId, input }: Message, expectedTurnId: string): Promise<string | undefined> {
    const params = { threadId: session.id, expectedTurnId, input: [...input], clientUserMessageId: messageId };
    try {
      return (await this.#handOver(session.id, messageId, () => this.#ports.link().call("turn/steer", params))).turnId;
    } catch (error) {
      if (hasTurnEnded(error)) return undefined;
      throw error;
    }
  }

  async #start(session: Session, input: readonly UserInput[], messageId: string): Promise<string> {
    const earlier = await this.#arrived(session.id, messageId);
    if (earlier !== undefined) return earlier;
    const params = {
      threadId: session.id,
      input: [...input],
      clientUserMessageId: messageId,
      ...this.#ports.turnSettings(session),
    };
    const { turn } = await this.#handOver(session.id, messageId, () => this.#ports.link().call("turn/start", params));
    // A short turn may have ended before the response to its start is processed.
    const seen = session.view.turns.find((view) => view.id === turn.id);
    if (seen === undefined || seen.status === "inProgress") session.activeTurnId = turn.id;
    return turn.id;
  }

  /** Records that a message is in transit before it is sent; the record stays only if it is unknown whether the message arrived. */
  async #handOver<T>(sessionId: string, messageId: string, send: () => Promise<T>): Promise<T> {
    const { handed } = this.#ports;
    if (!handed.has(sessionId, messageId)) handed.add(sessionId, messageId);
    try {
      const answer = await send();
      handed.delete(sessionId, messageId);
      return answer;
    } catch (error) {
      if (error instanceof RpcError || error instanceof EngineDown) handed.delete(sessionId, messageId);
      throw error;
    }
  }

  /** The turn that received this message in an earlier attempt whose response was lost. */
  async #arrived(sessionId: string, messageId: string): Promise<string | undefined> {
    const { handed } = this.#ports;
    if (!handed.has(sessionId, messageId)) return undefined;
    const { data } = await readTurns(this.#ports.link(), sessionId, null, 5);
    const turn = data.find(({ items }) => items.some((item) => item.type === "userMessage" && item.clientId === messageId));
    if (turn !== undefined) handed.delete(sessionId, messageId);
    return turn?.id;
  }

  /** Whether the message was queued in an earlier attempt whose response was lost. */
  async #isWaiting(sessionId: string, messageId: string): Promise<boolean> {
    if (!this.#ports.handed.has(sessionId, messageId)) return false;
    const isWaiting = (await this.readQueue(sessionId)).some((waiting) => waiting.messageId === messageId);
    if (isWaiting) this.#ports.handed.delete(sessionId, messageId);
    return isWaiting;
  }

  #accept(session: Session, messageId: string, turnId: string | null, delivery: Accepted["delivery"]): Accepted {
    this.#ports.accept(session.id, messageId, turnId);
    this.#ports.sessions.announce(session);
    return { turnId, messageId, delivery };
  }

  #announceQueue(sessionId: string): void {
    this.#ports.queueChanged(sessionId, this.queue(sessionId));
    const session = this.#ports.sessions.find(sessionId);
    if (session !== undefined) this.#ports.sessions.announce(session);
  }
}
