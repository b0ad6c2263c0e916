import assert from "node:assert/strict";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import type { Transport } from "./transport.ts";
import { connectUnixSocket, listenUnixSocket } from "./unix-socket.ts";

async function inFolder(run: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), "parley-unix-"));
  try {
    await run(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
const echo = {
  onConnection: (transport: Transport): void => {
    transport.onMessage = (text) => transport.send(`${text}!`);
  },
};

test("only its owner can open a socket, and messages go through it", () =>
  inFolder(async (folder) => {
    const file = path.join(folder, "deep", "er", "a:b.sock");
    const listener = await listenUnixSocket(file, echo);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.equal(statSync(path.dirname(file)).mode & 0o777, 0o700);
    assert.equal(listener.url, `unix://${file}`);
    const client = await connectUnixSocket(file);
    assert.equal(client.kind, "unix");
    const answer = new Promise((resolve) => {
      client.onMessage = resolve;
    });
    client.send("hello");
    assert.equal(await answer, "hello!");
    await listener.close();
    assert.equal(statSync(file, { throwIfNoEntry: false }), undefined);
  }));

test("a socket with a live server is left alone", () =>
  inFolder(async (folder) => {
    const file = path.join(folder, "s");
    const first = await listenUnixSocket(file, echo);
    await assert.rejects(listenUnixSocket(file, echo), /another server is listening/);
    (await connectUnixSocket(file)).close();
    await first.close();
  }));

test("a socket that a dead server left behind is replaced", () =>
  inFolder(async (folder) => {
    const file = path.join(folder, "s");
    const { spawnSync } = await import("node:child_process");
    const died = `require("node:net").createServer().listen(${JSON.stringify(file)}, () => process.kill(process.pid, "SIGKILL"))`;
    spawnSync(process.execPath, ["-e", died]);
    assert.ok(statSync(file).isSocket());
    const listener = await listenUnixSocket(file, echo);
    (await connectUnixSocket(file)).close();
    await listener.close();
  }));

test("anything else on the path is left alone, and a path that is too long gives a readable error", () =>
  inFolder(async (folder) => {
    const file = path.join(folder, "precious");
    writeFileSync(file, "data");
    await assert.rejects(listenUnixSocket(file, echo), /not a socket/);
    assert.equal(statSync(file).size, 4);
    await assert.rejects(listenUnixSocket(path.join(folder, "x".repeat(120)), echo), /choose a shorter one/);
  }));

test("a socket of another program that accepts connections counts as in use", () =>
  inFolder(async (folder) => {
    const file = path.join(folder, "s");
    const other = createServer().listen(file);
    await new Promise((resolve) => other.on("listening", resolve));
    await assert.rejects(listenUnixSocket(file, echo), /another server/);
    await new Promise((resolve) => other.close(resolve));
  }));
