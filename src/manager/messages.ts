/** Messages on their way to a session: started, steered or queued, and never twice. */

import { RpcError } from "../client/client.ts";
import type { UserInput } from "../protocol/item.ts";
import { choosesAnything, merged, type Overrides, turnSettings } from "../sessions/controls.ts";
import { EngineDown, type EngineLink } from "../sessions/link.ts";
import type { Actor, QueuedMessage, SessionControls } from "../sessions/records.ts";
import { hasTurnEnded, isNotSteerable } from "../sessions/refusals.ts";
import type { Hub } from "./hub.ts";
import { failure, invalid } from "./problems.ts";
import { readTurns, type Session, type Sessions } from "./sessions.ts";
import type { ManagerStore } from "./store.ts";

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

export interface MessagePorts {
  readonly hub: Hub;
  readonly store: ManagerStore;
  readonly sessions: Sessions;
  readonly link: () => EngineLink;
  now(): number;
  warn(message: string, fields: Readonly<Record<string, unknown>>): void;
}

/** Messages that wait in one session. */
const maxQueued = 100;

export class Messages {
  readonly #ports: MessagePorts;
  /** Messages that are being handed over, so that a second copy waits for the first one's answer. */
  readonly #underway = new Map<string, Promise<Accepted>>();

  constructor(ports: MessagePorts) {
    this.#ports = ports;
  }

  queue(sessionId: string): readonly QueuedMessage[] {
    return this.#ports.store.state.queues[sessionId] ?? [];
  }

  send(session: Session, message: Message): Promise<Accepted> {
    const { messageId } = message;
    const done = this.#ports.store.state.accepted.find((a) => a.messageId === messageId && a.sessionId === session.id);
    if (done !== undefined)
      return Promise.resolve({
        turnId: done.turnId,
        messageId,
        delivery: this.queue(session.id).some((q) => q.messageId === messageId) ? "queued" : "started",
      });
    const key = `${session.id}\n${messageId}`;
    const underway = this.#underway.get(key) ?? this.#hand(session, message).finally(() => this.#underway.delete(key));
    this.#underway.set(key, underway);
    return underway;
  }

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

