/** Configured MCP servers: started, offered, called, broken, reloaded. */
import assert from "node:assert/strict";
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type Client, RpcError } from "../../../src/client/client.ts";
import { root } from "../../support/process.ts";
import { verifies } from "../../support/verifies.ts";

const fixture = path.join(root, "test/support/mcp-fixture.ts");
const server = (name: string, behaviour: string, more = ""): string =>
  `[mcp_servers.${name}]\ncommand = ${JSON.stringify(process.execPath)}\nargs = [${JSON.stringify(fixture)}, "${behaviour}"]\nstartup_timeout_sec = 60\n${more}\n`;
const never = 'approval_policy = "never"\n';

/** Runs one turn and returns its MCP items and final message. */
async function turn(client: Client, threadId: string, text: string) {
  const items: Extract<Parameters<Parameters<Client["on"]>[1]>[0], object>[] = [];
  const stop = client.on("item/completed", ({ item }) => items.push(item));
  const ended = Promise.withResolvers<{ status: string; error?: { message: string } | null }>();
  const unlisten = client.on("turn/completed", (p) => ended.resolve(p.turn));
  await client.call("turn/start", { threadId, input: [{ type: "text", text, text_elements: [] }] });
  const { status, error } = await ended.promise;
  stop();
  unlisten();
  const all = items as {
    type: string;
    text?: string;
    status?: string;
    error?: { message: string } | null;
    result?: { content: { text: string }[] };
  }[];
  return {
    status,
    error,
    calls: all.filter(({ type }) => type === "mcpToolCall"),
    reply: all.findLast(({ type }) => type === "agentMessage")?.text ?? "",
  };
}

const call = (tool: string, args: object = {}, name = "notes") => ({ call: `mcp__${name}__${tool}`, with: args });
const start = async (client: Client, cwd: string): Promise<string> => (await client.call("thread/start", { cwd })).thread.id;

verifies("mcp.call", async ({ app, workspace }) => {
  const client = await app({
    turns: [[{ expect: { tools: ["mcp__notes__read", "list_mcp_resources"] } }, call("read", { name: "plum" }), "{{output}}"]],
    config: `${never}${server("notes", "plain", 'env = { NOTE = "a stone fruit" }')}`,
  });
  const states: unknown[] = [];
  client.on("mcpServer/startupStatus/updated", ({ name, status }) => states.push([name, status]));
  const { calls, reply } = await turn(client, await start(client, workspace), "go");
  assert.equal(reply, "plum: a stone fruit");
  assert.equal(calls[0]?.status, "completed");
  assert.deepEqual(states, [
    ["notes", "starting"],
    ["notes", "ready"],
  ]);
});

verifies("mcp.progress", async ({ app, workspace }) => {
  const client = await app({ turns: [[call("slow"), "{{output}}"]], config: `${never}${server("notes", "plain")}` });
  const messages: string[] = [];
  client.on("item/mcpToolCall/progress", ({ message }) => messages.push(message));
  await turn(client, await start(client, workspace), "go");
  assert.deepEqual(messages, ["step 1", "step 2", "step 3"]);
});

verifies("mcp.resources", async ({ app, workspace }) => {
  const client = await app({
    turns: [[{ call: "read_mcp_resource", with: { server: "notes", uri: "fixture://note" } }, "{{output}}"]],
    config: `${never}${server("notes", "plain")}`,
  });
  const threadId = await start(client, workspace);
  assert.match((await turn(client, threadId, "go")).reply, /note text/);
  const { contents } = await client.call("mcpServer/resource/read", { threadId, server: "notes", uri: "fixture://note" });
  assert.deepEqual(contents, [{ uri: "fixture://note", mimeType: "text/plain", text: "note text" }]);
  const direct = await client.call("mcpServer/tool/call", { threadId, server: "notes", tool: "read", arguments: { name: "x" } });
  assert.deepEqual(direct, { content: [{ type: "text", text: "x: nothing" }] }, "nothing that the server left out");
  const [status] = (await client.call("mcpServerStatus/list", { threadId })).data;
  const details = { description: null, icons: null, title: null, websiteUrl: null };
  assert.deepEqual(status?.serverInfo, { name: "fixture", version: "1.0.0", ...details });
  await assert.rejects(client.call("mcpServer/resource/read", { server: "other", uri: "x" }), {
    code: -32603,
    message: "unknown MCP server 'other'",
  });
  const strange = { threadId, server: "notes", tool: "nosuch", arguments: {} };
  await assert.rejects(client.call("mcpServer/tool/call", strange), { code: -32602, message: /nosuch/ });
});

