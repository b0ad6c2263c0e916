/** Uncaught errors end no serving process: they are logged, clients are notified, and it keeps answering. */
import assert from "node:assert/strict";
import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { connectClient } from "../../src/client/client.ts";
import { atEnd } from "../support/ending.ts";
import { preload } from "../support/live-stage.ts";
import { ServerProcess, scratch } from "../support/process.ts";
import { writeHome } from "../support/verifies.ts";
import type { Message } from "../support/wire.ts";

const thrown = [
  "thrown by a timer",
  "thrown by an event",
  "thrown by a callback",
  "an error event without a listener",
  "rejected and left alone",
  "undefined",
];
const env = { NODE_OPTIONS: preload("throws") };

function folderWith(t: TestContext, turns: readonly unknown[] = [["Alive."]]): string {
  const folder = scratch(t);
  mkdirSync(path.join(folder, "home"));
  writeHome(path.join(folder, "home"), { turns });
  return folder;
}
/** A turn that lasts until `end` is called. */
const longTurn = [[{ run: "until [ -e end ]; do sleep 0.05; done" }, "Alive."]];
const end = (folder: string): void => writeFileSync(path.join(folder, "end"), "");
interface Line {
  readonly message: string;
  readonly error?: string;
}
const logged = (home: string): Line[] =>
  globSync(path.join(home, "parley", "log", "*.log"))
    .flatMap((file) => readFileSync(file, "utf8").split("\n"))
    .filter((line) => line.endsWith("}"))
    .map((line) => JSON.parse(line));
const uncaught = (home: string) => logged(home).filter(({ message }) => message === "uncaught error");

/** Polls for something that is only visible from outside. */
async function eventually<T>(find: () => T | undefined | false, what: string): Promise<T> {
  for (const end = performance.now() + 60_000; performance.now() < end; await new Promise((resolve) => setTimeout(resolve, 20))) {
    const found = find();
    if (found !== undefined && found !== false) return found;
  }
  throw new Error(`${what} did not come`);
}

async function throwsAndLogs(server: ServerProcess, home: string): Promise<void> {
  server.child.kill("SIGUSR2");
  for (const what of thrown) await eventually(() => uncaught(home).some(({ error }) => error?.includes(what)), `"${what}" in the log`);
}

test("an app-server keeps running, notifies its clients once, and rate-limits a flood of log lines", async (t) => {
  const folder = folderWith(t);
  const home = path.join(folder, "home");
  const server = new ServerProcess(t, [], env, { folder });
  server.initialize();
  await server.answer("init");
  await throwsAndLogs(server, home);
  await server.until(() => server.messages.find(({ method }) => method === "warning"), "the warning");
  for (let i = 0; i < 50; i++) server.child.kill("SIGUSR2");
  server.write('{"id":"after","method":"model/list","params":{}}\n');
  assert.ok((await server.answer("after")).result);
  assert.equal(server.messages.filter(({ method }) => method === "warning").length, 1);
  assert.ok(uncaught(home).length <= 10, `${uncaught(home).length} lines`);
  server.child.stdin.end();
  assert.equal((await server.ended).code, 0);
});

test("a throw after a response is logged and announced, and the next request is answered", async (t) => {
  const folder = folderWith(t);
  const server = new ServerProcess(t, [], env, { folder });
  server.initialize();
  await server.answer("init");
  server.write('{"id":"start","method":"thread/start","params":{}}\n');
  const { id: threadId } = (await server.answer("start")).result.thread;
  server.write(`${JSON.stringify({ id: "name", method: "thread/name/set", params: { threadId, name: "throw" } })}\n`);
  assert.ok((await server.answer("name")).result);
  await server.until(() => server.messages.find(({ method }) => method === "warning"), "the warning");
  assert.ok(logged(path.join(folder, "home")).some(({ error }) => error?.includes("thrown after an answer")));
  server.write('{"id":"after","method":"model/list","params":{}}\n');
  assert.ok((await server.answer("after")).result);
});

test("a turn that cannot even be announced has an end, and the next request is answered", async (t) => {
  const folder = folderWith(t);
  const server = new ServerProcess(t, [], { ...env, THROW_AT_START: "1" }, { folder });
  server.initialize();
  await server.answer("init");
  server.write('{"id":"start","method":"thread/start","params":{}}\n');
  const { id: threadId } = (await server.answer("start")).result.thread;
  const input = [{ type: "text", text: "hi" }];
  server.write(`${JSON.stringify({ id: "turn", method: "turn/start", params: { threadId, input } })}\n`);
  const ended = await server.until(() => server.messages.find(({ method }) => method === "turn/completed"), "the turn's end");
  assert.equal(ended.params.turn.status, "failed");
  server.write('{"id":"after","method":"model/list","params":{}}\n');
  assert.ok((await server.answer("after")).result);
});

