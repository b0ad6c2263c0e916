/** Counts that a client controls: threads it loads and subscribes to, tools it provides, commands it runs at once. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Client } from "../../../src/client/client.ts";
import { verifies } from "../../support/verifies.ts";

const memory = { legs: ["memory"] as const };

/** Starts threads until the server refuses one; returns their ids and the refusal. */
async function startMany(client: Client, cwd: string, most: number): Promise<{ ids: string[]; refused: string }> {
  const ids: string[] = [];
  while (ids.length < most) {
    const started = await client.call("thread/start", { cwd, ephemeral: true }).catch((error: Error) => error);
    if (started instanceof Error) return { ids, refused: started.message };
    ids.push(started.thread.id);
  }
  return { ids, refused: "" };
}

verifies(
  "trust.loadedThreads",
  async ({ app, workspace }) => {
    const [first, second, third] = [await app(), await app(), await app()];
    const own = await startMany(first, workspace, 1200);
    assert.equal(own.ids.length, 1100);
    assert.match(own.refused, /this connection watches 1100 threads, the most that it may; let some go with thread\/unsubscribe/);
    await first.call("thread/unsubscribe", { threadId: own.ids[0] ?? "" });
    const again = await startMany(first, workspace, 1);
    assert.equal(again.ids.length, 1, "room was made");

    await startMany(second, workspace, 398); // with the one without subscribers, 1499 are loaded
    const [kept] = (await startMany(third, workspace, 1)).ids;
    const closed = new Promise<string>((resolve) => third.on("thread/closed", ({ threadId }) => resolve(threadId)));
    // A recently used thread stays loaded for a second.
    const deadline = performance.now() + 20_000;
    while ((await startMany(third, workspace, 1)).ids.length === 0)
      assert.ok(performance.now() < deadline, "one that nobody watches makes room");
    assert.equal(await closed, own.ids[0]);
    assert.match(
      (await startMany(third, workspace, 1)).refused,
      /1500 threads are loaded, the most that there may be, and all of them are in use/,
    );
    assert.equal((await third.call("thread/read", { threadId: kept ?? "" })).thread.id, kept);
  },
  memory,
);

verifies(
  "trust.manyTools",
  async ({ app, workspace }) => {
    const client = await app();
    const dynamicTools = Array.from({ length: 513 }, (_, i) => ({
      type: "function" as const,
      name: `t${i}`,
      description: "d",
      inputSchema: { type: "object" },
    }));
    await assert.rejects(
      client.call("thread/start", { cwd: workspace, dynamicTools }),
      /too many dynamic tools: 513; a thread may have at most 512/,
    );
    await client.call("thread/start", { cwd: workspace, dynamicTools: dynamicTools.slice(1) });
  },
  memory,
);

verifies(
  "trust.manyCommands",
  async ({ app, workspace }) => {
    const client = await app();
    const run = (processId: string) =>
      client.call("command/exec", {
        command: ["cat"],
        cwd: workspace,
        processId,
        streamStdin: true,
        disableTimeout: true,
        sandboxPolicy: { type: "dangerFullAccess" },
      });
    const running = Array.from({ length: 64 }, (_, i) => run(`p${i}`));
    await assert.rejects(run("one too many"), /64 commands of this connection run already, the most that may at once/);
    for (let i = 0; i < running.length; i++) await client.call("command/exec/write", { processId: `p${i}`, closeStdin: true });
    for (const { exitCode } of await Promise.all(running)) assert.equal(exitCode, 0);
    const last = run("last");
    await client.call("command/exec/write", { processId: "last", closeStdin: true });
    assert.equal((await last).exitCode, 0);
  },
  memory,
);

verifies(
  "trust.endlessOutput",
  async ({ app, workspace }) => {
    const client = await app();
    const warned = new Promise<string>((resolve) => client.on("warning", ({ message }) => resolve(message)));
    const command = ["head", "-c", String(40 * 1024 * 1024), "/dev/zero"];
    const { stdout } = await client.call("command/exec", {
      command,
      cwd: workspace,
      disableOutputCap: true,
      disableTimeout: true,
      sandboxPolicy: { type: "dangerFullAccess" },
    });
    assert.equal(stdout.length, 16 * 1024 * 1024);
    assert.match(await warned, /command\/exec head: only the first 16777216 bytes of stdout are kept; use streamStdoutStderr for more/);
  },
  memory,
);

verifies(
  "trust.unreadOutput",
  async ({ wire, workspace }) => {
    const client = await wire();
    await client.initialize({ experimentalApi: true });
    const answer = client.ask("command/exec", {
      command: ["sh", "-c", "echo $$ > pid; exec yes"],
      cwd: workspace,
      processId: "p",
      streamStdoutStderr: true,
      disableOutputCap: true,
      disableTimeout: true,
      sandboxPolicy: { type: "dangerFullAccess" },
    });
    await client.until((message) => message.method === "command/exec/outputDelta", "the first output");
    client.transport.pause();
    const pid = readFileSync(path.join(workspace, "pid"), "utf8").trim();
    for (const end = performance.now() + 60_000; existsSync(`/proc/${pid}`) && performance.now() < end; ) await delay(20);
    assert.ok(!existsSync(`/proc/${pid}`), "the command was ended");
    client.transport.resume();
    const warning = await client.until((message) => message.method === "warning", "the warning");
    assert.match(warning.params.message, /it was ended because more than 33554432 bytes were not read by its client/);
    assert.ok((await answer).result);
  },
  memory,
);
