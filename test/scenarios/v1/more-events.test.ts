/** Older events that come from what newer clients and agents do in a conversation. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { root } from "../../support/process.ts";
import { v1Client } from "../../support/v1-client.ts";
import { verifies } from "../../support/verifies.ts";
import { Cast, call, say } from "../agents/cast.ts";

const free = { approvalPolicy: "never", sandbox: "danger-full-access", modelProvider: "mock", model: "mock-model" };
/** One pixel. */
const picture = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");

verifies("v1.events.agents", async (stage) => {
  let id = "";
  await using cast = new Cast({
    LEAD: [
      call("spawn_agent", { message: "FIRST" }),
      ({ outputs }) => {
        id = JSON.parse(outputs[0] ?? "{}").agent_id;
        return call("wait_agent", { targets: [id], timeout_ms: 60_000 });
      },
      () => call("send_input", { target: id, message: "SECOND" }),
      () => call("close_agent", { target: id }),
      say("done"),
    ],
    FIRST: [say("one")],
    SECOND: [say("two")],
  });
  const client = await v1Client(stage, { config: await cast.config() });
  await client.open({ cwd: stage.workspace, ...free });
  const events = (await client.say("LEAD")).filter(({ type }) => String(type).startsWith("collab_"));
  client.check();
  assert.deepEqual(
    events.map(({ type }) => type),
    ["agent_spawn", "waiting", "agent_interaction", "close"].flatMap((name) => [`collab_${name}_begin`, `collab_${name}_end`]),
  );
  for (const event of events) assert.equal(event.sender_thread_id, client.conversationId, event.type);
  const of = (type: string) => events.find((event) => event.type === type);
  assert.deepEqual([of("collab_agent_spawn_end")?.prompt, of("collab_agent_spawn_end")?.new_thread_id], ["FIRST", id]);
  assert.deepEqual(of("collab_waiting_end")?.statuses, { [id]: { completed: "one" } });
  assert.deepEqual([of("collab_agent_interaction_end")?.receiver_thread_id, of("collab_close_end")?.receiver_thread_id], [id, id]);
});