test("an app-server keeps running when the reader of its stderr has exited", async (t) => {
  const folder = folderWith(t);
  const server = new ServerProcess(t, ["--log-level", "debug"], env, { folder });
  server.initialize();
  await server.answer("init");
  server.child.stderr.destroy();
  await throwsAndLogs(server, path.join(folder, "home"));
  server.write('{"id":"after","method":"model/list","params":{}}\n');
  assert.ok((await server.answer("after")).result);
  assert.ok(uncaught(path.join(folder, "home")).every(({ error }) => !/EPIPE/.test(error ?? "")));
});

test("a manager keeps running, with its engine and the clients of both", async (t) => {
  const folder = folderWith(t);
  const home = path.join(folder, "home");
  const server = new ServerProcess(t, ["--no-open", "--listen", "127.0.0.1:0"], env, { args: ["manager"], folder });
  const url = await server.until(() => /running at (\S+)/.exec(server.messages.join("\n"))?.[1], "the address");
  const token = readFileSync(path.join(home, "parley/manager/token"), "utf8").trim();
  const client = await connectClient(`${url.replace("http", "ws")}/rpc`, { token });
  atEnd(t, () => client.close());
  const warnings: string[] = [];
  client.on("warning", ({ message }) => warnings.push(message));
  const page = await streamOf(t, url, token);
  await throwsAndLogs(server, home);
  for (const messages of [warnings, page]) await eventually(() => messages.some((text) => text.includes("internal error")), "the warning");
  assert.equal((await fetch(`${url}/api`, { headers: { authorization: `Bearer ${token}` } })).status, 200);
  const thread = await client.startThread({ cwd: folder });
  assert.equal((await thread.run("hi")).text, "Alive.");
});

/** All messages of the manager's event stream, as they arrive. */
async function streamOf(t: TestContext, url: string, token: string): Promise<readonly string[]> {
  const { WebSocket } = await import("ws");
  const socket = new WebSocket(`${url.replace("http", "ws")}/api/stream`, { headers: { authorization: `Bearer ${token}` } });
  atEnd(t, () => socket.terminate());
  const received: string[] = [];
  socket.on("message", (data) => received.push(String(data)));
  await eventually(() => received.length > 0, "the event stream");
  return received;
}

test("an exec continues to the end of its turn, and reports what happened", async (t) => {
  const folder = folderWith(t, longTurn);
  const server = new ServerProcess(t, ["--json", "--skip-git-repo-check", "go"], env, { args: ["exec"], folder });
  server.child.stdin.end();
  await server.until(() => server.messages.find(({ item }) => item?.type === "command_execution"), "the command");
  await throwsAndLogs(server, path.join(folder, "home"));
  await server.until(() => server.messages.find(({ item }) => /internal error/.test(item?.message ?? "")), "the warning");
  end(folder);
  assert.equal((await server.ended).code, 0);
  assert.ok(server.messages.some(({ item }) => item?.text === "Alive."));
});

const initialize = {
  "mcp-server": { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } },
  acp: { protocolVersion: 1, clientCapabilities: { session: { notices: {} } } },
};
for (const subcommand of ["mcp-server", "acp"] as const)
  test(`${subcommand} keeps running, with its current turn, and notifies its client`, async (t) => {
    const folder = folderWith(t, longTurn);
    const server = new ServerProcess(t, [], env, { args: [subcommand], folder });
    const ask = async (id: number, method: string, params: unknown): Promise<Message> => {
      server.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
      return (await server.answer(id)).result;
    };
    await ask(1, "initialize", initialize[subcommand]);
    const turn =
      subcommand === "acp"
        ? ask(2, "session/new", { cwd: folder, mcpServers: [] }).then(({ sessionId }) =>
            ask(3, "session/prompt", { sessionId, prompt: [{ type: "text", text: "go" }] }),
          )
        : ask(2, "tools/call", { name: "codex", arguments: { prompt: "go", cwd: folder } });
    await server.until(() => server.messages.find((message) => /until \[ -e end/.test(JSON.stringify(message))), "the command");
    await throwsAndLogs(server, path.join(folder, "home"));
    await server.until(() => server.messages.find((message) => /internal error/.test(JSON.stringify(message))), "the warning");
    end(folder);
    assert.match(JSON.stringify(await turn), /end_turn|Alive/);
    server.child.stdin.end();
    assert.equal((await server.ended).code, 0);
  });