verifies("mcp.resourceItems", async ({ app, workspace }) => {
  const calls = [
    { call: "list_mcp_resources", with: {}, id: "c1" },
    { call: "list_mcp_resource_templates", with: { server: "notes" }, id: "c2" },
    { call: "read_mcp_resource", with: { server: "notes", uri: "fixture://note" }, id: "c3" },
    { call: "read_mcp_resource", with: { server: "other", uri: "x" }, id: "c4" },
  ];
  const client = await app({
    turns: [calls.flatMap((call) => [call, { say: "{{output}}" }])].map((steps) => ({ steps })),
    config: `${never}${server("notes", "plain")}`,
  });
  const items: unknown[] = [];
  client.on("item/completed", ({ item }) => {
    if (item.type === "mcpToolCall") items.push([item.id, item.server, item.tool, item.status, item.result?.content]);
  });
  const threadId = await start(client, workspace);
  const outputs: string[] = [];
  client.on("item/completed", ({ item }) => item.type === "agentMessage" && outputs.push(item.text));
  await turn(client, threadId, "go");
  const note = { uri: "fixture://note", name: "note", mimeType: "text/plain" };
  const [listed = "", templates = "", read = "", unknown = ""] = outputs;
  assert.deepEqual(JSON.parse(listed), { resources: [{ server: "notes", ...note }] });
  assert.equal(JSON.parse(templates).server, "notes");
  assert.ok(Array.isArray(JSON.parse(templates).resourceTemplates));
  const { server: from, uri, contents } = JSON.parse(read);
  assert.deepEqual([from, uri, contents[0].text], ["notes", "fixture://note", "note text"]);
  assert.equal(unknown, "unknown MCP server 'other'");
  const text = (content: string) => [{ type: "text", text: content }];
  assert.deepEqual(items, [
    ["c1", "codex", "list_mcp_resources", "completed", text(listed)],
    ["c2", "notes", "list_mcp_resource_templates", "completed", text(templates)],
    ["c3", "notes", "read_mcp_resource", "completed", text(read)],
  ]);
});

verifies("mcp.status", async ({ app }) => {
  const client = await app({
    config: `${server("notes", "plain", 'enabled_tools = ["read", "write"]\ndisabled_tools = ["write"]')}${server("off", "plain", "enabled = false")}${server("broken", "complain")}`,
  });
  const { data } = await client.call("mcpServerStatus/list", {});
  assert.deepEqual(
    data.map(({ name, runtimeStatus, authStatus }) => [name, runtimeStatus, authStatus]),
    [
      ["broken", "failed", "unsupported"],
      ["notes", "connected", "unsupported"],
      ["off", "disabled", "unsupported"],
    ],
  );
  assert.deepEqual(Object.keys(data[1]?.tools ?? {}), ["read"]);
  const fields = ["httpOrigin", "pluginId", "serverCapabilities", "serverInfo", "toolListMeta", "toolsError"];
  for (const status of data) for (const field of fields) assert.ok(Object.hasOwn(status, field), `${status.name} says nothing of ${field}`);
  assert.equal(data[1]?.resources[0]?.uri, "fixture://note");
  const page = await client.call("mcpServerStatus/list", { limit: 1 });
  assert.equal(page.data.length, 1);
  assert.equal((await client.call("mcpServerStatus/list", { cursor: page.nextCursor ?? "" })).data[0]?.name, "notes");
  await assert.rejects(client.call("mcpServerStatus/list", { cursor: "never given" }), { message: "invalid cursor: never given" });
});

