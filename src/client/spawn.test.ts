import assert from "node:assert/strict";
import { test } from "node:test";
import { ConnectionClosed, spawnClient } from "./client.ts";

/** A minimal server: answers every request with `{ n }`, counting up. */
const counting = `let n = 0, rest = ""; process.stdin.on("data", (d) => { const lines = (rest + d).split("\\n"); rest = lines.pop();
  for (const line of lines) { const m = JSON.parse(line); if (m.id !== undefined) console.log(JSON.stringify({ id: m.id, result: { n: n++ } })); } });`;
const command = (script: string): string[] => [process.execPath, "-e", script];

test("a child process is used over its pipes and exits with the client", async () => {
  const lines: string[] = [];
  const script = `console.error("ready"); process.on("exit", () => console.error("bye")); ${counting}`;
  const client = await spawnClient({ command: command(script), onStderr: (line) => lines.push(line) });
  assert.deepEqual(await client.call("model/list", {}), { n: 1 });
  const ended = new Promise((resolve) => client.ended.addEventListener("abort", resolve));
  client.close();
  await ended;
  assert.deepEqual(lines, ["ready", "bye"]);
});

test("the error for a server that exits early contains its reason", async () => {
  const dying = spawnClient({ command: command(`console.error("bad config: line 3"); process.exit(3)`) });
  await assert.rejects(dying, (error) => {
    assert.ok(error instanceof ConnectionClosed);
    assert.match(error.message, /exit code 3: bad config: line 3/);
    return true;
  });
});

test("the error for a missing program names it", async () => {
  await assert.rejects(spawnClient({ command: ["/no/such/program"] }), /cannot start \/no\/such\/program/);
  await assert.rejects(spawnClient({ command: [] }), /command is empty/);
});
