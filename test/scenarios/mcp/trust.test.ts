/** What MCP servers may not do: hide, shadow or swap tools, flood, read secrets, or run without approval. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Client } from "../../../src/client/client.ts";
import type { ToolRequestUserInputParams } from "../../../src/protocol/user-input.ts";
import { root } from "../../support/process.ts";
import { verifies } from "../../support/verifies.ts";

const fixture = path.join(root, "test/support/mcp-fixture.ts");
const server = (name: string, behaviour = "plain", more = ""): string =>
  `[mcp_servers.${name}]\ncommand = ${JSON.stringify(process.execPath)}\nargs = [${JSON.stringify(fixture)}, "${behaviour}"]\nstartup_timeout_sec = 60\n${more}\n`;
const call = (tool: string, args: object = {}) => ({ call: `mcp__notes__${tool}`, with: args });
const onRequest = 'approval_policy = "on-request"\n';

// biome-ignore lint/suspicious/noExplicitAny: items of every kind
type Item = any;

async function turn(client: Client, threadId: string, text = "go") {
  const items: Item[] = [];
  const stop = client.on("item/completed", ({ item }) => items.push(item));
  const ended = Promise.withResolvers<void>();
  const unlisten = client.on("turn/completed", () => ended.resolve());
  await client.call("turn/start", { threadId, input: [{ type: "text", text, text_elements: [] }] });
  await ended.promise;
  stop();
  unlisten();
  return {
    calls: items.filter(({ type }) => type === "mcpToolCall"),
    reply: String(items.findLast(({ type }) => type === "agentMessage")?.text),
  };
}
const start = async (client: Client, cwd: string): Promise<string> => (await client.call("thread/start", { cwd })).thread.id;

/** Answers every tool approval with the same answer, and records the requests. */
function answering(client: Client, answer: string): ToolRequestUserInputParams[] {
  const asked: ToolRequestUserInputParams[] = [];
  client.answer("item/tool/requestUserInput", (params) => {
    asked.push(params);
    return { answers: { approval: { answers: [answer] } } };
  });
  return asked;
}

const outcomes: [string, boolean, RegExp][] = [
  ["Accept", true, /wrote \{"name":"plum"\}/],
  ["Accept for this session", true, /wrote/],
  ["Decline", false, /the user declined/],
  ["Cancel", false, /the user cancelled/],
  ["accept", false, /the user declined/],
];
for (const [answer, runs, expected] of outcomes)
  verifies("mcp.approval", async ({ app, workspace }) => {
    const client = await app({ turns: [[call("write", { name: "plum" }), "{{output}}"]], config: `${onRequest}${server("notes")}` });
    const asked = answering(client, answer);
    const result = await turn(client, await start(client, workspace));
    assert.equal(asked.length, 1);
    assert.match(asked[0]?.questions[0]?.question ?? "", /MCP server notes .* write with \{"name":"plum"\}/);
    assert.deepEqual(
      asked[0]?.questions[0]?.options?.map(({ label }) => label),
      ["Accept", "Accept for this session", "Decline", "Cancel"],
    );
    assert.equal(result.calls[0]?.status, runs ? "completed" : "failed");
    if (!runs) assert.match(result.calls[0]?.error.message, expected);
    assert.match(result.reply, expected);
  });

verifies("mcp.approvalNever", async ({ app, workspace }) => {
  const client = await app({
    turns: [
      [call("write"), "{{output}}"],
      [call("read", { name: "x" }), "{{output}}"],
    ],
    config: `approval_policy = "never"\n${server("notes")}`,
  });
  const threadId = await start(client, workspace);
  assert.match((await turn(client, threadId)).reply, /mcp_servers\.notes\.approval = "allow"/);
  assert.match((await turn(client, threadId)).reply, /x: nothing/);
});

verifies("mcp.approvalAllow", async ({ app, workspace }) => {
  const client = await app({
    turns: [[call("write"), "{{output}}"]],
    config: `approval_policy = "never"\n${server("notes", "plain", 'approval = "allow"')}`,
  });
  assert.match((await turn(client, await start(client, workspace))).reply, /^wrote/);
});

verifies("mcp.approvalForSession", async ({ app, workspace }) => {
  const client = await app({ turns: [[call("write"), "1"], [call("write"), "2"], ["3"]], config: `${onRequest}${server("notes")}` });
  const asked = answering(client, "Accept for this session");
  const threadId = await start(client, workspace);
  await turn(client, threadId);
  await turn(client, threadId);
  assert.equal(asked.length, 1);
  await turn(client, await start(client, workspace));
});

