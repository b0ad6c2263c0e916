/** Messages on their way to a session: started, steered or queued, and never twice. */
import type { UserInput } from "../../../../src/protocol/item.ts";
import { choosesAnything, merged, turnSettings } from "../../../../src/sessions/controls.ts";
import type { EngineLink } from "../../../../src/sessions/link.ts";
import { hasTurnEnded, isNotSteerable } from "../../../../src/sessions/refusals.ts";
import { Refused } from "../../../web/src/connection/connection.ts";
import type { MessageOverrides, QueuedMessage } from "../../../web/src/state/model.ts";
import type { Session, Sessions } from "./sessions.ts";

export interface Message {
  readonly messageId: string;
  readonly input: readonly UserInput[];
  readonly delivery: "auto" | "steer" | "queue";
  readonly overrides: MessageOverrides;
}
export type Delivered = "started" | "steered" | "queued";

export interface MessagePorts {
  readonly link: EngineLink;
  readonly sessions: Sessions;
  queued(sessionId: string, queue: readonly QueuedMessage[]): void;
  /** Ids of messages that were taken, also in earlier runs. */
  wasTaken(messageId: string): boolean;
  taken(messageId: string): void;
  /** A queued message that could not be sent when its time came; it waits again. */
  stuck(sessionId: string, reason: string): void;
  now(): number;
}

const kept = 500;

export class Messages {
  readonly #ports: MessagePorts;
  /** By message id, so that a message whose acceptance was lost on the way is not sent a second time. */
  readonly #sent = new Map<string, Promise<Delivered>>();

  constructor(ports: MessagePorts) {
    this.#ports = ports;
  }

  send(session: Session, message: Message): Promise<Delivered> {
    const before = this.#sent.get(message.messageId);
    if (before !== undefined) return before;
    if (this.#ports.wasTaken(message.messageId)) return Promise.resolve("started");
    const handed = this.#hand(session, message);
    this.#sent.set(message.messageId, handed);
    handed.then(
      () => this.#ports.taken(message.messageId),
      () => this.#sent.delete(message.messageId),
    );
    const [oldest] = this.#sent.keys();
    if (this.#sent.size > kept && oldest !== undefined) this.#sent.delete(oldest);
    return handed;
  }

  take(session: Session, messageId: string): void {
    if (!session.queue.some((m) => m.messageId === messageId))
      throw new Refused(404, "not_found", "This message is no longer waiting.", null);
    this.#setQueue(
      session,
      session.queue.filter((m) => m.messageId !== messageId),
    );
  }

  /** A turn has ended well: the first waiting message goes out. After a stop or a failure the person decides. */
  turnCompleted(session: Session, status: string): void {
    const [next, ...rest] = session.queue;
    if (next === undefined || status !== "completed") return;
    this.#setQueue(session, rest);
    this.#start(session, next.input, next.messageId).catch((error: unknown) => {
      this.#setQueue(session, [next, ...session.queue]);
      this.#ports.stuck(session.id, error instanceof Error ? error.message : String(error));
    });
  }

  async #hand(session: Session, message: Message): Promise<Delivered> {
    const { sessions } = this.#ports;
    await sessions.attach(session.id);
    if (choosesAnything(message.overrides)) sessions.choose(session, merged(sessions.controls(session), message.overrides));
    if (session.activeTurnId !== null && message.delivery === "queue") return this.#enqueue(session, message);
    if (session.activeTurnId !== null) {
      const steered = await this.#steer(session, message, session.activeTurnId);
      if (steered !== undefined) return steered;
    }
    await this.#start(session, message.input, message.messageId);
    return "started";
  }

  #enqueue(session: Session, message: Message): Delivered {
    const text = message.input.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n\n");
    const createdAt = new Date(this.#ports.now()).toISOString();
    const entry: QueuedMessage = {
      messageId: message.messageId,
      input: [...message.input],
      text,
      createdAt,
      by: { kind: "client", name: "you" },
    };
    this.#setQueue(session, [...session.queue, entry]);
    return "queued";
  }

  /** Undefined when the turn ended meanwhile; the message then starts the next one. */
  async #steer(session: Session, message: Message, turnId: string): Promise<Delivered | undefined> {
    try {
      await this.#ports.link.call("turn/steer", {
        threadId: session.id,
        expectedTurnId: turnId,
        input: [...message.input],
        clientUserMessageId: message.messageId,
      });
      return "steered";
    } catch (error) {
      if (hasTurnEnded(error)) return undefined;
      if (isNotSteerable(error)) return this.#enqueue(session, message);
      throw error;
    }
  }

  async #start(session: Session, input: readonly UserInput[], messageId: string): Promise<void> {
    const { turn } = await this.#ports.link.call("turn/start", {
      threadId: session.id,
      input: [...input],
      clientUserMessageId: messageId,
      // What nobody chose here is left as the thread has it.
      ...(session.chosen === undefined ? {} : turnSettings(session.chosen)),
    });
    // A short turn may have ended before its own acceptance is looked at.
    const heard = session.live.turns.find((view) => view.id === turn.id);
    if (heard === undefined || heard.status === "inProgress") session.activeTurnId = turn.id;
    this.#ports.sessions.tell(session);
  }

  #setQueue(session: Session, queue: readonly QueuedMessage[]): void {
    session.queue = queue;
    this.#ports.queued(session.id, queue);
    this.#ports.sessions.tell(session);
  }
}
