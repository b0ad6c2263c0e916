/** The manager with our own engine, and with engines that break: events, replay, restarts, several clients. */
import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, describe, test } from "node:test";
import {
  adminToken,
  openedWith,
  PlayedEngine,
  realEngine,
  scratchFolder,
  startManager,
  type TestManager,
  type TestStream,
  threadOf,
} from "../../test/support/manager.ts";
import { connectClient } from "../client/client.ts";

const cleanups: (() => Promise<void> | void)[] = [];
describe("manager", () => {
  afterEach(async () => {
    for (const clean of cleanups.splice(0).reverse()) await clean();
  });

  /** Long enough to observe the middle of the stream, even on a slow machine. */
  const slowText = Array.from({ length: 40 }, (_, i) => `word${i}`).join(" ");
  const scenario = `
turns:
  - user: run
    steps:
      - run: "touch made.txt"
      - say: Ran.
  - user: slow
    steps:
      - pace: 60
      - say: "${slowText}"
  - user: held
    steps:
      - say: Beginning.
      - run: "while [ ! -f go ]; do sleep 0.05; done"
      - say: Released.
  - user: ticket
    steps:
      - call: lookup_ticket
        with: { id: A-1 }
      - say: "It says {{output}}"
  - user: hello
    steps:
      - say: Hello there.
`;

  async function real(play = scenario): Promise<TestManager> {
    const scratch = scratchFolder();
    const { engine, close } = realEngine(scratch.folder, scratch.workspace, play);
    const it = await startManager({ engine, folder: scratch.folder, workspace: scratch.workspace, onClose: close });
    cleanups.push(scratch.remove, () => it.close());
    return it;
  }

  async function played(engine = new PlayedEngine(), folder?: string): Promise<TestManager> {
    const scratch = folder === undefined ? scratchFolder() : undefined;
    engine.on("thread/read", ({ threadId }) => ({ thread: threadOf(String(threadId)) }));
    engine.on("thread/resume", ({ threadId }) => openedWith(threadOf(String(threadId))));
    const it = await startManager({ engine, folder: folder ?? scratch?.folder ?? "", workspace: "/work" });
    if (scratch !== undefined) cleanups.push(scratch.remove);
    cleanups.push(() => it.close());
    return it;
  }

  async function begin(it: TestManager, body: Record<string, unknown> = {}): Promise<string> {
    const { body: made } = await it.call("POST /api/sessions", { cwd: it.workspace, filesystemSandbox: "workspace-write", ...body });
    return String((made["session"] as Record<string, unknown>)["sessionId"]);
  }
  const heldReview = `
turns:
  - - run: "while [ ! -f go ]; do sleep 0.05; done"
    - say: '{"findings":[],"overall_correctness":"patch is correct","overall_explanation":"fine","overall_confidence_score":1}'
  - - say: After the review.
`;
  const payload = (event: Record<string, unknown>): Record<string, unknown> => event["payload"] as Record<string, unknown>;
  const isMethod =
    (method: string) =>
    (m: Record<string, unknown>): boolean =>
      m["type"] === "notification" && payload(m)["method"] === method;
  test("a message sent while a review runs waits for its end", async () => {
    const it = await real(heldReview);
    const id = await begin(it, { approvalPolicy: "never" });
    const stream = await it.stream();
    const review = await it.call(`POST /api/sessions/${id}/review`, { targetType: "uncommittedChanges" });
    assert.equal(review.status < 300, true, JSON.stringify(review.body));
    await stream.until(isMethod("item/started"));
    const sent = await it.call(`POST /api/sessions/${id}/messages`, { text: "and then?" });
    assert.deepEqual([sent.status, sent.body["delivery"]], [202, "queued"]);
    writeFileSync(path.join(it.workspace, "go"), "");
    await stream.until((m) => isMethod("item/completed")(m) && JSON.stringify(m).includes("After the review."));
    assert.deepEqual(it.backend.messages.queue(id), []);
    stream.close();
  });

  const turnDone = (stream: TestStream): Promise<Record<string, unknown>> => stream.until(isMethod("turn/completed"));

  test("the engine's sandbox is shown as reported; another engine's report is not trusted", async () => {
    const sandboxOf = async (it: TestManager): Promise<unknown> => {
      const { status, body } = await it.call("GET /api/capabilities");
      assert.equal(status, 200);
      return (body["runtime"] as Record<string, unknown>)["sandbox"];
    };
    const { line } = (await sandboxOf(await real())) as { line: string };
    assert.match(line, /^commands are confined by |^No sandbox: /);
    assert.equal(await sandboxOf(await played()), null);
    assert.equal(await sandboxOf(await played(new PlayedEngine(true).on("sandbox/read", () => ({ standing: "full", line: 7 })))), null);
  });

  test("a message runs a turn; its command waits for any client's decision", async () => {
    const it = await real();
    const id = await begin(it);
    const stream = await it.stream(`?threadId=${id}`);
    const sent = await it.call(`POST /api/sessions/${id}/messages`, { text: "run it" });
    assert.deepEqual([sent.status, sent.body["delivery"]], [202, "started"]);
    const asked = payload(await stream.until((m) => m["type"] === "approval"));
    assert.match(String(asked["summary"]), /touch made\.txt/);
    assert.deepEqual(((await it.call("GET /api/pending")).body["data"] as unknown[]).length, 1);
    assert.equal((await it.call(`POST /api/approvals/${asked["approvalId"]}/decision`, { decision: "accept" })).status, 200);
    await turnDone(stream);
    assert.ok(existsSync(path.join(it.workspace, "made.txt")));
    const { body } = await it.call(`GET /api/sessions/${id}`);
    const rows = body["transcript"] as Record<string, unknown>[];
    assert.deepEqual(
      rows.map((r) => [r["role"], r["type"]]),
      [
        ["user", "userMessage"],
        ["system", "commandExecution"],
        ["assistant", "agentMessage"],
      ],
    );
    const audit = (await it.call("GET /api/audit")).body["data"] as Record<string, unknown>[];
    assert.deepEqual(
      audit
        .filter((e) => e["requestId"] === asked["requestId"])
        .map((e) => [e["type"], e["decision"], (e["by"] as Record<string, unknown>)["name"]]),
      [
        ["resolved", "accept", "token file"],
        ["answer", "accept", "token file"],
      ],
    );
    stream.close();
  });

  test("a client on /rpc and the manager share a thread: the first answer counts, and the other learns whose it was", async () => {
    const it = await real();
    const client = await connectClient(`${it.url.replace("http", "ws")}/rpc`, {
      token: adminToken,
      clientInfo: { name: "other", title: "Other client", version: "1" },
    });
    cleanups.push(() => client.close());
    const stream = await it.stream();
    const thread = await client.startThread({ cwd: it.workspace, approvalPolicy: "untrusted", sandbox: "workspace-write" });
    client.answer("item/commandExecution/requestApproval", async () => {
      await stream.until((m) => m["type"] === "approval");
      return { decision: "decline" };
    });
    await thread.run("run it");
    const end = payload(await stream.until((m) => m["type"] === "approval_resolved"));
    assert.deepEqual(end["by"], { kind: "client", name: "Other client" });
    const sessions = (await it.call("GET /api/sessions")).body["data"] as Record<string, unknown>[];
    assert.deepEqual(
      sessions.map((s) => [s["sessionId"], s["title"]]),
      [[thread.id, "run it"]],
    );
    stream.close();
  });

  test("a client tool is answered over HTTP and its result reaches the model", async () => {
    const it = await real();
    const id = await begin(it, {
      dynamicTools: [{ name: "lookup_ticket", description: "Finds a ticket", inputSchema: { type: "object" } }],
    });
    const stream = await it.stream();
    await it.call(`POST /api/sessions/${id}/messages`, { text: "ticket please" });
    const asked = payload(await stream.until((m) => m["type"] === "tool_call_requested"));
    assert.deepEqual([asked["tool"], asked["arguments"]], ["lookup_ticket", { id: "A-1" }]);
    assert.equal(
      (
        await it.call(`POST /api/tool-calls/${asked["requestId"]}/response`, {
          contentItems: [{ type: "inputText", text: "open" }],
          success: true,
        })
      ).status,
      200,
    );
    await stream.until((m) => m["type"] === "tool_call_resolved");
    await turnDone(stream);
    const { body } = await it.call(`GET /api/sessions/${id}`);
    assert.match(JSON.stringify(body["transcript"]), /It says .*open/);
    stream.close();
  });

  test("a second message steers or waits, and the same message twice is sent once", async () => {
    const it = await real();
    const id = await begin(it, { approvalPolicy: "never" });
    const stream = await it.stream();
    await it.call(`POST /api/sessions/${id}/messages`, { text: "held please" });
    await stream.until((m) => isMethod("item/started")(m) && JSON.stringify(m).includes("commandExecution"));
    const queued = await it.call(`POST /api/sessions/${id}/messages`, { text: "hello", delivery: "queue", clientMessageId: "m-1" });
    const again = await it.call(`POST /api/sessions/${id}/messages`, { text: "hello", delivery: "queue", clientMessageId: "m-1" });
    assert.deepEqual([queued.body["delivery"], again.body["delivery"]], ["queued", "queued"]);
    assert.equal(((await it.call(`GET /api/sessions/${id}/queue`)).body["data"] as unknown[]).length, 1);
    const steered = await it.call(`POST /api/sessions/${id}/messages`, { text: "and hurry", delivery: "steer" });
    assert.equal(steered.body["delivery"], "steered");
    writeFileSync(path.join(it.workspace, "go"), "");
    const isCompletedWith =
      (text: string) =>
      (m: Record<string, unknown>): boolean =>
        isMethod("item/completed")(m) && JSON.stringify(m).includes(text);
    await stream.until(isCompletedWith("Hello there."));
    const repeated = await it.call(`POST /api/sessions/${id}/messages`, { text: "hello", clientMessageId: "m-1" });
    assert.equal(repeated.status, 202);
    const { body } = await it.call(`GET /api/sessions/${id}`);
    const texts = (body["transcript"] as Record<string, unknown>[]).filter((r) => r["role"] === "user").map((r) => r["content"]);
    assert.deepEqual(texts, ["held please", "and hurry", "hello"]);
    stream.close();
  });

  test("a client that opens a session during a turn gets everything streamed so far, and every later event exactly once", async () => {
    const it = await real();
    const id = await begin(it);
    const first = await it.stream();
    await it.call(`POST /api/sessions/${id}/messages`, { text: "slow please" });
    await first.until(isMethod("item/agentMessage/delta"));
    const { body } = await it.call(`GET /api/sessions/${id}/turns`);
    const late = await it.stream(`?threadId=${id}&since=${body["seq"]}&bootId=${body["bootId"]}&families=raw`);
    await turnDone(late);
    const items = (body["data"] as { items: { type: string; text?: string }[] }[])[0]?.items ?? [];
    const soFar = items.find((i) => i.type === "agentMessage")?.text ?? "";
    assert.notEqual(soFar, "");
    const rest = late.messages
      .filter(isMethod("item/agentMessage/delta"))
      .map((m) => (payload(m)["params"] as Record<string, unknown>)["delta"]);
    assert.equal(soFar + rest.join(""), slowText);
    first.close();
    late.close();
  });

  test("numbers increase, a reconnect replays missed events, and a filter passes only its session", async () => {
    const it = await played();
    const engine = it.backend.engine as PlayedEngine;
    await it.call("POST /api/sessions/a/resume", {});
    await it.call("POST /api/sessions/b/resume", {});
    const all = await it.stream("?families=raw");
    const only = await it.stream("?threadId=a&families=raw");
    await all.until((m) => m["type"] === "ready");
    await only.until((m) => m["type"] === "ready");
    for (const threadId of ["a", "b", "a"]) engine.notify("warning", { threadId, message: threadId });
    await all.until(
      (m) => all.messages.filter((x) => "seq" in x && x["type"] === "notification").length === 3 && m["type"] === "notification",
    );
    const seqs = all.messages.filter((m) => m["type"] === "notification").map((m) => Number(m["seq"]));
    assert.ok(seqs.every((s, i) => i === 0 || s > (seqs[i - 1] ?? 0)));
    const again = await it.stream(`?families=raw&since=${seqs[0]}`);
    await again.until((m) => m["seq"] === seqs[2]);
    await only.until((m) => m["seq"] === seqs[2]);
    assert.deepEqual(
      again.messages.filter((m) => m["type"] === "notification").map((m) => m["seq"]),
      seqs.slice(1),
    );
    assert.deepEqual(
      only.messages.filter((m) => m["type"] === "notification").map((m) => m["threadId"]),
      ["a", "a"],
    );
    for (const stream of [all, only, again]) stream.close();
  });

  test("a client that reconnects receives what it missed, even if it sends its position only after it has joined", async () => {
    const it = await played();
    const engine = it.backend.engine as PlayedEngine;
    await it.call("POST /api/sessions/a/resume", {});
    const first = await it.stream("?families=core,raw");
    const { seq, bootId } = await first.until((m) => m["type"] === "ready");
    for (const message of ["one", "two"]) engine.notify("warning", { threadId: "a", message });
    await first.until((m) => Number(m["seq"]) === Number(seq) + 2);
    const back = await it.stream("?families=core,raw");
    await back.until((m) => m["type"] === "ready");
    engine.notify("warning", { threadId: "a", message: "three" });
    await back.until((m) => Number(m["seq"]) === Number(seq) + 3);
    back.send({ type: "subscribe", threadIds: ["a"], families: ["core", "raw"], since: seq, bootId });
    assert.equal((await back.until((m) => m["type"] === "subscribed"))["replayed"], 2);
    back.send({ type: "subscribe", threadIds: ["a"], since: seq, bootId });
    await back.until((m) => m["type"] === "subscribed" && m["replayed"] === 0);
    const received = back.messages
      .filter((m) => m["type"] === "notification")
      .map((m) => (payload(m)["params"] as Record<string, unknown>)["message"]);
    assert.deepEqual(received.toSorted(), ["one", "three", "two"]);
    for (const stream of [first, back]) stream.close();
  });

  test("a number from another boot or from too long ago is answered with resync", async () => {
    const it = await played();
    const stream = await it.stream("?since=5&bootId=another");
    assert.equal((await stream.until((m) => m["type"] === "resync"))["bootId"], it.backend.hub.bootId);
    stream.send({ type: "subscribe", threadIds: ["*"], since: 99_999 });
    await stream.until((m) => m["type"] === "subscribed");
    assert.equal(stream.messages.filter((m) => m["type"] === "resync").length, 2);
    stream.close();
  });

  test("the stream's own frames: ready, ping, subscribe, and an error for anything else", async () => {
    const it = await played();
    const stream = await it.stream("?threadId=a");
    assert.deepEqual((await stream.until((m) => m["type"] === "ready"))["threadId"], "a");
    stream.send({ type: "ping" });
    await stream.until((m) => m["type"] === "pong");
    stream.send("nonsense");
    assert.equal((await stream.until((m) => m["type"] === "error"))["message"], "invalid websocket command");
    stream.send({ type: "subscribe", threadId: "b" });
    assert.deepEqual((await stream.until((m) => m["type"] === "subscribed"))["threadIds"], ["b"]);
    stream.close();
  });

  test("events under the engine's own names contain method, context and session", async () => {
    const it = await played();
    await it.call("POST /api/sessions/a/resume", {});
    const stream = await it.stream("?families=app_server");
    (it.backend.engine as PlayedEngine).ask(5, "item/fileChange/requestApproval", { threadId: "a", turnId: "t", itemId: "i" });
    const event = await stream.until((m) => m["type"] === "app_server.request.item.file_change.request_approval");
    const { source, signalType, method, context, requestId, session } = payload(event);
    assert.deepEqual(
      { source, signalType, method, context, requestId, session },
      {
        source: "app_server",
        signalType: "request",
        method: "item/fileChange/requestApproval",
        context: { threadId: "a", turnId: "t" },
        requestId: "5",
        session: { id: "a", title: "A question", projectId: null },
      },
    );
    stream.close();
  });

  test("a lost engine is announced and reconnected, and its requests end", async () => {
    const it = await played();
    const engine = it.backend.engine as PlayedEngine;
    await it.call("POST /api/sessions/a/resume", {});
    const stream = await it.stream();
    engine.ask(1, "item/tool/call", { threadId: "a", turnId: "t", callId: "c", tool: "x", arguments: {} });
    await stream.until((m) => m["type"] === "tool_call_requested");
    engine.hangUp();
    await stream.until((m) => m["type"] === "engine_state" && payload(m)["running"] === false);
    assert.equal(payload(await stream.until((m) => m["type"] === "tool_call_resolved"))["status"], "expired");
    await stream.until((m) => m["type"] === "engine_state" && payload(m)["running"] === true);
    assert.equal((await it.call("GET /api/health")).status, 200);
    stream.close();
  });

  test("after a restart of the manager a remote engine's request keeps its identity", async () => {
    const scratch = scratchFolder();
    cleanups.push(scratch.remove);
    const engine = new PlayedEngine(true);
    const first = await played(engine, scratch.folder);
    await first.call("POST /api/sessions/a/resume", {});
    const params = { threadId: "a", turnId: "t", itemId: "i", command: "ls" };
    const stream = await first.stream();
    engine.ask(7, "item/commandExecution/requestApproval", params);
    const before = payload(await stream.until((m) => m["type"] === "approval"));
    await first.close();
    cleanups.pop();
    // The engine repeats the request when someone joins the thread, as ours does.
    engine.on("thread/resume", ({ threadId }) => {
      setImmediate(() => engine.ask(7, "item/commandExecution/requestApproval", params));
      return openedWith(threadOf(String(threadId)));
    });
    const second = await startManager({ engine, folder: scratch.folder, workspace: "/work" });
    cleanups.push(() => second.close());
    const later = await second.stream();
    await later.until((m) => m["type"] === "ready");
    for (let i = 0; i < 3000 && second.backend.requests.list().length === 0; i++) await new Promise((resolve) => setTimeout(resolve, 10));
    const [again] = second.backend.requests.list();
    assert.deepEqual([again?.requestId, again?.createdAt], [before["requestId"], before["createdAt"]]);
    later.close();
  });

  test("a remote engine that was only unreachable: its request keeps its identity, and a lost answer can be given again", async () => {
    const engine = new PlayedEngine(true);
    const it = await played(engine);
    await it.call("POST /api/sessions/a/resume", {});
    const params = { threadId: "a", turnId: "t", itemId: "i", command: "ls" };
    const stream = await it.stream();
    engine.ask(7, "item/commandExecution/requestApproval", params);
    const { requestId } = payload(await stream.until((m) => m["type"] === "approval"));
    engine.on("thread/resume", ({ threadId }) => {
      setImmediate(() => engine.ask(7, "item/commandExecution/requestApproval", params));
      return openedWith(threadOf(String(threadId)));
    });
    engine.hangUp();
    await stream.until((m) => m["type"] === "engine_state" && payload(m)["running"] === true);
    assert.deepEqual(
      it.backend.requests.list().map((r) => r.requestId),
      [requestId],
    );
    const answering = it.call(`POST /api/approvals/${requestId}/decision`, { decision: "accept" });
    await stream.until((m) => m["type"] === "request_responding");
    engine.notify("serverRequest/resolved", { threadId: "a", requestId: 7 });
    assert.equal((await answering).status, 200);
    assert.equal(stream.messages.filter((m) => m["type"] === "approval").length, 1, "nobody is asked twice");
    // Another request with the same number, after the engine has restarted its numbering, has another id.
    engine.ask(7, "item/commandExecution/requestApproval", { ...params, turnId: "t-2" });
    const next = payload(await stream.until((m) => m["type"] === "approval" && payload(m)["turnId"] === "t-2"));
    assert.notEqual(next["requestId"], requestId);
    stream.close();
  });

  test("a request that was pending when the manager stopped and was not repeated has ended, with the reason", async () => {
    const scratch = scratchFolder();
    cleanups.push(scratch.remove);
    const engine = new PlayedEngine();
    const first = await played(engine, scratch.folder);
    await first.call("POST /api/sessions/a/resume", {});
    const stream = await first.stream();
    engine.ask(7, "item/tool/call", { threadId: "a", turnId: "t", callId: "c", tool: "x", arguments: {} });
    const { requestId } = payload(await stream.until((m) => m["type"] === "tool_call_requested"));
    await first.close();
    cleanups.pop();
    const second = await played(new PlayedEngine(), scratch.folder);
    // Startup has finished when the threads that were open have been joined.
    const isOver = async (): Promise<boolean> => JSON.stringify((await second.call("GET /api/audit")).body).includes('"expired"');
    for (let i = 0; i < 3000 && !(await isOver()); i++) await new Promise((resolve) => setTimeout(resolve, 10));
    const { status, body } = await second.call(`POST /api/tool-calls/${requestId}/response`, {});
    assert.deepEqual([status, body["outcome"]], [404, "The manager was restarted."]);
  });

  test("a sub-agent's request is in its parent's inbox", async () => {
    const it = await played();
    const engine = it.backend.engine as PlayedEngine;
    await it.call("POST /api/sessions/parent/resume", {});
    const stream = await it.stream();
    engine.notify("thread/started", {
      thread: threadOf("child", {
        parentThreadId: "parent",
        source: { subAgent: { thread_spawn: { depth: 1, parent_thread_id: "parent" } } },
      }),
    });
    engine.ask(3, "item/commandExecution/requestApproval", { threadId: "child", turnId: "t", itemId: "i", command: "ls" });
    assert.equal(payload(await stream.until((m) => m["type"] === "approval"))["rootThreadId"], "parent");
    const parent = await stream.until(
      (m) => m["type"] === "session_upserted" && payload(m)["sessionId"] === "parent" && payload(m)["pendingCount"] === 1,
    );
    assert.equal(payload(parent)["title"], "A question");
    stream.close();
  });

  test("a revoked device is signed out at once, and its sockets are closed", async () => {
    const it = await played();
    const { code } = it.backend.access.makeLink("read", "Phone");
    const { body } = await it.call("POST /api/auth/sign-in", { code, bearer: true }, {});
    const headers = { authorization: `Bearer ${body["token"]}` };
    assert.equal((await it.call("GET /api/auth/me", undefined, headers)).status, 200);
    const device = body["device"] as Record<string, unknown>;
    assert.equal((await it.call(`DELETE /api/devices/${device["deviceId"]}`)).status, 200);
    assert.equal((await it.call("GET /api/auth/me", undefined, headers)).status, 401);
  });

  test("the guard: foreign hosts and origins, wrong media types, and what unknown clients can see", async () => {
    const it = await played();
    const own = { authorization: `Bearer ${adminToken}` };
    assert.equal((await it.call("GET /api", undefined, { ...own, origin: "http://evil.example" })).status, 403);
    assert.equal((await it.call("GET /api", undefined, { ...own, origin: it.url })).status, 200);
    assert.equal((await it.call("GET /api", undefined, { ...own, "sec-fetch-site": "cross-site" })).status, 403);
    assert.deepEqual((await it.call("GET /api/health", undefined, {})).body, { status: "ok" });
    const form = await fetch(`${it.url}/api/projects`, {
      method: "POST",
      headers: { ...own, "content-type": "text/plain" },
      body: '{"name":"x"}',
    });
    assert.equal(form.status, 400);
    const page = await fetch(it.url);
    assert.match(page.headers.get("content-security-policy") ?? "", /script-src 'self'.*require-trusted-types-for 'script'/);
    assert.equal(page.headers.get("access-control-allow-origin"), null);
    const large = await fetch(`${it.url}/api/projects`, {
      method: "POST",
      headers: { ...own, "content-type": "application/json" },
      body: JSON.stringify({ name: "x".repeat(3_000_000) }),
    });
    assert.equal(large.status, 413);
  });
});