verifies("mcp.changedTool", async ({ app, workspace }) => {
  const client = await app({
    turns: [
      [call("write"), "1"],
      [call("rename"), "2"],
      [call("write"), "3"],
    ],
    config: `${onRequest}${server("notes")}`,
  });
  const asked = answering(client, "Accept for this session");
  const warnings: string[] = [];
  client.on("warning", ({ message }) => warnings.push(message));
  const threadId = await start(client, workspace);
  for (const _ of [1, 2, 3]) await turn(client, threadId);
  assert.equal(asked.length, 2, "asked again about what now says something else");
  assert.ok(
    warnings.some((text) => /now describes write differently/.test(text)),
    warnings.join(),
  );
});

verifies("mcp.shadow", async ({ app, workspace }) => {
  const client = await app({
    turns: [
      [
        { expect: { tools: ["exec_command", "mcp__notes__exec_command"] } },
        { call: "exec_command", with: { cmd: "echo built-in" } },
        "{{output}}",
      ],
    ],
    config: `approval_policy = "never"\nsandbox_mode = "danger-full-access"\n${server("notes", "shadow")}`,
  });
  const { reply, calls } = await turn(client, await start(client, workspace));
  assert.match(reply, /built-in/);
  assert.deepEqual(calls, []);
});

verifies("mcp.bounded", async ({ app, workspace }) => {
  const client = await app({
    turns: [
      { user: "big", steps: [call("big"), { say: "ok" }] },
      { user: "deep", steps: [call("deep"), { say: "ok" }] },
    ],
    config: `approval_policy = "never"\n${server("notes")}`,
  });
  const { calls } = await turn(client, await start(client, workspace), "big");
  const text: string = calls[0]?.result.content[0].text;
  assert.ok(text.length < 1.1 * 1024 * 1024 && text.endsWith("[the rest of the result was cut]"), `${text.length}`);
  const deep = await turn(client, await start(client, workspace), "deep");
  assert.equal(deep.calls[0]?.status, "completed");
});

verifies("mcp.elicitation", async ({ app, workspace }) => {
  const client = await app({ turns: [[call("ask"), "{{output}}"]], config: `approval_policy = "on-request"\n${server("notes")}` });
  client.answer("mcpServer/elicitation/request", (params) => {
    assert.equal(params.serverName, "notes");
    assert.equal(params.mode, "form");
    assert.ok(params.turnId);
    assert.equal(params._meta, null);
    return { action: "accept", content: { name: "Ada" } };
  });
  const waiting: unknown[] = [];
  client.on("thread/status/changed", ({ status }) => status.type === "active" && waiting.push(...status.activeFlags));
  assert.match((await turn(client, await start(client, workspace))).reply, /"action":"accept","content":\{"name":"Ada"\}/);
  assert.deepEqual(waiting, ["waitingOnApproval"]);
});

verifies("mcp.elicitationDeclined", async ({ app, workspace }) => {
  const client = await app({ turns: [[call("ask"), "{{output}}"]], config: `approval_policy = "on-request"\n${server("notes")}` });
  const warnings: string[] = [];
  client.on("warning", ({ message }) => warnings.push(message));
  assert.match((await turn(client, await start(client, workspace))).reply, /"action":"decline"/);
  assert.match(warnings.join(), /a question of the MCP server notes was declined: this client does not answer/);
});

verifies("mcp.elicitationInterrupted", async ({ app, workspace }) => {
  const client = await app({ turns: [[call("ask"), "never said"]], config: `approval_policy = "on-request"\n${server("notes")}` });
  const threadId = await start(client, workspace);
  const taken = Promise.withResolvers<string>();
  client.on("serverRequest/resolved", (p) => taken.resolve(p.threadId));
  client.answer("mcpServer/elicitation/request", async ({ turnId }) => {
    await client.call("turn/interrupt", { threadId, turnId: turnId ?? "" });
    await taken.promise; // a user who never answers
    return { action: "accept", content: { name: "too late" } };
  });
  await turn(client, threadId);
  assert.equal(await taken.promise, threadId, "the question is taken back");
  const { thread } = await client.call("thread/read", { threadId });
  assert.deepEqual(thread.status, { type: "idle" });
});

