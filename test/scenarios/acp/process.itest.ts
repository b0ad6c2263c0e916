/** The real `parley acp` process, driven as an editor drives it. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import path from "node:path";
import { Readable, Writable } from "node:stream";
import { test } from "node:test";
import { client, ndJsonStream } from "@agentclientprotocol/sdk";
import { endedWith } from "../../support/ending.ts";
import { launcher, root, ServerProcess, scratch } from "../../support/process.ts";
import { writeHome } from "../../support/verifies.ts";

test("an editor starts it, gives it an MCP server, prompts, and ends it by closing its input", async (t) => {
  const folder = scratch(t);
  const home = path.join(folder, "home");
  mkdirSync(home);
  writeHome(home, {
    turns: [[{ call: "mcp__notes__read", with: { name: "plum" } }, "Told {{output}}"]],
    config: 'approval_policy = "never"\n',
  });
  const child = spawn(launcher, ["acp"], {
    cwd: folder,
    env: { PATH: process.env["PATH"], HOME: folder, CODEX_HOME: home },
    stdio: ["pipe", "pipe", "inherit"],
  });
  endedWith(t, child);
  let text = "";
  const connection = client()
    .onNotification("session/update", ({ params: { update } }) => {
      if (update.sessionUpdate === "agent_message_chunk" && update.content.type === "text") text += update.content.text;
    })
    .connect(ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>));
  const { agent } = connection;
  await agent.request("initialize", { protocolVersion: 1, clientInfo: { name: "itest", version: "1" } });
  const server = path.join(root, "test/support/mcp-fixture.ts");
  const { sessionId } = await agent.request("session/new", {
    cwd: folder,
    mcpServers: [{ name: "notes", command: process.execPath, args: [server], env: [{ name: "NOTE", value: "a stone fruit" }] }],
  });
  const { stopReason } = await agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text: "go" }] });
  assert.equal(stopReason, "end_turn");
  assert.match(text, /plum: a stone fruit/);
  connection.close();
  child.stdin.end();
  const [code] = await once(child, "exit");
  assert.equal(code, 0);
});

test("requests that are written right behind initialize wait for it and are answered in order", async (t) => {
  const folder = scratch(t);
  mkdirSync(path.join(folder, "home"));
  writeHome(path.join(folder, "home"), { turns: [["Hello."]] });
  const server = new ServerProcess(t, [], {}, { folder, args: ["acp"] });
  const request = (id: number, method: string, params: unknown): string => `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`;
  server.write(
    request(1, "initialize", { protocolVersion: 1 }) +
      request(2, "session/new", { cwd: folder, mcpServers: [] }) +
      request(3, "session/list", {}),
  );
  assert.ok(Array.isArray((await server.answer(3)).result.sessions));
  assert.equal(typeof (await server.answer(2)).result.sessionId, "string");
  assert.deepEqual(server.messages[0]?.id, 1);
});