for (const behaviour of ["exit", "complain", "mute", "garbage"])
  verifies("mcp.broken", async ({ app, workspace }) => {
    // Only servers that never send anything useful have to time out.
    const seconds = ["mute", "garbage"].includes(behaviour) ? 1 : 60;
    const broken = server("broken", behaviour).replace("startup_timeout_sec = 60", `startup_timeout_sec = ${seconds}`);
    const client = await app({
      turns: [[call("read", { name: "plum" }), { say: "{{output}}" }], ["Again."]],
      config: `${never}${server("notes", "plain")}${broken}[mcp_servers.missing]\ncommand = "/no/such/program"\n`,
    });
    const warnings: string[] = [];
    client.on("warning", ({ message }) => warnings.push(message));
    const threadId = await start(client, workspace);
    const { status, reply } = await turn(client, threadId, "go");
    assert.equal(status, "completed");
    assert.equal(reply, "plum: nothing", "the other server works");
    assert.deepEqual(
      warnings.map((text) => /^MCP server (\w+) is not available/.exec(text)?.[1]).sort(),
      ["broken", "missing"],
      "one warning each",
    );
    if (behaviour === "complain")
      assert.ok(
        warnings.some((text) => text.includes("cannot find the database")),
        "its own error output helps",
      );
    const starts: string[] = [];
    client.on("mcpServer/startupStatus/updated", ({ name }) => starts.push(name));
    await turn(client, threadId, "again");
    assert.deepEqual(starts, [], "a broken server is not started anew at every request");
  });

verifies("mcp.required", async ({ app, workspace }) => {
  const client = await app({ config: server("needed", "exit", "required = true") });
  const started: unknown[] = [];
  client.on("thread/started", (p) => started.push(p));
  await assert.rejects(start(client, workspace), {
    code: -32603,
    message: /^error creating thread: required MCP servers failed to initialize: needed: /,
  });
  assert.deepEqual([(await client.call("thread/loaded/list", {})).data, started], [[], []]);
});

verifies("mcp.required", async ({ app, workspace, home }) => {
  const client = await app({ config: never });
  const threadId = await start(client, workspace);
  const file = path.join(home, "config.toml");
  writeFileSync(file, `${readFileSync(file, "utf8")}${server("needed", "exit", "required = true")}`);
  const { status, error } = await turn(client, threadId, "go");
  assert.equal(status, "failed");
  assert.match(error?.message ?? "", /required MCP server needed could not be started/);
});

verifies("mcp.callMeta", async ({ app, workspace }) => {
  const client = await app({ turns: [[call("meta"), "{{output}}"]], config: `${never}${server("notes", "meta")}` });
  const threadId = await start(client, workspace);
  const { reply } = await turn(client, threadId, "go");
  const { progressToken: _token, ...meta } = JSON.parse(reply);
  assert.deepEqual([meta.threadId, meta.sessionId, typeof meta.callId], [threadId, threadId, "string"]);
  const params = { threadId, server: "notes", tool: "meta", arguments: {}, _meta: { source: "app", threadId: "forged" } };
  const { content } = await client.call("mcpServer/tool/call", params);
  assert.match(JSON.stringify(content), new RegExp(`source.*app.*threadId.*${threadId}`));
});

verifies("mcp.started", async (stage) => {
  const wire = await stage.wire({ config: server("notes", "plain", "required = true") + server("gone", "exit") });
  await wire.initialize({ experimentalApi: true });
  const { result } = await wire.ask("thread/start", { cwd: stage.workspace });
  const statusOf = (name: string, status: string) =>
    wire.until((m) => m.method === "mcpServer/startupStatus/updated" && m.params.name === name && m.params.status === status);
  assert.equal((await statusOf("notes", "ready")).params.threadId, result.thread.id);
  assert.match((await statusOf("gone", "failed")).params.error, /closed/i);
  const order = wire.order.filter((step) => step === "thread/started" || step.startsWith("mcpServer/"));
  assert.equal(order[0], "thread/started");
});

