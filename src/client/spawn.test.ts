import assert from "node:assert/strict";
import { test } from "node:test";
import { ConnectionClosed, spawnClient } from "./client.ts";

/** A server of one line: answers everything with `{ n }`, counting. */
const counting = `let n = 0, rest = ""; process.stdin.on("data", (d) => { const lines = (rest + d).split("\\n"); rest = lines.pop();
  for (const line of lines) { const m = JSON.parse(line); if (m.id !== undefined) console.log(JSON.stringify({ id: m.id, result: { n: n++ } })); } });`;
const command = (script: string): string[] => [process.execPath, "-e", script];

test("a child is spoken to over its pipes and ends with the client", async () => {
  const lines: string[] = [];
  const script = `console.error("ready"); process.on("exit", () => console.error("bye")); ${counting}`;
  const client = await spawnClient({ command: command(script), onStderr: (line) => lines.push(line) });
  assert.deepEqual(await client.call("model/list", {}), { n: 1 });
  const ended = new Promise((resolve) => client.ended.addEventListener("abort", resolve));
  client.close();
  await ended;
  assert.deepEqual(lines, ["ready", "bye"]);
});

test("a server that ends early says why", async () => {
  const dying = spawnClient({ command: command(`console.error("bad config: line 3"); process.exit(3)`) });
  await assert.rejects(dying, (error) => {
    assert.ok(error instanceof ConnectionClosed);
    assert.match(error.message, /exit code 3: bad config: line 3/);
    return true;
  });
});

test("a program that is not there is named", async () => {
  await assert.rejects(spawnClient({ command: ["/no/such/program"] }), /cannot start \/no\/such\/program/);
  await assert.rejects(spawnClient({ command: [] }), /command is empty/);
});
