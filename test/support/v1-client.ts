/** A client of the older conversation API on a raw connection: checks every event against the protocol tables, and waits for turns to end. */
import assert from "node:assert/strict";
import { problem } from "../../src/lib/schema.ts";
import { v1Notifications } from "../../src/protocol/v1/methods.ts";
import type { Stage, StageOptions } from "./verifies.ts";
import type { Message, Wire } from "./wire.ts";

export const item = (text: string) => ({ type: "text", data: { text, text_elements: [] } });

class V1Client {
  readonly wire: Wire;
  conversationId = "";
  rolloutPath = "";

  constructor(wire: Wire) {
    this.wire = wire;
  }

  /** Sends a request and expects a result. */
  async call(method: string, params?: unknown): Promise<Message> {
    const { result, error } = await this.wire.ask(method, params);
    assert.equal(error, undefined, `${method}: ${JSON.stringify(error)}`);
    return result;
  }
  /** Sends a request and expects an error; returns its message. */
  async refused(method: string, params?: unknown): Promise<string> {
    const { error } = await this.wire.ask(method, params);
    assert.notEqual(error, undefined, `${method} should be refused`);
    return error.message;
  }
  async open(params: Record<string, unknown>): Promise<this> {
    ({ conversationId: this.conversationId, rolloutPath: this.rolloutPath } = await this.call("newConversation", params));
    await this.call("addConversationListener", { conversationId: this.conversationId });
    return this;
  }
  /** Sends a message and waits until its turn has ended; returns the turn's events. */
  async say(text: string): Promise<Message[]> {
    const from = this.wire.received.length;
    assert.deepEqual(await this.call("sendUserMessage", { conversationId: this.conversationId, items: [item(text)] }), {});
    return await this.#turn(from);
  }
  async sayTurn(params: Record<string, unknown>): Promise<Message[]> {
    const from = this.wire.received.length;
    assert.deepEqual(
      await this.call("sendUserTurn", { conversationId: this.conversationId, summary: "auto", effort: null, ...params }),
      {},
    );
    return await this.#turn(from);
  }
  async #turn(from: number): Promise<Message[]> {
    const ends = ["codex/event/task_complete", "codex/event/turn_aborted"];
    await this.wire.until((message) => ends.includes(message.method) && this.wire.received.indexOf(message) >= from, "the end of the turn");
    return this.wire.received
      .slice(from)
      .filter(isEvent)
      .map(({ params }) => params.msg);
  }
  /** The first event of a type, already received or still to come. */
  async event(type: string): Promise<Message> {
    return (await this.wire.notification(`codex/event/${type}`)).params.msg;
  }
  /** Answers the next approval request of one kind. */
  answer(method: "execCommandApproval" | "applyPatchApproval", answer: unknown): Promise<Message> {
    return this.wire
      .until((message) => message.method === method && message.id !== undefined, method)
      .then((asked) => {
        this.wire.send({ id: asked.id, result: answer });
        return asked.params;
      });
  }
  /** Checks every notification of the older API against its table. */
  check(): void {
    for (const { method, params } of this.wire.received) {
      const row = v1Notifications[method as keyof typeof v1Notifications];
      if (row !== undefined) assert.equal(problem(row.params(), params), undefined, `${method} ${JSON.stringify(params)}`);
      else assert.doesNotMatch(String(method), /^codex\/event\//);
    }
  }
}

const isEvent = (message: Message): boolean => String(message.method).startsWith("codex/event/");

export async function v1Client(stage: Stage, options: StageOptions = {}, capabilities?: object): Promise<V1Client> {
  const wire = await stage.wire(options);
  await wire.initialize(capabilities, "older-editor");
  return new V1Client(wire);
}
