/** Messages with an unknown outcome: the engine or the manager stopped before the response arrived. None is lost, none is sent twice. */
import assert from "node:assert/strict";
import { afterEach, describe, test } from "node:test";
import { openedWith, PlayedEngine, scratchFolder, startManager, type TestManager, threadOf } from "../../test/support/manager.ts";
import { RpcError } from "../protocol/errors.ts";
import { toolSpecs } from "./client-tools.ts";

const cleanups: (() => Promise<void> | void)[] = [];
describe("messages", () => {
  afterEach(async () => {
    for (const clean of cleanups.splice(0).reverse()) await clean();
  });

  /** An engine that stores the messages it receives, and may disconnect before it responds. */
  class Forgetful extends PlayedEngine {
    readonly turns: Record<string, unknown>[] = [];
    /** What the next turn/start does: respond, store the message and disconnect, or disconnect without having read it. */
    next: "answer" | "keepAndHangUp" | "hangUp" = "answer";

    constructor() {
      super(true);
      this.on("thread/read", ({ threadId }) => ({ thread: threadOf(String(threadId)) }));
      this.on("thread/resume", ({ threadId }) => openedWith(threadOf(String(threadId))));
      this.on("thread/turns/list", () => ({ data: this.turns.toReversed(), nextCursor: null }));
      this.on("turn/start", (params) => this.#start(params));
    }

    #start({ clientUserMessageId, input }: Record<string, unknown>): unknown {
      const how = this.next;
      this.next = "answer";
      const turn = { id: `t-${this.turns.length + 1}`, status: how === "answer" ? "inProgress" : "interrupted", items: [] as unknown[] };
      if (how !== "hangUp")
        this.turns.push({ ...turn, items: [{ type: "userMessage", id: "u", content: input, clientId: clientUserMessageId }] });
      if (how === "answer") return { turn };
      this.hangUp();
      return new Promise(() => {});
    }
  }

  async function over(engine: PlayedEngine, folder?: string): Promise<TestManager & { folder: string }> {
    const scratch = folder === undefined ? scratchFolder() : undefined;
    const it = await startManager({ engine, folder: folder ?? scratch?.folder ?? "", workspace: "/work" });
    if (scratch !== undefined) cleanups.push(scratch.remove);
    cleanups.push(() => it.close());
    return it;
  }
  const message = { text: "do it", clientMessageId: "m-1" };
  const send = (it: TestManager, body: Record<string, unknown> = message) => it.call("POST /api/sessions/s-1/messages", body);
  /** Resolves when the engine is connected again. */
  async function untilReconnected(it: TestManager): Promise<void> {
    const stream = await it.stream();
    if (!it.backend.link.running) await stream.until((m) => m["type"] === "engine_state" && (m["payload"] as { running: boolean }).running);
    stream.close();
  }

  test("a message that arrived although its answer was lost is not sent again", async () => {
    const engine = new Forgetful();
    const it = await over(engine);
    engine.next = "keepAndHangUp";
    assert.equal((await send(it)).status, 503);
    await untilReconnected(it);
    const second = await send(it);
    assert.deepEqual([second.status, second.body["turnId"], second.body["delivery"]], [202, "t-1", "started"]);
    assert.equal(engine.turns.length, 1);
    assert.equal((await send(it)).body["turnId"], "t-1");
  });

  test("a message that never arrived is sent when it is tried again", async () => {
    const engine = new Forgetful();
    const it = await over(engine);
    engine.next = "hangUp";
    assert.equal((await send(it)).status, 503);
    await untilReconnected(it);
    assert.deepEqual((await send(it)).body["turnId"], "t-1");
    assert.equal(engine.turns.length, 1);
  });

  test("the same after a restart of the manager in between", async () => {
    const engine = new Forgetful();
    const first = await over(engine);
    engine.next = "keepAndHangUp";
    await send(first);
    await first.close();
    const second = await over(engine, first.folder);
    assert.equal((await send(second)).body["turnId"], "t-1");
    assert.equal(engine.turns.length, 1);
  });

  test("a queued message is kept by the engine, once, even if its answer was lost, and leaves the page when the engine starts it", async () => {
    const engine = new Forgetful();
    const it = await over(engine);
    await send(it, { text: "first", clientMessageId: "m-0" });
    const queueWhat = { ...message, delivery: "queue" };
    const keep = (params: Record<string, unknown>): void =>
      void engine.queued.push({ id: "q-1", input: params["input"], clientUserMessageId: params["clientUserMessageId"] });
    engine.on("thread/queue/add", (params) => {
      keep(params);
      engine.hangUp();
      return new Promise(() => {});
    });
    assert.equal((await send(it, queueWhat)).status, 503);
    await untilReconnected(it);
    assert.equal((await send(it, queueWhat)).body["delivery"], "queued");
    assert.equal(engine.queued.length, 1);
    const stream = await it.stream();
    engine.queued.splice(0);
    engine.notify("thread/queue/changed", { threadId: "s-1" });
    await stream.until((m) => m["type"] === "queue_updated" && (m["payload"] as { queue: unknown[] }).queue.length === 0);
    assert.equal(engine.turns.length, 1, "the manager starts nothing itself");
    stream.close();
  });

  test("an engine without a queue is named as the reason", async () => {
    const engine = new Forgetful();
    const it = await over(engine);
    await send(it, { text: "first", clientMessageId: "m-0" });
    engine.on("thread/queue/add", () => {
      throw new RpcError(-32_601, "method not found: thread/queue/add");
    });
    const { status, body } = await send(it, { ...message, delivery: "queue" });
    assert.deepEqual([status, body["code"]], [409, "no_queue"]);
    assert.match(String(body["message"]), /keeps no messages for later/);
  });

  test("a client that opens a session after a warning gets the warning with its turns", async () => {
    const engine = new Forgetful();
    const it = await over(engine);
    await it.call("POST /api/sessions/s-1/resume");
    const stream = await it.stream();
    engine.notify("warning", { threadId: "s-1", message: "80 % of the budget is used." });
    await stream.until((m) => JSON.stringify(m).includes("80 %"));
    const { notices } = (await it.call("GET /api/sessions/s-1/turns")).body as { notices: { kind: string; text: string }[] };
    assert.deepEqual(
      notices.map(({ kind, text }) => [kind, text]),
      [["warning", "80 % of the budget is used."]],
    );
    stream.close();
  });

  test("a note sent with a refusal is queued if the engine does not accept it", async () => {
    const engine = new Forgetful();
    const it = await over(engine);
    await it.call("GET /api/sessions/s-1/turns");
    await it.call("POST /api/sessions/s-1/resume");
    const stream = await it.stream();
    engine.ask(1, "item/commandExecution/requestApproval", {
      threadId: "s-1",
      turnId: "t-1",
      itemId: "i-1",
      command: "rm x",
      cwd: "/work",
    });
    const asked = await stream.until((m) => m["type"] === "approval");
    const { requestId } = asked["payload"] as { requestId: string };
    engine.on("turn/start", () => {
      throw new Error("not now");
    });
    const answer = await it.call(`POST /api/requests/${requestId}/response`, {
      response: { decision: "decline" },
      note: "list it instead",
    });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    const { queue } = (await it.call("GET /api/sessions/s-1/turns")).body as { queue: { text: string }[] };
    assert.deepEqual(
      queue.map(({ text }) => text),
      ["list it instead"],
    );
    stream.close();
  });

  test("tools sent with a resume or a message are offered at once and again at every later resume", async () => {
    const engine = new Forgetful();
    const it = await over(engine);
    const tool = { name: "ticket", description: "Finds a ticket", inputSchema: { type: "object" } };
    const offered = () => engine.calls.findLast((c) => c.method === "thread/resume")?.params["dynamicTools"];
    await it.call("POST /api/sessions/s-1/resume", {});
    assert.equal(offered(), undefined);
    assert.equal((await it.call("POST /api/sessions/s-1/resume", { dynamicTools: [tool] })).status, 200);
    assert.deepEqual(offered(), [{ type: "function", ...tool }]);
    await send(it, { ...message, dynamicTools: [{ ...tool, name: "parcel" }] });
    assert.deepEqual(offered(), [{ type: "function", ...tool, name: "parcel" }]);
    await it.close();
    const later = await over(engine, it.folder);
    await later.call("POST /api/sessions/s-1/resume", {});
    assert.deepEqual(offered(), [{ type: "function", ...tool, name: "parcel" }]);
  });

  test("if no model is configured the page gets the tour, and a program an error unless it requests the tour", async () => {
    const engine = new Forgetful();
    engine.whyNoModel = () => "no model is set up.";
    const it = await over(engine);
    for (const [route, body] of [
      ["messages", message],
      ["compact", undefined],
      ["review", {}],
    ] as const) {
      const { status, body: problem } = await it.call(`POST /api/sessions/s-1/${route}`, body);
      assert.deepEqual([status, problem["code"]], [409, "no_model"], route);
      assert.match(String(problem["message"]), /^no model is set up\. .*"model": "scripted"/);
    }
    assert.equal(engine.turns.length, 0);
    const { body, headers } = await it.call("POST /api/auth/sign-in", { code: it.backend.access.makeLink("drive", undefined).code }, {});
    const [cookie = ""] = (headers.get("set-cookie") ?? "").split(";");
    const page = { cookie, "x-parley-key": String(body["pageKey"]) };
    assert.equal((await it.call("POST /api/sessions/s-1/messages", { text: "by hand" }, page)).status, 202);
    assert.equal((await send(it, { ...message, delivery: "queue", model: "scripted" })).body["delivery"], "queued");
  });

  test("tools of one namespace go to the engine together", () => {
    const tool = (name: string) => ({ name, description: name, inputSchema: {} });
    assert.deepEqual(toolSpecs([{ ...tool("a"), namespace: "desk" }, tool("b"), { ...tool("c"), namespace: "desk" }]), [
      {
        type: "namespace",
        name: "desk",
        description: "",
        tools: [
          { type: "function", ...tool("a") },
          { type: "function", ...tool("c") },
        ],
      },
      { type: "function", ...tool("b") },
    ]);
  });
});