  /** A turn has ended well: the first waiting message goes out. After a stop or a failure the person decides. */
  turnCompleted(session: Session, status: string): void {
    const [next] = this.queue(session.id);
    if (next === undefined || status !== "completed") return;
    // It leaves the queue only when the engine has it.
    this.#start(session, next.input, next.messageId, this.#ports.sessions.controls(session)).then(
      () => this.take(session.id, next.messageId),
      (error: unknown) =>
        this.#ports.warn("a queued message was not taken", {
          session: session.id,
          error: error instanceof Error ? error.message : String(error),
        }),
    );
  }

  async #hand(session: Session, message: Message): Promise<Accepted> {
    const { sessions, store } = this.#ports;
    await sessions.attach(session.id);
    const earlier = await this.#arrived(session.id, message.messageId);
    if (earlier !== undefined) return this.#accept(session, message.messageId, earlier, "started");
    const controls = merged(sessions.controls(session), message.overrides);
    if (choosesAnything(message.overrides)) store.change({ controls: { ...store.state.controls, [session.id]: controls } });
    if (session.activeTurnId !== null && message.delivery === "queue") return this.#enqueue(session, message);
    if (session.activeTurnId !== null) {
      const steered = await this.#steer(session, message, session.activeTurnId);
      if (steered !== undefined) return steered;
    }
    const turnId = await this.#start(session, message.input, message.messageId, controls);
    return this.#accept(session, message.messageId, turnId, "started");
  }

  #enqueue(session: Session, message: Message): Accepted {
    if (this.queue(session.id).length >= maxQueued)
      throw failure(409, "queue_full", `${maxQueued} messages wait in this session already; take some back or wait.`);
    const text = message.input.flatMap((p) => (p.type === "text" ? [p.text] : [])).join("\n\n");
    const entry: QueuedMessage = {
      messageId: message.messageId,
      input: [...message.input],
      text,
      createdAt: new Date(this.#ports.now()).toISOString(),
      by: message.by,
    };
    this.#setQueue(session.id, [...this.queue(session.id), entry]);
    return this.#accept(session, message.messageId, null, "queued");
  }

  /** Undefined when the turn ended meanwhile; the message then starts the next one. */
  async #steer(session: Session, message: Message, turnId: string): Promise<Accepted | undefined> {
    try {
      const steered = await this.#handOver(session.id, message.messageId, () =>
        this.#ports.link().call("turn/steer", {
          threadId: session.id,
          expectedTurnId: turnId,
          input: [...message.input],
          clientUserMessageId: message.messageId,
        }),
      );
      return this.#accept(session, message.messageId, steered.turnId, "steered");
    } catch (error) {
      if (hasTurnEnded(error)) return undefined;
      if (isNotSteerable(error)) return this.#enqueue(session, message);
      throw error;
    }
  }

  async #start(session: Session, input: readonly UserInput[], messageId: string, controls: SessionControls): Promise<string> {
    if (input.length === 0) throw invalid([{ path: "text", message: "the message is empty" }]);
    const earlier = await this.#arrived(session.id, messageId);
    if (earlier !== undefined) return earlier;
    const { turn } = await this.#handOver(session.id, messageId, () =>
      this.#ports
        .link()
        .call("turn/start", { threadId: session.id, input: [...input], clientUserMessageId: messageId, ...turnSettings(controls) }),
    );
    session.activeTurnId = turn.id;
    return turn.id;
  }

  /** Notes that a message is on its way before it goes; the note stays only when nobody can say whether it arrived. */
  async #handOver<T>(sessionId: string, messageId: string, send: () => Promise<T>): Promise<T> {
    const { store } = this.#ports;
    if (!this.#isHanded(sessionId, messageId)) store.change({ handed: [...store.state.handed, { messageId, sessionId }] });
    try {
      const answer = await send();
      this.#forgetHanded(sessionId, messageId);
      return answer;
    } catch (error) {
      if (error instanceof RpcError || error instanceof EngineDown) this.#forgetHanded(sessionId, messageId);
      throw error;
    }
  }

  /** The turn that an earlier attempt to send this message reached, where its answer was lost. */
  async #arrived(sessionId: string, messageId: string): Promise<string | undefined> {
    if (!this.#isHanded(sessionId, messageId)) return undefined;
    const { data } = await readTurns(this.#ports.link(), sessionId, null, 5);
    const turn = data.find(({ items }) => items.some((item) => item.type === "userMessage" && item.clientId === messageId));
    if (turn !== undefined) this.#forgetHanded(sessionId, messageId);
    return turn?.id;
  }

  #isHanded(sessionId: string, messageId: string): boolean {
    return this.#ports.store.state.handed.some((h) => h.messageId === messageId && h.sessionId === sessionId);
  }
  #forgetHanded(sessionId: string, messageId: string): void {
    const { store } = this.#ports;
    store.note({ handed: store.state.handed.filter((h) => h.messageId !== messageId || h.sessionId !== sessionId) });
  }

  #accept(session: Session, messageId: string, turnId: string | null, delivery: Accepted["delivery"]): Accepted {
    const { store, sessions } = this.#ports;
    store.note({ accepted: [...store.state.accepted, { messageId, sessionId: session.id, turnId }] });
    sessions.tell(session);
    return { turnId, messageId, delivery };
  }

  #setQueue(sessionId: string, queue: readonly QueuedMessage[]): void {
    const { store, hub, sessions } = this.#ports;
    const { [sessionId]: _, ...rest } = store.state.queues;
    const queues = queue.length === 0 ? rest : { ...rest, [sessionId]: [...queue] };
    // What is to be sent later must not be lost; what was sent, or shall not be, is gone whatever the disk says.
    if (queue.length > this.queue(sessionId).length) store.change({ queues });
    else store.note({ queues });
    hub.emit("queue_updated", sessionId, { sessionId, queue: [...queue] });
    const session = sessions.find(sessionId);
    if (session !== undefined) sessions.tell(session);
  }
}
