/** Hostile editors and MCP clients: the subcommand keeps answering, and its memory stays bounded. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { ServerProcess, scratch } from "../support/process.ts";
import { writeHome } from "../support/verifies.ts";
import type { Message } from "../support/wire.ts";

const subcommands = {
  acp: { initialize: { protocolVersion: 1, clientCapabilities: {} }, list: "session/list", flood: ["authenticate", { methodId: "none" }] },
  "mcp-server": {
    initialize: { protocolVersion: "2025-06-18", capabilities: { elicitation: {} }, clientInfo: { name: "t", version: "1" } },
    list: "tools/list",
    flood: ["ping", {}],
  },
} as const;
type Subcommand = keyof typeof subcommands;

class Client {
  readonly server: ServerProcess;
  readonly folder: string;
  #ids = 0;

  constructor(t: TestContext, subcommand: Subcommand, turns: readonly unknown[] = [["Done."]], config = "") {
    this.folder = scratch(t);
    mkdirSync(path.join(this.folder, "home"));
    writeHome(path.join(this.folder, "home"), { turns, config });
    this.server = new ServerProcess(t, [], {}, { args: [subcommand], folder: this.folder });
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

for (const subcommand of Object.keys(subcommands) as Subcommand[]) {
  test(`${subcommand}: invalid lines in one packet with valid ones do not affect these`, async (t) => {
    const client = new Client(t, subcommand);
    const { initialize, list } = subcommands[subcommand];
    await client.ask("initialize", initialize);
    const first = { jsonrpc: "2.0", id: "first", method: list, params: {} };
    const last = { ...first, id: "last" };
    client.server.write(`${[JSON.stringify(first), ...oddLines, JSON.stringify(last)].join("\n")}\n`);
    for (const id of ["first", "last"]) assert.ok((await client.server.answer(id)).result, id);
  });

  test(`${subcommand}: a flood of requests that nobody reads is answered to the last once it is read, in bounded memory`, async (t) => {
    const client = new Client(t, subcommand);
    const {
      initialize,
      list,
      flood: [method, params],
    } = subcommands[subcommand];
    await client.ask("initialize", initialize);
    client.server.child.stdout.pause();
    for (let i = 0; i < 20_000; i++) client.send(method, params);
    const before = client.residentMB;
    client.server.child.stdout.resume();
    const last = await client.ask(list, {});
    assert.ok(last.result);
    assert.ok(client.residentMB < before + 500, `${before} MB, then ${client.residentMB} MB`);
  });

  test(`${subcommand}: a line over the limit is refused and the next one is read`, async (t) => {
    const client = new Client(t, subcommand);
    const { initialize, list } = subcommands[subcommand];
    await client.ask("initialize", initialize);
    const piece = Buffer.alloc(8 * 1024 * 1024, "x");
    for (let i = 0; i < 17; i++)
      if (!client.server.child.stdin.write(piece)) await new Promise((resolve) => client.server.child.stdin.once("drain", resolve));
    client.server.write("\n");
    assert.ok((await client.ask(list, {})).result);
  });
}

test("acp: a permission answered with anything but an offered choice counts as denied", async (t) => {
  const client = new Client(t, "acp", Array(6).fill([{ run: "touch made" }, "Done."]), 'approval_policy = "untrusted"\n');
  await client.ask("initialize", subcommands.acp.initialize);
  const answers = [
    { result: null },
    { result: {} },
    { result: { outcome: { outcome: "selected", optionId: "acceptForEver" } } },
    { result: { outcome: { outcome: "selected", optionId: { toString: "accept" } } } },
    { result: { outcome: "accept" } },
    { error: { code: 1, message: "x".repeat(100_000) } },
  ];
  for (const answer of answers) {
    const { result } = await client.ask("session/new", { cwd: client.folder, mcpServers: [] });
    const known = client.server.messages.length;
    const prompt = client.ask("session/prompt", { sessionId: result.sessionId, prompt: [{ type: "text", text: "go" }] });
    const question = await client.server.until(
      () => client.server.messages.slice(known).find(({ method }) => method === "session/request_permission"),
      "the question",
    );
    client.server.write(`${JSON.stringify({ jsonrpc: "2.0", id: question.id, ...answer })}\n`);
    assert.ok((await prompt).result?.stopReason, JSON.stringify(await prompt));
  }
  assert.ok(!existsSync(path.join(client.folder, "made")));
  assert.equal(client.server.stderr, "");
});

test("mcp-server: invalid arguments are errors for the calling model, and more parallel calls than can run are refused with an error message", async (t) => {
  const client = new Client(t, "mcp-server", Array(80).fill([{ run: "sleep 60" }, "Done."]));
  await client.ask("initialize", subcommands["mcp-server"].initialize);
  const call = (args: unknown): Promise<Message> => client.ask("tools/call", { name: "codex", arguments: args });
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
  for (let i = 0; i < 70; i++) client.send("tools/call", { name: "codex", arguments: { prompt: "go", cwd: client.folder } });
  const refused = await client.server.until(
    () => client.server.messages.find(({ result }) => /at once/.test(JSON.stringify(result ?? {}))),
    "a refusal",
  );
  assert.equal(refused.result.isError, true);
  assert.ok((await client.ask("tools/list", {})).result);
});
