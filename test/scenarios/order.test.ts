/** The ordering guarantees of ARCHITECTURE.md. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { responsesFrames } from "../support/model-mocks/frames.ts";
import { MockProvider, stream } from "../support/model-mocks/server.ts";
import { type Stage, type StageOptions, verifies } from "../support/verifies.ts";
import type { Message, Wire } from "../support/wire.ts";

/** Starts a thread and runs one turn to completion. */
async function play(stage: Stage, options: StageOptions = {}): Promise<{ wire: Wire; threadId: string; path: string; turnId: string }> {
  const wire = await stage.wire(options);
  await wire.initialize({ optOutNotificationMethods: [] });
  const { result } = await wire.ask("thread/start", { cwd: stage.workspace });
  const threadId: string = result.thread.id;
  const answer = await wire.ask("turn/start", { threadId, input: [{ type: "text", text: "go" }] });
  await wire.notification("turn/completed");
  return { wire, threadId, path: result.thread.path, turnId: answer.result.turn.id };
}
const turns = [[{ reason: "**Thinking** about it" }, { say: "One two three four." }]];
const at = (wire: Wire, fits: (message: Message) => boolean): number => wire.received.findIndex(fits);

verifies("order.answerFirst", async (stage) => {
  const { wire, threadId, turnId } = await play(stage, { turns });
  assert.ok(at(wire, (m) => m.result?.thread?.id === threadId) < at(wire, (m) => m.method === "thread/started"));
  const answer = at(wire, (m) => m.result?.turn?.id === turnId);
  const caused = wire.received.findIndex((m) => m.params?.turn?.id === turnId || m.params?.turnId === turnId);
  assert.ok(answer !== -1 && answer < caused, wire.order.join(" "));
});

verifies("order.item", async (stage) => {
  const { wire } = await play(stage, { turns });
  const items = new Map<string, string[]>();
  for (const { method, params } of wire.received) {
    const id = params?.item?.id ?? params?.itemId;
    if (id !== undefined) items.set(id, [...(items.get(id) ?? []), method]);
  }
  assert.ok(items.size >= 2, "user message and agent message");
  for (const steps of items.values()) {
    assert.equal(steps[0], "item/started");
    assert.equal(steps.at(-1), "item/completed");
    for (const step of steps.slice(1, -1)) assert.doesNotMatch(step, /^item\/(started|completed)$/);
  }
  const message = wire.received.find((m) => m.method === "item/completed" && m.params.item.type === "agentMessage");
  const deltas = wire.received.filter((m) => m.method === "item/agentMessage/delta").map((m) => m.params.delta);
  assert.equal(deltas.join(""), message.params.item.text);
});

verifies("order.turn", async (stage) => {
  const { wire, turnId } = await play(stage, { turns });
  const own = wire.received.filter((m) => m.method !== undefined && (m.params?.turnId === turnId || m.params?.turn?.id === turnId));
  assert.equal(own[0].method, "turn/started");
  assert.equal(own.at(-1).method, "turn/completed");
});

verifies("order.stored", async (stage) => {
  const wire = await stage.wire({ turns });
  await wire.initialize({ optOutNotificationMethods: [] });
  const { result } = await wire.ask("thread/start", { cwd: stage.workspace });
  const { onMessage } = wire.transport;
  const missing: unknown[] = [];
  let checked = 0;
  wire.transport.onMessage = (text) => {
    const { method, params } = JSON.parse(text);
    if (method === "item/completed") {
      checked++;
      const kept = existsSync(result.thread.path) ? readFileSync(result.thread.path, "utf8") : "";
      if (!kept.includes(params.item.text ?? "go")) missing.push(params.item);
    }
    onMessage(text);
  };
  await wire.ask("turn/start", { threadId: result.thread.id, input: [{ type: "text", text: "go" }] });
  await wire.notification("turn/completed");
  assert.deepEqual(missing, []);
  assert.ok(checked >= 2);
});

verifies("order.sameThread", async (stage) => {
  const { wire, threadId } = await play(stage);
  const names = Array.from({ length: 20 }, (_, i) => `name ${i}`);
  for (const [i, name] of names.entries()) wire.send({ id: i, method: "thread/name/set", params: { threadId, name } });
  await wire.until((m) => m.id === names.length - 1);
  const notified = wire.received.filter((m) => m.method === "thread/name/updated").map((m) => m.params.threadName);
  assert.deepEqual(notified, names);
  const answers = wire.received.filter((m) => typeof m.id === "number" && m.id < names.length).map((m) => m.id);
  assert.deepEqual(answers, [...names.keys()]);
});

verifies(
  "order.textFirst",
  async (stage) => {
    await using mock = new MockProvider(stream([responsesFrames({ text: "all at once" }).join("")]));
    const url = await mock.listen();
    const wire = await stage.wire({ config: `[model_providers.mock]\nname = "mock"\nbase_url = "${url}/v1"\n` });
    await wire.initialize({ optOutNotificationMethods: [] });
    const { result } = await wire.ask("thread/start", { cwd: stage.workspace, modelProvider: "mock", model: "mock-model" });
    const read = (): string => readFileSync(result.thread.path, "utf8");
    const { onMessage } = wire.transport;
    const whenSent = Promise.withResolvers<string>();
    wire.transport.onMessage = (text) => {
      if (JSON.parse(text).method === "item/agentMessage/delta") whenSent.resolve(read());
      onMessage(text);
    };
    await wire.ask("turn/start", { threadId: result.thread.id, input: [{ type: "text", text: "go" }] });
    await wire.notification("turn/completed");
    assert.match(await whenSent.promise, /"go"/);
    assert.doesNotMatch(await whenSent.promise, /all at once/);
    assert.match(read(), /all at once/);
  },
  // In a process of its own the server may have stored the rest by the time that the text is read here.
  { legs: ["memory"] },
);