verifies("v1.events.later", async (stage) => {
  writeFileSync(path.join(stage.workspace, "dot.png"), picture);
  await using cast = new Cast({
    GO: [
      call("exec_command", { cmd: "read word; echo got $word", tty: true, yield_time_ms: 250 }),
      ({ outputs }) =>
        call("write_stdin", { session_id: Number(/session ID (\d+)/.exec(outputs[0] ?? "")?.[1]), chars: "plum\n", yield_time_ms: 5000 }),
      call("view_image", { path: "dot.png" }),
      say("done"),
    ],
    PLAN: [{ text: "<proposed_plan>\n# Plan\n- a\n</proposed_plan>", deltas: 3 }],
  });
  const fixture = path.join(root, "test/support/mcp-fixture.ts");
  const servers = [
    `[mcp_servers.notes]\ncommand = ${JSON.stringify(process.execPath)}\nargs = [${JSON.stringify(fixture)}]`,
    '[mcp_servers.gone]\ncommand = "/no/such/program"\n',
  ];
  const client = await v1Client(stage, { config: [...servers, await cast.config()].join("\n") });
  await client.open({ cwd: stage.workspace, ...free });
  const { conversationId: threadId } = client;
  const started = await client.event("mcp_startup_complete");
  assert.deepEqual([started.ready, started.failed.map(({ server }: { server: string }) => server)], [["notes"], ["gone"]]);
  const beside = await stage.app();
  const typed = new Promise((resolve) => beside.on("item/commandExecution/terminalInteraction", ({ stdin }) => resolve(stdin)));
  await beside.call("thread/resume", { threadId });
  const events = await client.say("GO");
  assert.equal(await typed, "plum\n", "newer clients are told too");
  const of = (type: string) => events.find((event) => event.type === type);
  assert.equal(of("terminal_interaction")?.stdin, "plum\n");
  assert.equal(of("view_image_tool_call")?.path, path.join(stage.workspace, "dot.png"));
  await client.call("thread/name/set", { threadId, name: "Plums" });
  assert.deepEqual((await client.event("thread_name_updated")).thread_name, "Plums");
  const settings = { model: "mock-model", reasoning_effort: null, developer_instructions: null };
  const input = [{ type: "text", text: "PLAN", text_elements: [] }];
  await client.call("turn/start", { threadId, input, collaborationMode: { mode: "plan", settings } });
  assert.match((await client.event("plan_delta")).delta, /^# /);
  await client.wire.until(({ method, params }) => method === "codex/event/task_complete" && params.id !== "", "the end of the plan");
  await client.call("thread/compact/start", { threadId });
  await client.event("context_compacted");
  await client.call("archiveConversation", { conversationId: threadId, rolloutPath: client.rolloutPath });
  await client.event("shutdown_complete");
  client.check();
});

verifies("v1.events.questions", async (stage) => {
  const options = [
    { label: "SQLite", description: "One file." },
    { label: "Postgres", description: "A server." },
  ];
  await using cast = new Cast({
    ASK: [call("request_user_input", { questions: [{ id: "db", header: "Database", question: "Which database?", options }] }), say("ok")],
    LOOK: [call("lookup_ticket", { ticket_id: "ABC-123" }), say("ok")],
  });
  const client = await v1Client(stage, { config: await cast.config() }, { experimentalApi: true });
  const tool = { type: "function", name: "lookup_ticket", description: "Fetches a ticket", inputSchema: { type: "object" } };
  const { thread } = await client.call("thread/start", { cwd: stage.workspace, ...free, dynamicTools: [tool] });
  await client.call("addConversationListener", { conversationId: thread.id });
  const turn = async (text: string, method: string, result: unknown) => {
    const from = client.wire.received.length;
    await client.call("turn/start", { threadId: thread.id, input: [{ type: "text", text, text_elements: [] }] });
    const asked = await client.wire.until((message) => message.method === method, method);
    client.wire.send({ id: asked.id, result });
    await client.wire.until(
      (message) => message.method === "codex/event/task_complete" && client.wire.received.indexOf(message) >= from,
      "the end of the turn",
    );
    return asked.params;
  };
  const { turnId, itemId } = await turn("ASK", "item/tool/requestUserInput", { answers: { db: { answers: ["Postgres"] } } });
  assert.match(cast.of("ASK").at(-1)?.outputs[0] ?? "", /Postgres/, "the newer API's answer counts, not the older connection's silence");
  const questions = [{ id: "db", header: "Database", question: "Which database?", isOther: true, isSecret: false, options }];
  const { type, ...asked } = await client.event("request_user_input");
  assert.deepEqual(asked, { call_id: itemId, callId: itemId, turn_id: turnId, turnId, questions });
  const called = await turn("LOOK", "item/tool/call", { contentItems: [{ type: "inputText", text: "it is open" }], success: true });
  assert.match(cast.of("LOOK").at(-1)?.outputs[0] ?? "", /it is open/);
  assert.deepEqual(await client.event("dynamic_tool_call_request"), {
    ...{ type: "dynamic_tool_call_request", callId: called.callId, turnId: called.turnId },
    ...{ tool: "lookup_ticket", arguments: { ticket_id: "ABC-123" } },
  });
  client.check();
});

verifies("v1.events.unanswered", async (stage) => {
  const questions = [{ id: "db", header: "Database", question: "Which database?", options: [] }];
  await using cast = new Cast({ ASK: [call("request_user_input", { questions }), say("ok")] });
  const client = await v1Client(stage, { config: await cast.config() });
  await client.open({ cwd: stage.workspace, ...free });
  const events = await client.say("ASK");
  client.check();
  assert.ok(events.some(({ type }) => type === "request_user_input"));
  assert.match(cast.of("ASK").at(-1)?.outputs[0] ?? "", /no answers were given/);
});
