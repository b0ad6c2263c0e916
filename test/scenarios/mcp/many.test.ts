/** MCP servers with more tools than a request should carry, or with schemas that providers refuse. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import type { MockReply } from "../../support/model-mocks/frames.ts";
import { Vendor } from "../../support/model-mocks/vendor.ts";
import { root } from "../../support/process.ts";
import { verifies } from "../../support/verifies.ts";

const fixture = path.join(root, "test/support/mcp-fixture.ts");
const server = (name: string, behaviour: string): string =>
  `[mcp_servers.${name}]\ncommand = ${JSON.stringify(process.execPath)}\nargs = [${JSON.stringify(fixture)}, "${behaviour}"]\nstartup_timeout_sec = 60\n`;
const never = 'approval_policy = "never"\n';

verifies("mcp.searched", async ({ app, restart, workspace }) => {
  const search = { call: "tool_search", with: { query: "close an invoice", limit: "2" } };
  const byName = { call: "mcp__desk__close_invoices", with: { project: "p" } };
  const byCall = { call: "call_tool", with: { name: "mcp__desk__close_invoices", arguments: '{"project": "p", "page": "2"}' } };
  const options = {
    turns: [
      [
        { expect: { tools: ["tool_search", "call_tool"] } },
        search,
        {
          expect: {
            output: '/^Call these with call_tool:\\n\\{"name":"mcp__desk__close_invoices"[\\s\\S]*"project"[\\s\\S]*more tools fit/',
          },
        },
        byCall,
        { expect: { output: "/close_invoices of p, page number/" } },
        byName,
        { expect: { output: "/close_invoices of p, page undefined/" } },
        { call: "call_tool", with: { name: "close_invoice" } },
        { expect: { output: "/there is no tool close_invoice; the nearest are mcp__desk__close_invoices/" } },
        { call: "tool_search", with: { query: "zzz" } },
        { expect: { output: "/No tool fits/" } },
        { say: "first" },
      ],
      [byCall, { expect: { output: "/close_invoices of p/" } }, { say: "second" }],
      [byCall, { expect: { output: "/close_invoices of p/" } }, { say: "forked" }],
    ],
    config: `${never}${server("desk", "many")}`,
  };
  const client = await app(options);
  const thread = await client.startThread({ cwd: workspace });
  const first = await thread.run("go");
  assert.deepEqual([first.status, first.text], ["completed", "first"]);
  const calls = first.items.filter((item) => item.type === "mcpToolCall");
  assert.deepEqual(
    calls.map((item) => [item.server, item.tool, item.arguments]),
    [
      ["desk", "close_invoices", { project: "p", page: 2 }],
      ["desk", "close_invoices", { project: "p" }],
    ],
    "people see the tool itself",
  );
  await restart();
  const again = await app(options);
  const resumed = await again.resumeThread(thread.id);
  assert.equal((await resumed.run("go on")).text, "second");
  const forked = await again.call("thread/fork", { threadId: thread.id });
  const fork = await again.resumeThread(forked.thread.id);
  assert.equal((await fork.run("go on")).text, "forked");
});

verifies("mcp.oddSchema", async ({ app, workspace }) => {
  const client = await app({
    turns: [[{ call: "mcp__notes__either", with: { url: "u" } }, { expect: { output: '/either \\{"url":"u"\\}/' } }, { say: "ok" }]],
    config: `${never}${server("notes", "odd")}`,
  });
  const thread = await client.startThread({ cwd: workspace });
  assert.equal((await thread.run("go")).text, "ok");
});

/** Found tools are recorded in the history: the tools at the head of each request stay the same, across a compaction, a restart and a fork. */
verifies("mcp.searched", async (stage) => {
  const handOver = `HAND-OVER ${"Invoices are closed with mcp__desk__close_invoices. ".repeat(8)}`;
  const uses = (name: string, args: object): MockReply => ({ calls: [{ id: `c${++calls}`, name, args: JSON.stringify(args) }] });
  let calls = 0;
  let wishes: MockReply[] = [];
  await using vendor = new Vendor({
    wire: "chat",
    think: ({ body }) => (JSON.stringify(body).includes("Write a hand-over") ? { text: handOver } : (wishes.shift() ?? { text: "done" })),
  });
  const config = `${never}${server("desk", "many")}${await vendor.config()}`;
  const client = await stage.app({ config });
  const thread = await client.startThread({ cwd: stage.workspace, model: "qwen3-coder", modelProvider: "mock" });
  const closes = uses("mcp__desk__close_invoices", { project: "p" });
  wishes = [uses("tool_search", { query: "close an invoice" }), closes];
  await thread.run("close the invoices of p");
  const ended = Promise.withResolvers<string>();
  client.on("turn/completed", ({ turn }) => ended.resolve(turn.status));
  await client.call("thread/compact/start", { threadId: thread.id });
  assert.equal(await ended.promise, "completed");
  const again = async (of: { run: (text: string) => Promise<{ text: string }> }): Promise<void> => {
    wishes = [uses("mcp__desk__close_invoices", { project: "again" })];
    assert.equal((await of.run("close them again")).text, "done");
    assert.match(JSON.stringify(vendor.requests.at(-1)?.body["messages"]), /close_invoices of again/);
  };
  await again(thread);
  await stage.restart();
  const restarted = await stage.app({ config });
  await again(await restarted.resumeThread(thread.id));
  const { thread: copy } = await restarted.call("thread/fork", { threadId: thread.id });
  await again(await restarted.resumeThread(copy.id));
  const heads = new Set(vendor.requests.map(({ body }) => JSON.stringify(body["tools"])));
  assert.equal(heads.size, 1, "the tools of every request are the same");
  assert.ok(![...heads].join("").includes("close_invoices"), "found tools are in the history alone");
});

/** Answers every chat request with a short text, and records the requests. */
async function chatServer(): Promise<{ url: string; bodies: string[]; close(): Promise<void> }> {
  const bodies: string[] = [];
  const http = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => {
      bodies.push(body);
      response.writeHead(200, { "content-type": "text/event-stream" });
      const chunk = (delta: object, finish_reason: string | null): string =>
        `data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
      response.end(`${chunk({ role: "assistant", content: "ok" }, null)}${chunk({}, "stop")}data: [DONE]\n\n`);
    });
  });
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  const close = async (): Promise<void> => {
    http.closeAllConnections();
    http.close();
    await once(http, "close");
  };
  return { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/v1`, bodies, close };
}

verifies("mcp.fixedTokens", async ({ app, workspace }) => {
  const chat = await chatServer();
  try {
    const provider = `[model_providers.local]\nname = "Local"\nwire_api = "chat"\nbase_url = "${chat.url}"\n`;
    const client = await app({ config: `${never}${server("desk", "many")}${provider}` });
    const thread = await client.startThread({ cwd: workspace, model: "some-model", modelProvider: "local" });
    await thread.run("hi");
    const sent = JSON.parse(chat.bodies.find((body) => body.includes('"tools"')) ?? "{}");
    const size = (value: unknown): number => Math.ceil(JSON.stringify(value).length / 4);
    assert.ok(sent.tools.some((tool: { function: { name: string } }) => tool.function.name === "tool_search"));
    assert.ok(!JSON.stringify(sent.tools).includes("oneOf"));
    const tokens = size(sent.tools) + size(sent.messages);
    assert.ok(tokens <= 3000, `${tokens} tokens: tools ${size(sent.tools)}, messages ${size(sent.messages)}`);
  } finally {
    await chat.close();
  }
});
