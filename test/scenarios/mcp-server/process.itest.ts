/** The real `parley mcp-server` process: over stdio, under its other name, after a restart, and over streamable HTTP. */
import assert from "node:assert/strict";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { atEnd } from "../../support/ending.ts";
import { oddTargets, rawStatus, upgradeHeaders } from "../../support/odd-targets.ts";
import { launcher, ServerProcess, scratch } from "../../support/process.ts";
import { writeHome } from "../../support/verifies.ts";
import type { Message } from "../../support/wire.ts";

const subcommand = ["mcp-server"];
const command = [{ run: "touch ran", with: { sandbox_permissions: "require_escalated", justification: "it must" } }, "Ran: {{output}}"];

function folderWith(t: TestContext, turns: readonly unknown[]): string {
  const folder = scratch(t);
  mkdirSync(path.join(folder, "home"));
  writeHome(path.join(folder, "home"), { turns });
  return folder;
}

function newClient(t: TestContext, modern = false): Client {
  const client = new Client(
    { name: "itest", version: "1" },
    {
      capabilities: { elicitation: { form: {} } },
      versionNegotiation: { mode: modern ? { pin: "2026-07-28" } : "legacy" },
    },
  );
  client.setRequestHandler("elicitation/create", async () => ({ action: "accept", content: { decision: "approved" } }));
  atEnd(t, () => client.close());
  return client;
}

const call = (client: Client, name: string, args: Record<string, unknown>): Promise<Message> => client.callTool({ name, arguments: args });

function overStdio(folder: string, program = launcher, args = subcommand): StdioClientTransport {
  const env = { PATH: process.env["PATH"] ?? "", HOME: folder, CODEX_HOME: path.join(folder, "home") };
  return new StdioClientTransport({ command: program, args, cwd: folder, env });
}

test("a session continues after a restart of the server", async (t) => {
  const folder = folderWith(t, [["One."], ["Two, after {{user}}."]]);
  const first = newClient(t);
  await first.connect(overStdio(folder));
  const begun = await call(first, "codex", { prompt: "begin", cwd: folder });
  await first.close();
  const second = newClient(t);
  await second.connect(overStdio(folder));
  const { threadId } = begun.structuredContent;
  const reply = await call(second, "codex-reply", { prompt: "go on", threadId });
  assert.deepEqual(reply.structuredContent, { threadId, content: "Two, after go on." });
});

test("parley-mcp-server is a name of it", async (t) => {
  const folder = folderWith(t, [["Hello."]]);
  const link = path.join(folder, "parley-mcp-server");
  symlinkSync(launcher, link);
  const client = newClient(t);
  await client.connect(overStdio(folder, link, []));
  assert.equal((await client.listTools()).tools.length, 2);
});

test("requests that were written before the end of input are answered, and the process ends well", async (t) => {
  const server = new ServerProcess(t, ["-c", 'model_provider="scripted"'], {}, { args: subcommand });
  const initialize = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } };
  server.write("no json\n");
  server.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: initialize })}\n`);
  server.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);
  server.write(`${JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/list" })}\n`);
  server.child.stdin.end();
  const { code, stdout } = await server.ended;
  const lines = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  assert.equal(code, 0);
  assert.ok(lines.every(({ jsonrpc }) => jsonrpc === "2.0"));
  assert.equal(lines.find(({ id }) => id === 2).result.tools.length, 2);
});

test("what is no request is refused, with its id where it has one, and nothing waits for ever", async (t) => {
  const server = new ServerProcess(t, ["-c", 'model_provider="scripted"'], {}, { args: subcommand });
  const refused = async (text: string): Promise<unknown[]> => {
    const from = server.messages.length;
    server.write(`${text}\n`);
    const { id, error } = await server.until(() => server.messages[from], text);
    return [id, error.code];
  };
  for (const text of ["42", "null", '"text"', "[]", '[{"jsonrpc":"2.0","id":1,"method":"ping"}]'])
    assert.deepEqual(await refused(text), [null, -32600], text);
  assert.deepEqual(await refused('{"jsonrpc":"2.0","id":7,"method":"ping","params":[[[]]]}'), [7, -32600]);
  assert.deepEqual(await refused('{"jsonrpc":"2.0","id":"a","method":5}'), ["a", -32600]);
  assert.deepEqual(await refused('{"jsonrpc":"2.0","id":{},"method":"ping"}'), [null, -32600]);
  server.write('{"jsonrpc":"2.0","id":8,"method":"ping"}\n');
  assert.deepEqual((await server.answer(8)).result, {});
});

for (const modern of [false, true])
  test(`streamable HTTP serves calls, events and approvals ${modern ? "without" : "with"} sessions`, async (t) => {
    const folder = folderWith(t, [command, ["Again."]]);
    const server = new ServerProcess(t, ["--listen", "http://127.0.0.1:0"], {}, { args: subcommand, folder });
    const url = await server.url();
    const client = newClient(t, modern);
    const events: string[] = [];
    client.fallbackNotificationHandler = async ({ method }) => void events.push(method);
    await client.connect(new StreamableHTTPClientTransport(new URL(url)));
    const result = await call(client, "codex", { prompt: "go", cwd: folder, sandbox: "workspace-write", "approval-policy": "on-request" });
    assert.match(result.structuredContent.content, /^Ran: /);
    assert.ok(events.filter((method) => method === "codex/event").length > 5, `${events.length} events`);
    const { threadId } = result.structuredContent;
    assert.equal((await call(client, "codex-reply", { prompt: "more", threadId })).structuredContent.content, "Again.");
    await client.close();
    server.child.kill("SIGTERM");
    assert.equal((await server.ended).code, 0);
  });