verifies("mcp.crash", async ({ app, workspace }) => {
  const client = await app({
    turns: [
      [call("crash"), call("read", { name: "plum" }), "{{output}}"],
      [call("read", { name: "pear" }), "{{output}}"],
    ],
    config: `${never}${server("notes", "plain")}`,
  });
  const threadId = await start(client, workspace);
  const first = await turn(client, threadId, "go");
  assert.equal(first.calls.find(({ status }) => status === "failed") === undefined, false);
  assert.equal((await turn(client, threadId, "more")).reply, "pear: nothing", "it was started again");
});

verifies("mcp.timeout", async ({ app, workspace }) => {
  const client = await app({
    turns: [[call("hang"), "{{output}}"]],
    config: `${never}${server("notes", "plain", "tool_timeout_sec = 0.3")}`,
  });
  const { calls, reply } = await turn(client, await start(client, workspace), "go");
  assert.equal(calls[0]?.status, "failed");
  assert.match(reply, /tool call error: .*timed? ?out/i);
});

verifies("mcp.interrupt", async ({ app, workspace }) => {
  const client = await app({ turns: [[call("hang"), "{{output}}"]], config: `${never}${server("notes", "plain")}` });
  const threadId = await start(client, workspace);
  const begun = Promise.withResolvers<void>();
  client.on("item/started", ({ item }) => item.type === "mcpToolCall" && begun.resolve());
  const running = turn(client, threadId, "go");
  await begun.promise;
  const { data } = await client.call("thread/turns/list", { threadId, limit: 1 });
  await client.call("turn/interrupt", { threadId, turnId: data[0]?.id ?? "" });
  assert.equal((await running).status, "interrupted");
});

verifies("mcp.environment", async ({ app, workspace, home }) => {
  const client = await app({
    turns: [[call("env"), "{{output}}"]],
    config: `${never}${server("notes", "plain", 'env = { GIVEN = "yes" }\nenv_vars = ["PATH"]')}`,
  });
  const env = JSON.parse((await turn(client, await start(client, workspace), "go")).reply);
  assert.equal(env.GIVEN, "yes");
  assert.deepEqual(
    Object.keys(env).filter((name) => /KEY|TOKEN|SECRET|CODEX|PARLEY/.test(name)),
    [],
  );
  assert.ok(!JSON.stringify(env).includes(path.join(home, "auth.json")));
});

verifies("mcp.reload", async ({ app, workspace, home }) => {
  const client = await app({
    turns: [["One."], [{ expect: { tools: ["mcp__late__read"] } }, call("read", { name: "plum" }, "late"), "{{output}}"]],
    config: never,
  });
  const threadId = await start(client, workspace);
  await turn(client, threadId, "one");
  appendFileSync(path.join(home, "config.toml"), server("late", "plain"));
  assert.deepEqual(await client.call("config/mcpServer/reload", {}), {});
  assert.equal((await turn(client, threadId, "two")).reply, "plum: nothing");
});

verifies("mcp.brokenReload", async ({ app, workspace, home }) => {
  const client = await app({ turns: [["One."], ["Two."]], config: never });
  const threadId = await start(client, workspace);
  await turn(client, threadId, "one");
  const file = path.join(home, "config.toml");
  const good = readFileSync(file, "utf8");
  writeFileSync(file, `${good}\n[mcp_servers.bad]\n`);
  await client.call("config/mcpServer/reload", {});
  await assert.rejects(turn(client, threadId, "two"), (error) => error instanceof RpcError && /mcp_servers\.bad/.test(error.message));
  writeFileSync(file, good);
  assert.equal((await turn(client, threadId, "two")).reply, "Two.");
});
