/** One thread, many clients over every transport: one approves and all see the same; one disconnects with a request open, and a new client answers it. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { type Client, connectClient, openClient } from "../../../src/client/client.ts";
import { LinesTransport } from "../../../src/rpc/stdio.ts";
import { endedWith } from "../../support/ending.ts";
import { launcher, ServerProcess, scratch } from "../../support/process.ts";
import { writeHome } from "../../support/verifies.ts";

/** One client's notifications of the thread, in wire order. */
function listen(client: Client): { received: string[]; resolved: Promise<void>; ended: Promise<string> } {
  const received: string[] = [];
  const resolved = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<string>();
  client.on("serverRequest/resolved", () => resolved.resolve());
  client.on("item/completed", (p) => {
    if (p.item.type === "commandExecution") received.push(`${p.item.status} ${p.item.exitCode}`);
    if (p.item.type === "agentMessage") received.push(p.item.text);
  });
  client.on("turn/completed", (p) => ended.resolve(p.turn.status));
  return { received, resolved: resolved.promise, ended: ended.promise };
}

test("three clients on one thread, then a fourth", async (t) => {
  const folder = scratch(t);
  const home = path.join(folder, "home");
  mkdirSync(home);
  writeHome(home, {
    turns: [
      [{ run: "echo one" }, { say: "first" }],
      [{ run: "echo two" }, { say: "second" }],
    ],
  });
  const socket = path.join(folder, "s.sock");
  const server = new ServerProcess(t, ["--listen", "ws://127.0.0.1:0", "--listen", `unix://${socket}`], {}, { folder });
  const url = await server.url();
  const proxy = spawn(launcher, ["app-server", "proxy", "--sock", socket], { stdio: ["pipe", "pipe", "inherit"] });
  const gone = once(proxy, "exit");
  endedWith(t, proxy);
  const proxied = await openClient(new LinesTransport(proxy.stdout, proxy.stdin));
  const overWeb = await connectClient(url);
  const overUnix = await connectClient(`unix://${socket}`);
  const { thread } = await proxied.call("thread/start", { cwd: folder, approvalPolicy: "untrusted", sandbox: "danger-full-access" });
  for (const client of [overWeb, overUnix]) await client.call("thread/resume", { threadId: thread.id });
  const clients = [proxied, overWeb, overUnix];

  const logs = clients.map(listen);
  const asked = clients.map(() => Promise.withResolvers<void>());
  for (const [i, client] of clients.entries())
    client.answer("item/commandExecution/requestApproval", async (_params, signal) => {
      asked[i]?.resolve();
      if (client !== overWeb) await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      else await Promise.all(asked.map(({ promise }) => promise));
      return { decision: client === overWeb ? "accept" : "decline" };
    });
  await overUnix.call("turn/start", { threadId: thread.id, input: [{ type: "text", text: "go" }] });
  for (const { received, resolved, ended } of logs) {
    await resolved;
    assert.equal(await ended, "completed");
    assert.deepEqual(received, ["completed 0", "first"]);
  }

  const open = Promise.withResolvers<void>();
  const silent = (): Promise<never> => {
    open.resolve();
    return new Promise(() => {});
  };
  for (const client of clients) client.answer("item/commandExecution/requestApproval", silent);
  await proxied.call("turn/start", { threadId: thread.id, input: [{ type: "text", text: "again" }] });
  await open.promise;
  proxy.kill("SIGKILL");
  overWeb.close();
  overUnix.close();
  await gone;
  const fourth = await connectClient(url);
  const log = listen(fourth);
  fourth.answer("item/commandExecution/requestApproval", () => ({ decision: "accept" }));
  await fourth.call("thread/resume", { threadId: thread.id });
  assert.equal(await log.ended, "completed");
  assert.deepEqual(log.received, ["completed 0", "second"]);
  fourth.close();
  server.child.kill("SIGTERM");
  assert.equal((await server.ended).code, 0);
});
