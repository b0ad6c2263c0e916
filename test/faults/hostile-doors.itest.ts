/** Editors and MCP clients that send what none would: the door answers on, and what it holds stays bounded. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { ServerProcess, scratch } from "../support/process.ts";
import { writeHome } from "../support/verifies.ts";
import type { Message } from "../support/wire.ts";

const doors = {
  acp: { initialize: { protocolVersion: 1, clientCapabilities: {} }, list: "session/list", flood: ["authenticate", { methodId: "none" }] },
  "mcp-server": {
    initialize: { protocolVersion: "2025-06-18", capabilities: { elicitation: {} }, clientInfo: { name: "t", version: "1" } },
    list: "tools/list",
    flood: ["ping", {}],
  },
} as const;
type Door = keyof typeof doors;

class Visitor {
  readonly server: ServerProcess;
  readonly folder: string;
  #ids = 0;

  constructor(t: TestContext, door: Door, turns: readonly unknown[] = [["Done."]], config = "") {
    this.folder = scratch(t);
    mkdirSync(path.join(this.folder, "home"));
    writeHome(path.join(this.folder, "home"), { turns, config });
    this.server = new ServerProcess(t, [], {}, { words: [door], folder: this.folder });
  }
  send(method: string, params: unknown): number {
    const id = ++this.#ids;
    this.server.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    return id;
  }
  ask(method: string, params: unknown): Promise<Message> {
    return this.server.answer(this.send(method, params));
  }
  get residentMB(): number {
    const status = readFileSync(`/proc/${this.server.child.pid}/status`, "utf8");
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
  }
}

const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
const oddLines = [
  "null",
  "[]",
  "5",
  '"x"',
  "{",
  "{}",
  '{"jsonrpc":"2.0"}',
  '{"jsonrpc":"2.0","id":{},"method":"initialize"}',
  '{"jsonrpc":"2.0","id":null,"method":"initialize","params":null}',
  '{"jsonrpc":"2.0","id":901,"method":5}',
  '{"jsonrpc":"2.0","id":902,"method":"__proto__","params":{"__proto__":{}}}',
  '{"jsonrpc":"2.0","id":903,"method":"constructor"}',
  '{"jsonrpc":"2.0","id":77,"result":{}}',
  '{"jsonrpc":"2.0","id":"never","error":5}',
  '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"none"}}',
  '{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"none"}}',
  '{"jsonrpc":"2.0","method":"notifications/progress","params":5}',
  `{"jsonrpc":"2.0","id":904,"method":"initialize","params":${deep}}`,
  deep,
  "\u0000\u2028",
  "",
];

for (const door of Object.keys(doors) as Door[]) {
  test(`${door}: lines that are no message, in one packet with good ones, cost none of these`, async (t) => {
    const visitor = new Visitor(t, door);
    const { initialize, list } = doors[door];
    await visitor.ask("initialize", initialize);
    const first = { jsonrpc: "2.0", id: "first", method: list, params: {} };
    const last = { ...first, id: "last" };
    visitor.server.write(`${[JSON.stringify(first), ...oddLines, JSON.stringify(last)].join("\n")}\n`);
    for (const id of ["first", "last"]) assert.ok((await visitor.server.answer(id)).result, id);
  });

  test(`${door}: a flood of requests that nobody reads is answered to the last once it is read, in bounded memory`, async (t) => {
    const visitor = new Visitor(t, door);
    const {
      initialize,
      list,
      flood: [method, params],
    } = doors[door];
    await visitor.ask("initialize", initialize);
    visitor.server.child.stdout.pause();
    for (let i = 0; i < 20_000; i++) visitor.send(method, params);
    const before = visitor.residentMB;
    visitor.server.child.stdout.resume();
    const last = await visitor.ask(list, {});
    assert.ok(last.result);
    assert.ok(visitor.residentMB < before + 500, `${before} MB, then ${visitor.residentMB} MB`);
  });

  test(`${door}: a line over the limit is refused and the next one is read`, async (t) => {
    const visitor = new Visitor(t, door);
    const { initialize, list } = doors[door];
    await visitor.ask("initialize", initialize);
    const piece = Buffer.alloc(8 * 1024 * 1024, "x");
    for (let i = 0; i < 17; i++)
      if (!visitor.server.child.stdin.write(piece)) await new Promise((resolve) => visitor.server.child.stdin.once("drain", resolve));
    visitor.server.write("\n");
    assert.ok((await visitor.ask(list, {})).result);
  });
}

test("acp: an editor that answers a permission with anything but a choice that was offered has said no", async (t) => {
  const visitor = new Visitor(t, "acp", Array(6).fill([{ run: "touch made" }, "Done."]), 'approval_policy = "untrusted"\n');
  await visitor.ask("initialize", doors.acp.initialize);
  const answers = [
    { result: null },
    { result: {} },
    { result: { outcome: { outcome: "selected", optionId: "acceptForEver" } } },
    { result: { outcome: { outcome: "selected", optionId: { toString: "accept" } } } },
    { result: { outcome: "accept" } },
    { error: { code: 1, message: "x".repeat(100_000) } },
  ];
  for (const answer of answers) {
    const { result } = await visitor.ask("session/new", { cwd: visitor.folder, mcpServers: [] });
    const known = visitor.server.messages.length;
    const prompt = visitor.ask("session/prompt", { sessionId: result.sessionId, prompt: [{ type: "text", text: "go" }] });
    const question = await visitor.server.until(
      () => visitor.server.messages.slice(known).find(({ method }) => method === "session/request_permission"),
      "the question",
    );
    visitor.server.write(`${JSON.stringify({ jsonrpc: "2.0", id: question.id, ...answer })}\n`);
    assert.ok((await prompt).result?.stopReason, JSON.stringify(await prompt));
  }
  assert.ok(!existsSync(path.join(visitor.folder, "made")));
  assert.equal(visitor.server.stderr, "");
});

test("mcp-server: odd arguments are words for the model that called, and more calls at once than can run are refused in words", async (t) => {
  const visitor = new Visitor(t, "mcp-server", Array(80).fill([{ run: "sleep 60" }, "Done."]));
  await visitor.ask("initialize", doors["mcp-server"].initialize);
  const call = (args: unknown): Promise<Message> => visitor.ask("tools/call", { name: "codex", arguments: args });
  const odd = [
    {},
    { prompt: 5 },
    { prompt: "x", cwd: 5 },
    { prompt: "x", sandbox: "all" },
    { prompt: "x", config: [] },
    { prompt: "x", "approval-policy": {} },
  ];
  for (const args of odd) {
    const { result, error } = await call(args);
    assert.ok(error !== undefined || result.isError === true, JSON.stringify(args));
  }
  for (let i = 0; i < 70; i++) visitor.send("tools/call", { name: "codex", arguments: { prompt: "go", cwd: visitor.folder } });
  const refused = await visitor.server.until(
    () => visitor.server.messages.find(({ result }) => /at once/.test(JSON.stringify(result ?? {}))),
    "a refusal",
  );
  assert.equal(refused.result.isError, true);
  assert.ok((await visitor.ask("tools/list", {})).result);
});