/** A request whose Host and Origin can be anything, which fetch does not allow. */
function status(url: string, headers: Record<string, string>, method = "POST", target = "/mcp"): Promise<number | undefined> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
    const plain = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    const sent = request({ hostname, port, path: target, method, headers: { ...plain, ...headers } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on("error", reject);
    sent.end(method === "POST" ? body : undefined);
  });
}

test("over HTTP strange hosts, web pages and visitors without the token stay out", async (t) => {
  const folder = folderWith(t, []);
  const tokenFile = path.join(folder, "token");
  writeFileSync(tokenFile, "s3cret-s3cret-s3cret-s3cret", { mode: 0o600 });
  const auth = ["--ws-auth", "capability-token", "--ws-token-file", tokenFile, "--ws-allow-origin", "http://good.example"];
  const server = new ServerProcess(t, ["--listen", "http://127.0.0.1:0", ...auth], {}, { args: subcommand, folder });
  const url = await server.url();
  const token = { authorization: "Bearer s3cret-s3cret-s3cret-s3cret" };
  assert.equal(await status(url, { ...token, host: "evil.example" }), 403);
  assert.equal(await status(url, { ...token, origin: "http://evil.example" }), 403);
  assert.equal(await status(url, {}), 401);
  assert.equal(await status(url, { authorization: "Bearer s3cret" }), 401);
  assert.equal(await status(url, {}, "POST", "/mcp?token=s3cret-s3cret-s3cret-s3cret"), 401);
  assert.equal(await status(url, token, "POST", "/elsewhere"), 404);
  assert.equal(await status(url, { ...token, "mcp-session-id": "guess" }), 404);
  assert.equal(await status(url, { ...token, "content-type": "text/plain" }), 415);
  assert.equal(await status(url, {}, "GET", "/healthz"), 200);
  assert.equal(await status(url, { origin: "http://good.example" }, "OPTIONS"), 204);
  assert.ok(!server.stderr.includes("s3cret"));
  const client = newClient(t);
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: token } }));
  assert.equal((await client.listTools()).tools.length, 2);
});

test("an address that others can reach needs a token", async (t) => {
  const server = new ServerProcess(t, ["--listen", "http://0.0.0.0:0"], {}, { args: subcommand });
  const { code, stderr } = await server.ended;
  assert.equal(code, 1);
  assert.match(stderr, /--ws-auth/);
});

test("over HTTP no address, header or body that a stranger sends ends the server or costs a session", async (t) => {
  const folder = folderWith(t, [["Still here."]]);
  const server = new ServerProcess(t, ["--listen", "http://127.0.0.1:0"], {}, { args: subcommand, folder });
  const url = await server.url();
  const port = Number(new URL(url).port);
  const client = newClient(t);
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  for (const target of oddTargets)
    for (const more of [[], upgradeHeaders, ["Origin: http://evil.example"], ["Accept: text/event-stream", "Mcp-Session-Id: \u00ff"]]) {
      const got = await rawStatus(port, [`GET ${target} HTTP/1.1`, "Host: localhost", ...more]);
      assert.ok(got === 0 || (got >= 400 && got < 500), `${target}: ${got}`);
    }
  const bodies = ["", "{", "null", "[]", "7", '"x"', "[".repeat(100_000), '{"jsonrpc":"2.0"}', '{"jsonrpc":"2.0","id":{},"method":5}'];
  const methods = [
    '{"jsonrpc":"2.0","id":1,"method":"__proto__"}',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"codex","arguments":[]}}',
  ];
  const batch = `[${Array(5000).fill('{"jsonrpc":"2.0","id":1,"method":"ping"}').join(",")}]`;
  for (const body of [...bodies, ...methods, batch]) {
    const head = ["Host: localhost", "Content-Type: application/json", "Accept: application/json, text/event-stream"];
    const got = await rawStatus(port, ["POST /mcp HTTP/1.1", ...head, `Content-Length: ${Buffer.byteLength(body)}`], body);
    assert.ok(got >= 400 && got < 500, `${body.slice(0, 60)}: ${got}`);
  }
  assert.equal(
    await rawStatus(port, ["POST /mcp HTTP/1.1", "Host: localhost", "Content-Type: application/json", "Content-Length: 99999999"], "{"),
    413,
  );
  // Abandoned sessions are evicted in favour of new ones, but never one that is in use.
  const hello = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "passer-by", version: "1" } };
  for (let i = 0; i < 300; i++) {
    const answer = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
      body: JSON.stringify({ jsonrpc: "2.0", id: i, method: "initialize", params: hello }),
    });
    assert.equal(answer.status, 200);
    await answer.text();
    if (i % 50 === 0) await client.listTools();
  }
  assert.equal((await call(client, "codex", { prompt: "hi", cwd: folder })).structuredContent.content, "Still here.");
});
