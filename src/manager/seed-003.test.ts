/** The bridge contracts of the document on approvals and tool input, exactly as written: routes, statuses, bodies and event names. */
import assert from "node:assert/strict";
import { afterEach, describe, test } from "node:test";
import { openedWith, PlayedEngine, scratchFolder, startManager, type TestManager, threadOf } from "../../test/support/manager.ts";

const cleanups: (() => Promise<void> | void)[] = [];
describe("seed 003", () => {
  afterEach(async () => {
    for (const clean of cleanups.splice(0).reverse()) await clean();
  });

  async function manager(folder?: string): Promise<{ it: TestManager; engine: PlayedEngine; folder: string }> {
    const scratch = folder === undefined ? scratchFolder() : undefined;
    const home = folder ?? scratch?.folder ?? "";
    const engine = new PlayedEngine()
      .on("thread/read", ({ threadId }) => ({ thread: threadOf(String(threadId)) }))
      .on("thread/resume", ({ threadId }) => openedWith(threadOf(String(threadId))))
      .on("thread/delete", () => ({}));
    const it = await startManager({ engine, folder: home, workspace: "/work" });
    if (scratch !== undefined) cleanups.push(scratch.remove);
    cleanups.push(() => it.close());
    return { it, engine, folder: home };
  }

  const toolCall = (engine: PlayedEngine, id = 60): void =>
    engine.ask(id, "item/tool/call", {
      threadId: "thr_123",
      turnId: "turn_123",
      callId: "call_123",
      tool: "lookup_ticket",
      arguments: { id: "ABC-123" },
    });

  async function pendingCall(it: TestManager, engine: PlayedEngine): Promise<string> {
    const stream = await it.stream();
    toolCall(engine);
    const event = await stream.until((m) => m["type"] === "tool_call_requested");
    stream.close();
    return String((event["payload"] as Record<string, unknown>)["requestId"]);
  }

  test("GET tool-calls: 200 lists what is pending, oldest first, with everything a client needs", async () => {
    const { it, engine } = await manager();
    const requestId = await pendingCall(it, engine);
    const { status, body } = await it.call("GET /api/sessions/thr_123/tool-calls");
    assert.equal(status, 200);
    const [first] = body["data"] as Record<string, unknown>[];
    const { requestId: id, method, threadId, turnId, callId, tool, arguments: args, status: state } = first ?? {};
    assert.deepEqual(
      { id, method, threadId, turnId, callId, tool, args, state },
      {
        id: requestId,
        method: "item/tool/call",
        threadId: "thr_123",
        turnId: "turn_123",
        callId: "call_123",
        tool: "lookup_ticket",
        args: { id: "ABC-123" },
        state: "pending",
      },
    );
    assert.ok(!Number.isNaN(Date.parse(String(first?.["createdAt"]))));
  });

  test("GET tool-calls: 403 for a system session", async () => {
    const { it } = await manager();
    it.backend.store.change({ systemOwned: ["thr_sys"] });
    const { status, body } = await it.call("GET /api/sessions/thr_sys/tool-calls");
    assert.equal(status, 403);
    assert.deepEqual([body["status"], body["code"], body["sessionId"]], ["error", "system_session", "thr_sys"]);
  });

  test("GET tool-calls: 410 for a deleted session, also after a restart, with the time of the deletion", async () => {
    const { it, folder } = await manager();
    assert.equal((await it.call("DELETE /api/sessions/thr_123")).status, 200);
    const before = await it.call("GET /api/sessions/thr_123/tool-calls");
    assert.equal(before.status, 410);
    await it.close();
    cleanups.pop();
    const { it: again } = await manager(folder);
    const { status, body } = await again.call("GET /api/sessions/thr_123/tool-calls");
    assert.equal(status, 410);
    assert.deepEqual([body["status"], body["sessionId"], body["deletedAt"]], ["deleted", "thr_123", before.body["deletedAt"]]);
  });

  test("POST response: 200 sends success and contentItems to the engine", async () => {
    const { it, engine } = await manager();
    const requestId = await pendingCall(it, engine);
    const stream = await it.stream();
    const result = {
      contentItems: [
        { type: "inputText", text: "Ticket ABC-123 is open." },
        { type: "inputImage", imageUrl: "data:image/png;base64,AAA" },
      ],
      success: true,
    };
    const { status, body } = await it.call(`POST /api/tool-calls/${requestId}/response`, result);
    assert.deepEqual([status, body], [200, { status: "ok", requestId, threadId: "thr_123" }]);
    const event = await stream.until((m) => m["type"] === "tool_call_resolved");
    const payload = event["payload"] as Record<string, unknown>;
    assert.deepEqual([payload["requestId"], payload["status"], payload["success"]], [requestId, "resolved", true]);
    assert.deepEqual(engine.answers.get(60), result);
    stream.close();
  });

  test("POST response: a raw response is sent as it is; a text alone becomes one text item; nothing means success", async () => {
    for (const [body, sent] of [
      [{ response: { output: "raw", success: false } }, { output: "raw", success: false }],
      [{ text: "hi" }, { success: true, contentItems: [{ type: "inputText", text: "hi" }] }],
      [{}, { success: true, contentItems: [] }],
      [{ success: false }, { success: false, contentItems: [] }],
    ]) {
      const { it, engine } = await manager();
      await it.call(`POST /api/tool-calls/${await pendingCall(it, engine)}/response`, body);
      assert.deepEqual(engine.answers.get(60), sent);
    }
  });

  test("POST response: the engine's own number is understood while it waits", async () => {
    const { it, engine } = await manager();
    await pendingCall(it, engine);
    assert.equal((await it.call("POST /api/tool-calls/60/response", { text: "x" })).status, 200);
  });

  test("POST response: 404 for an unknown and for an answered request", async () => {
    const { it, engine } = await manager();
    const requestId = await pendingCall(it, engine);
    const unknown = await it.call("POST /api/tool-calls/nope/response", {});
    assert.deepEqual([unknown.status, unknown.body["status"], unknown.body["requestId"]], [404, "not_found", "nope"]);
    await it.call(`POST /api/tool-calls/${requestId}/response`, {});
    const late = await it.call(`POST /api/tool-calls/${requestId}/response`, {});
    assert.deepEqual([late.status, late.body["status"]], [404, "not_found"]);
  });

  test("an id of one kind is not found under another kind's route, and null is no answer", async () => {
    const { it, engine } = await manager();
    const requestId = await pendingCall(it, engine);
    for (const [route, body] of [
      [`POST /api/approvals/${requestId}/decision`, { decision: "accept" }],
      [`POST /api/tool-input/${requestId}/decision`, { answers: {} }],
    ] as const)
      assert.deepEqual([(await it.call(route, body)).status, engine.answers.size], [404, 0], route);
    for (const route of [`POST /api/requests/${requestId}/response`, `POST /api/tool-calls/${requestId}/response`]) {
      const { status, body } = await it.call(route, { response: null });
      assert.deepEqual([status, engine.answers.size], [400, 0], route);
      assert.match(JSON.stringify(body), /"path":"response"/);
    }
    assert.equal((await it.call(`POST /api/tool-calls/${requestId}/response`, { text: "x" })).status, 200);
  });

  test("409 in_flight while an answer is on its way: for approvals, questions and every other kind", async () => {
    const { it, engine } = await manager();
    const stream = await it.stream();
    engine.ask(7, "item/commandExecution/requestApproval", {
      threadId: "thr_123",
      turnId: "t",
      itemId: "i",
      command: "ls",
      startedAtMs: 1,
    });
    const asked = await stream.until((m) => m["type"] === "approval");
    const approvalId = String((asked["payload"] as Record<string, unknown>)["approvalId"]);
    // The engine has not confirmed the first answer yet when the second one arrives.
    const first = it.call(`POST /api/approvals/${approvalId}/decision`, { decision: "accept" });
    await stream.until((m) => m["type"] === "request_responding");
    const second = await it.call(`POST /api/approvals/${approvalId}/decision`, { decision: "decline" });
    assert.deepEqual([second.status, second.body["status"], second.body["code"]], [409, "conflict", "in_flight"]);
    engine.notify("serverRequest/resolved", { threadId: "thr_123", requestId: 7 });
    assert.equal((await first).status, 200);
    assert.deepEqual(engine.answers.get(7), { decision: "accept" });
    const resolved = await stream.until((m) => m["type"] === "approval_resolved");
    assert.deepEqual((resolved["payload"] as Record<string, unknown>)["by"], { kind: "script", name: "token file" });
    stream.close();
  });

  test("POST tool-call response: 409 in_flight for the second of two at once, and the first one's answer counts", async () => {
    const { it, engine } = await manager();
    const requestId = await pendingCall(it, engine);
    const stream = await it.stream();
    const first = it.call(`POST /api/tool-calls/${requestId}/response`, { text: "first" });
    await stream.until((m) => m["type"] === "request_responding");
    const second = await it.call(`POST /api/tool-calls/${requestId}/response`, { text: "second" });
    assert.deepEqual(
      [second.status, second.body["status"], second.body["code"], second.body["requestId"]],
      [409, "conflict", "in_flight", requestId],
    );
    assert.equal((await first).status, 200);
    assert.deepEqual(engine.answers.get(60), { success: true, contentItems: [{ type: "inputText", text: "first" }] });
    stream.close();
  });

  test("POST response: 500 when the engine cannot be reached, and the request is pending again", async () => {
    const { it, engine } = await manager();
    const requestId = await pendingCall(it, engine);
    const respond = it.backend.link.respond;
    it.backend.link.respond = () => {
      throw new Error("broken pipe");
    };
    const failed = await it.call(`POST /api/tool-calls/${requestId}/response`, { text: "x" });
    assert.deepEqual([failed.status, failed.body["status"], failed.body["requestId"]], [500, "error", requestId]);
    it.backend.link.respond = respond;
    assert.equal((await it.call(`POST /api/tool-calls/${requestId}/response`, { text: "x" })).status, 200);
  });

  test("the end of the turn ends pending requests: expired, without success, and later answers get 404", async () => {
    const { it, engine } = await manager();
    const requestId = await pendingCall(it, engine);
    const stream = await it.stream();
    engine.notify("turn/completed", { threadId: "thr_123", turn: { id: "turn_123", items: [], status: "interrupted" } });
    const event = await stream.until((m) => m["type"] === "tool_call_resolved");
    const payload = event["payload"] as Record<string, unknown>;
    assert.deepEqual([payload["requestId"], payload["status"], payload["success"]], [requestId, "expired", false]);
    assert.equal((await it.call(`POST /api/tool-calls/${requestId}/response`, {})).status, 404);
    stream.close();
  });

  test("requests of a deleted session are refused to the engine", async () => {
    const { it, engine } = await manager();
    await it.call("DELETE /api/sessions/thr_123");
    toolCall(engine, 61);
    assert.deepEqual((await it.call("GET /api/pending")).body["data"], []);
    assert.deepEqual(engine.answers.get(61), { error: "the session was deleted" });
  });

  test("requests of a system session are never shown to people: each kind is refused in its own way", async () => {
    const { it, engine } = await manager();
    it.backend.store.change({ systemOwned: ["thr_sys"] });
    const ask = (id: number, method: string): void => engine.ask(id, method, { threadId: "thr_sys", turnId: "t", itemId: "i" });
    ask(1, "item/commandExecution/requestApproval");
    ask(2, "item/tool/requestUserInput");
    ask(3, "item/tool/call");
    ask(4, "execCommandApproval");
    ask(5, "mcpServer/elicitation/request");
    assert.deepEqual((await it.call("GET /api/pending")).body["data"], []);
    assert.deepEqual(engine.answers.get(1), { decision: "decline" });
    assert.deepEqual(engine.answers.get(2), { answers: {} });
    assert.equal((engine.answers.get(3) as Record<string, unknown>)["success"], false);
    assert.deepEqual(engine.answers.get(4), { decision: "denied" });
    assert.deepEqual(engine.answers.get(5), { action: "decline" });
  });

  test("command approvals accept accept, decline and cancel, for the turn or the session, in each generation's form", async () => {
    for (const [method, body, sent] of [
      ["item/commandExecution/requestApproval", { decision: "accept" }, "accept"],
      ["item/commandExecution/requestApproval", { decision: "accept", scope: "session" }, "acceptForSession"],
      ["item/fileChange/requestApproval", { decision: "decline" }, "decline"],
      ["item/fileChange/requestApproval", { decision: "cancel" }, "cancel"],
      ["execCommandApproval", { decision: "accept" }, "approved"],
      ["applyPatchApproval", { decision: "accept", scope: "session" }, "approved_for_session"],
      ["execCommandApproval", { decision: "decline" }, "denied"],
      ["applyPatchApproval", { decision: "cancel" }, "abort"],
    ] as const) {
      const { it, engine } = await manager();
      const stream = await it.stream();
      engine.ask(9, method, { threadId: "thr_123", turnId: "t", itemId: "i" });
      await stream.until((m) => m["type"] === "approval");
      const answer = it.call("POST /api/approvals/9/decision", body);
      await stream.until((m) => m["type"] === "request_responding");
      engine.notify("serverRequest/resolved", { threadId: "thr_123", requestId: 9 });
      assert.equal((await answer).status, 200);
      assert.deepEqual(engine.answers.get(9), { decision: sent });
      stream.close();
    }
  });
});
