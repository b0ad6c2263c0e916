/** Tools that live in the client. */
import assert from "node:assert/strict";
import { verifies } from "../../support/verifies.ts";

const flat = { name: "ticket", description: "A ticket", inputSchema: { type: "object", properties: { id: { type: "string" } } } };
const desk = { type: "namespace" as const, name: "desk", description: "Desk", tools: [{ type: "function" as const, ...flat }] };

verifies("dynamicTool.answers", async ({ app, workspace }) => {
  const content = [{ type: "inputText", text: "open" }];
  const older = { content_items: [{ type: "input_text", text: "open" }], success: true };
  const answers = [{ contentItems: content, success: true }, older, { output: "open", success: true }, { content: "open" }, "open"];
  const client = await app({ turns: answers.map(() => [{ call: "ticket", with: { id: "A" } }, { say: "{{output}}" }]) });
  let n = 0;
  client.answer("item/tool/call", () => answers[n++] as never);
  const thread = await client.startThread({ cwd: workspace, dynamicTools: [flat] as never });
  for (const _ of answers) {
    const run = await thread.run("look");
    const item = run.items.find((i) => i.type === "dynamicToolCall");
    assert.deepEqual([run.text, item?.type === "dynamicToolCall" && item.status], ["open", "completed"]);
  }
});

verifies("dynamicTool.resumed", async ({ app, workspace, restart }) => {
  const turn = [{ call: "ticket", namespace: "desk", with: {} }, { say: "{{output}}" }];
  const client = await app({ turns: [turn, turn] });
  client.answer("item/tool/call", ({ namespace, tool }) => ({
    contentItems: [{ type: "inputText", text: `${namespace}/${tool}` }],
    success: true,
  }));
  const thread = await client.startThread({ cwd: workspace, dynamicTools: [desk] });
  assert.equal((await thread.run("one")).text, "desk/ticket");
  await restart();
  const again = await app();
  again.answer("item/tool/call", () => ({ contentItems: [{ type: "inputText", text: "again" }], success: true }));
  assert.equal((await (await again.resumeThread(thread.id)).run("two")).text, "again");
});

verifies("dynamicTool.offeredAnew", async ({ app, workspace, restart }) => {
  const turn = (name: string) => [{ call: name, with: {} }, { say: "{{output}}" }];
  const client = await app({ turns: [turn("ticket"), turn("parcel"), turn("parcel")] });
  const parcel = { ...flat, name: "parcel" };
  const answerer = ({ tool }: { tool: string }) => ({
    contentItems: [{ type: "inputText" as const, text: `from ${tool}` }],
    success: true,
  });
  client.answer("item/tool/call", answerer);
  const thread = await client.startThread({ cwd: workspace, dynamicTools: [flat] as never });
  assert.equal((await thread.run("one")).text, "from ticket");
  const loaded = await client.resumeThread(thread.id, { dynamicTools: [parcel] as never });
  assert.equal((await loaded.run("two")).text, "from parcel");
  await restart();
  const again = await app();
  again.answer("item/tool/call", answerer);
  const stored = await again.resumeThread(thread.id, { dynamicTools: [parcel] as never });
  assert.equal((await stored.run("three")).text, "from parcel");
});

verifies("dynamicTool.noShadow", async ({ app, workspace }) => {
  const client = await app({ turns: [[{ run: "echo real" }, { say: "{{output}}" }]] });
  const asked: string[] = [];
  client.answer("item/tool/call", ({ tool }) => {
    asked.push(tool);
    return { contentItems: [], success: true };
  });
  const tools = ["shell", "shell_command", "exec_command", "apply_patch"].map((name) => ({ ...flat, name }));
  const settings = { cwd: workspace, approvalPolicy: "never", sandbox: "danger-full-access" } as const;
  const thread = await client.startThread({ ...settings, dynamicTools: tools as never });
  assert.match((await thread.run("go")).text, /real/);
  assert.deepEqual(asked, []);
});

verifies("dynamicTool.interrupted", async ({ app, workspace }) => {
  const client = await app({ turns: [[{ call: "ticket", with: {} }, { say: "never" }]] });
  const stop = new AbortController();
  client.answer("item/tool/call", () => {
    stop.abort();
    return new Promise(() => {});
  });
  const thread = await client.startThread({ cwd: workspace, dynamicTools: [flat] as never });
  const run = await thread.run("look", { signal: stop.signal });
  const item = run.items.find((i) => i.type === "dynamicToolCall");
  assert.deepEqual(
    [run.status, item?.type === "dynamicToolCall" && [item.status, item.success, item.contentItems]],
    ["interrupted", ["failed", false, []]],
  );
});

verifies("dynamicTool.names", async ({ app, workspace }) => {
  const client = await app();
  const refused = async (tools: readonly object[], message: RegExp): Promise<void> =>
    assert.rejects(
      client.call("thread/start", { cwd: workspace, dynamicTools: tools as never }),
      (error: Error & { code?: number }) => error.code === -32600 && message.test(error.message),
    );
  const called = (name: string) => ({ ...flat, name });
  await refused([called("")], /name must not be empty/);
  await refused([called(" a")], /leading\/trailing whitespace/);
  await refused([called("a b")], /must match .*: a b/);
  await refused([called("x".repeat(129))], /at most 128 characters/);
  await refused([called("mcp")], /name is reserved: mcp/);
  await refused([called("mcp__a")], /name is reserved: mcp__a/);
  await refused([flat, flat], /duplicate dynamic tool name: ticket/);
  await refused([{ ...flat, inputSchema: 5 }], /input schema is not supported for ticket/);
  await refused([{ ...flat, inputSchema: { type: "null" } }], /must not be a singleton null type/);
  await refused([{ ...flat, deferLoading: true }], /must include a namespace: ticket/);
  await refused([{ ...desk, name: "" }], /namespace must not be empty/);
  await refused([{ ...desk, tools: [] }], /at least one tool: desk/);
  await refused([{ ...desk, tools: [...desk.tools, ...desk.tools] }], /duplicate dynamic tool name in namespace desk: ticket/);
  await refused([desk, desk], /duplicate dynamic tool namespace: desk/);
  assert.ok((await client.call("thread/start", { cwd: workspace, dynamicTools: [flat, desk] as never })).thread.id);
});

verifies("dynamicTool.unwatched", async ({ app, workspace }) => {
  const client = await app({ turns: [[{ call: "ticket", with: {} }, { say: "done" }]] });
  const states: string[] = [];
  client.on("thread/status/changed", ({ status }) => states.push(JSON.stringify(status)));
  client.answer("item/tool/call", () => ({ contentItems: [{ type: "inputText", text: "open" }], success: true }));
  const thread = await client.startThread({ cwd: workspace, dynamicTools: [flat] as never });
  await thread.run("look");
  await client.call("thread/loaded/list", {}); // answered after the turn's notifications
  assert.deepEqual(states, [JSON.stringify({ type: "active", activeFlags: [] }), JSON.stringify({ type: "idle" })]);
});
