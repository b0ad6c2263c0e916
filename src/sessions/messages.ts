/** Messages to a session: started, steered or queued, and never delivered twice. */
import { RpcError } from "../client/client.ts";
import { errorMessage } from "../lib/error-text.ts";
import type { UserInput } from "../protocol/item.ts";
import type { Overrides, TurnSettings } from "./controls.ts";
import { EngineDown, type EngineLink } from "./link.ts";
import type { Actor, QueuedMessage } from "./records.ts";
import { hasTurnEnded, isNotSteerable, QueueFull } from "./refusals.ts";
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
  queue(sessionId: string): readonly QueuedMessage[];
  /** Stores the queue and announces it. */
  setQueue(sessionId: string, queue: readonly QueuedMessage[]): void;
  /** A message that was accepted before, also in an earlier run. */
  accepted(sessionId: string, messageId: string): { readonly turnId: string | null } | undefined;
  accept(sessionId: string, messageId: string, turnId: string | null): void;
  /** Stores the settings that a message chooses, for its session and the following turns. */
  choose(session: Session, overrides: Overrides): void;
  /** The settings of a turn; settings that nobody chose stay as they are in the thread. */
  turnSettings(session: Session): Partial<TurnSettings>;
  /** A queued message could not be sent when it was due; it stays queued. */
  notSent(session: Session, reason: string): void;
  now(): number;
}

/** Maximum number of queued messages per session. */
const maxQueued = 100;

export class Messages {
  readonly #ports: MessagePorts;
  /** Messages that are being sent, so that a second copy waits for the first one's response. */
  readonly #underway = new Map<string, Promise<Accepted>>();

  constructor(ports: MessagePorts) {
    this.#ports = ports;
  }

  queue(sessionId: string): readonly QueuedMessage[] {
    return this.#ports.queue(sessionId);
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
      return this.#enqueue(session, message);
    }
  }

  /** Removes a queued message; false if it is no longer queued. */
  take(sessionId: string, messageId: string): boolean {
    const before = this.queue(sessionId);
    const left = before.filter((q) => q.messageId !== messageId);
    if (left.length === before.length) return false;
    this.#setQueue(sessionId, left);
    return true;
  }

  drop(sessionId: string): void {
    if (this.queue(sessionId).length > 0) this.#setQueue(sessionId, []);
  }

  /** After a turn has completed, sends the first queued message. After an interrupt or a failure the person decides. */
  turnCompleted(session: Session, status: string): void {
    const [next] = this.queue(session.id);
    if (next === undefined || status !== "completed") return;
    const { messageId, input } = next;
    // It is removed from the queue only when the engine has accepted it.
    const start = async (): Promise<Accepted> => ({ turnId: await this.#start(session, input, messageId), messageId, delivery: "started" });
    this.#once(session.id, messageId, start).then(
      () => this.take(session.id, messageId),
      (error: unknown) => this.#ports.notSent(session, errorMessage(error)),
    );
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
    this.#ports.choose(session, message.overrides);
    if (session.activeTurnId !== null && message.delivery === "queue") return this.#enqueue(session, message);
    try {
      const steered = session.activeTurnId === null ? undefined : await this.#steer(session, message, session.activeTurnId);
      if (steered !== undefined) return this.#accept(session, message.messageId, steered, "steered");
      return this.#accept(session, message.messageId, await this.#start(session, message.input, message.messageId), "started");
    } catch (error) {
      if (isNotSteerable(error)) return this.#enqueue(session, message);
      throw error;
    }
  }

  #enqueue(session: Session, message: Message): Accepted {
    if (this.queue(session.id).length >= maxQueued)
      throw new QueueFull(`${maxQueued} messages are already queued in this session; remove some or wait.`);
    const { messageId, input, by } = message;
    const text = input.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n\n");
    const entry: QueuedMessage = { messageId, input: [...input], text, createdAt: new Date(this.#ports.now()).toISOString(), by };
    this.#setQueue(session.id, [...this.queue(session.id), entry]);
    return this.#accept(session, messageId, null, "queued");
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

  #accept(session: Session, messageId: string, turnId: string | null, delivery: Accepted["delivery"]): Accepted {
    this.#ports.accept(session.id, messageId, turnId);
    this.#ports.sessions.announce(session);
    return { turnId, messageId, delivery };
  }

  #setQueue(sessionId: string, queue: readonly QueuedMessage[]): void {
    this.#ports.setQueue(sessionId, queue);
    const session = this.#ports.sessions.find(sessionId);
    if (session !== undefined) this.#ports.sessions.announce(session);
  }
}