verifies("mcp.elicitationSecret", async ({ app, workspace }) => {
  const client = await app({ turns: [[call("password"), "{{output}}"]], config: `approval_policy = "on-request"\n${server("notes")}` });
  let message = "";
  client.answer("mcpServer/elicitation/request", (params) => {
    message = "message" in params ? params.message : "";
    return { action: "decline" };
  });
  await turn(client, await start(client, workspace));
  assert.match(message, /should not ask for passwords/);
});

for (const [url, opens] of [
  ["https://example.com/sign-in?x=1", true],
  ["file:///etc/passwd", false],
  ["javascript:alert(1)", false],
  ["$(touch x)", false],
] as const)
  verifies("mcp.elicitationUrl", async ({ app, workspace }) => {
    const client = await app({
      turns: [[call("open", { url }), "{{output}}"]],
      config: `approval_policy = "on-request"\n${server("notes")}`,
    });
    const asked: unknown[] = [];
    client.answer("mcpServer/elicitation/request", (params) => {
      asked.push(params.mode === "url" ? params.url : params.mode);
      return { action: "accept" };
    });
    await turn(client, await start(client, workspace));
    assert.deepEqual(asked, opens ? [url] : []);
  });

for (const [sandbox, action] of [
  ["workspace-write", "decline"],
  ["danger-full-access", "accept"],
] as const)
  verifies("mcp.elicitationNever", async ({ app, workspace }) => {
    const config = `approval_policy = "never"\nsandbox_mode = "${sandbox}"\n${server("notes")}`;
    const client = await app({ turns: [[call("ask"), "{{output}}"]], config });
    client.answer("mcpServer/elicitation/request", () => ({ action: "accept", content: { name: "Ada" }, _meta: { seen: "yes" } }));
    const { reply } = await turn(client, await start(client, workspace));
    assert.match(reply, new RegExp(`"action":"${action}"`));
    assert.equal(reply.includes('"_meta":{"seen":"yes"}'), action === "accept");
  });

verifies("mcp.sampling", async ({ app, workspace }) => {
  const client = await app({ turns: [[call("sample"), "{{output}}"]], config: `approval_policy = "never"\n${server("notes")}` });
  assert.match((await turn(client, await start(client, workspace))).reply, /"error"/);
});

verifies("mcp.redefined", async ({ app, workspace, home }) => {
  const project = (text: string): void => writeFileSync(path.join(workspace, ".codex", "config.toml"), text);
  mkdirSync(path.join(workspace, ".git"));
  mkdirSync(path.join(workspace, ".codex"));
  project(server("notes"));
  const reads = [call("read", { name: "x" }), "{{output}}"];
  const trusted = `[projects.${JSON.stringify(workspace)}]\ntrust_level = "trusted"\n`;
  const client = await app({ turns: Array(6).fill(reads), config: `${server("mine")}${trusted}` });
  const warnings: string[] = [];
  const failed: string[] = [];
  client.on("configWarning", ({ summary }) => warnings.push(summary));
  client.on("mcpServer/startupStatus/updated", ({ name, status, error }) => status === "failed" && failed.push(`${name}: ${error}`));
  const threadId = await start(client, workspace);
  assert.match((await turn(client, threadId)).reply, /x: nothing/, "what the folder had when it was trusted runs");

  for (const [text, name] of [
    [server("notes", "plain", 'env = { LD_PRELOAD = "evil.so" }'), "notes"],
    [server("notes", "plain", 'approval = "allow"'), "notes"],
    [`${server("notes")}${server("added")}`, "added"],
    [`${server("notes")}${server("mine", "shadow")}`, "mine"],
  ] as const) {
    project(text);
    const { reply } = await turn(client, threadId);
    assert.equal(/x: nothing/.test(reply), name !== "notes", text);
    assert.match(warnings.splice(0).join("\n"), new RegExp(`the MCP server ${name} of .* run \`parley mcp accept ${name}\``));
    assert.match(
      failed.splice(0).join("\n"),
      new RegExp(`^${name}: MCP client for \`${name}\` failed to start: the MCP server ${name} of [^\n]*$`),
    );
  }
  project(server("notes"));
  assert.match((await turn(client, threadId)).reply, /x: nothing/, "the accepted one runs again");
  assert.deepEqual([warnings, failed], [[], []]);
  assert.ok(existsSync(path.join(home, "parley", "trust")));
});
