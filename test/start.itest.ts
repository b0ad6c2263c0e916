/** Starting from the bundle: loads no more than needed, caches compiled code, and works even if the cache is damaged. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { type TestContext, test } from "node:test";
import { makeRepository } from "../scripts/small-repository.ts";
import { storeThread } from "../scripts/small-thread.ts";
import { deletedWith } from "./support/ending.ts";
import { outsideTemp } from "./support/outside-temp.ts";
import { root, scratch } from "./support/process.ts";

const dist = path.join(root, "dist");

/** Reports what was loaded. What a server does some seconds after its start is done at a signal, in its order. */
const spy = `process.on("exit", () => console.error(JSON.stringify(Object.keys(require.cache))));
const { setTimeout } = globalThis;
const waiting = [];
globalThis.setTimeout = (run, ms, ...rest) => {
  const timer = setTimeout(run, ms, ...rest);
  if (ms >= 500 && ms <= 4000) waiting.push({ ms, done: () => timer._destroyed || (clearTimeout(timer), run(...rest)) });
  return timer;
};
process.on("SIGUSR2", () => {
  for (const { done } of waiting.splice(0).sort((a, b) => a.ms - b.ms)) done();
  console.error("quiet");
});
`;

/** Starts a server in a home with one thread, opens another in a git repository, sends a further request if given, and stops it. Returns the chunks that were loaded. */
async function startThread(t: TestContext, bundle: string, more?: string): Promise<readonly string[]> {
  const home = scratch(t);
  writeFileSync(path.join(home, "spy.cjs"), spy);
  makeRepository(home);
  storeThread(path.join(home, "home"));
  const server = spawn(process.execPath, ["-r", path.join(home, "spy.cjs"), path.join(bundle, "parley.cjs"), "app-server"], {
    cwd: home,
    env: { PATH: "/usr/bin:/bin", HOME: home, CODEX_HOME: path.join(home, "home") },
    timeout: 90_000,
  });
  let output = "";
  const quiet = Promise.withResolvers<void>();
  server.stderr.setEncoding("utf8").on("data", (text: string) => {
    output += text;
    if (output.includes("quiet")) quiet.resolve();
  });
  server.on("close", () => quiet.reject(new Error(`the server ended: ${output}`)));
  const lines = createInterface(server.stdout)[Symbol.asyncIterator]();
  const answered = async (id: number): Promise<unknown> => {
    for (;;) {
      const { value, done } = await lines.next();
      assert.ok(!done, `the server ended: ${output}`);
      const message = JSON.parse(value);
      if (message.id === id) return message.result;
    }
  };
  const ended = new Promise((resolve) => server.on("close", resolve));
  server.stdin.write('{"id":0,"method":"initialize","params":{"clientInfo":{"name":"t","version":"1"}}}\n');
  await answered(0);
  server.stdin.write('{"id":1,"method":"thread/start","params":{}}\n');
  assert.ok(await answered(1));
  if (more !== undefined) {
    server.stdin.write(`{"id":2,"method":"${more}","params":{}}\n`);
    const answer = await answered(2);
    assert.ok(answer);
    if (more === "thread/list") assert.match(JSON.stringify(answer), /"preview":"Hello"/);
  }
  server.kill("SIGUSR2");
  await quiet.promise;
  server.stdin.end();
  assert.equal(await ended, 0, output);
  return JSON.parse(output.replaceAll("quiet\n", "")).map((file: string) => path.basename(file).replace(/-[\w-]{8}\.cjs$/, ""));
}

/** What a start reads and keeps in memory; the compiled code grows with it. */
const maxAppBytes = 1_000_000;

/** The newest chunk of that name: older ones stay for a day. */
function loadedFile(bundle: string, name: string): string {
  const chunks = path.join(bundle, "chunks");
  const files = readdirSync(chunks).filter((file) => file.startsWith(`${name}-`));
  const [newest = ""] = files.map((file) => path.join(chunks, file)).sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs);
  return newest;
}

test("a thread starts and a server stays idle without what only turns need", async (t) => {
  const loaded = await startThread(t, dist);
  assert.ok(loaded.includes("app"), loaded.join());
  assert.ok(!["lists", "later", "seldom"].some((name) => loaded.includes(name)), loaded.join());
  const app = loadedFile(dist, "app");
  assert.ok(statSync(app).size < maxAppBytes, `starts load ${statSync(app).size} bytes for their first thread: run npm run split`);
});

/** Reports, in their order, each chunk that is loaded and the writing of the second answer. */
const orderSpy = `const M = require("node:module"), fs = require("node:fs"), { Socket } = require("node:net"), path = require("node:path");
const { _load: load } = M, { write } = Socket.prototype;
M._load = (name, ...rest) => (/-[\\w-]{8}\\.cjs$/.test(name) && fs.writeSync(2, path.basename(name).slice(0, -13) + "\\n"), load(name, ...rest));
Socket.prototype.write = function (bytes, ...rest) {
  if (String(bytes).includes('{"id":1,')) fs.writeSync(2, "answered\\n");
  return write.call(this, bytes, ...rest);
};
`;

test("what speaks to a provider is loaded after the answer to thread/start", async (t) => {
  const home = scratch(t);
  writeFileSync(path.join(home, "spy.cjs"), orderSpy);
  const provider = ['name = "mock"', 'base_url = "http://127.0.0.1:9/v1"', 'wire_api = "responses"', "supports_websockets = true"];
  writeFileSync(path.join(home, "config.toml"), ["[model_providers.openai]", ...provider, ""].join("\n"));
  const server = spawn(process.execPath, ["-r", path.join(home, "spy.cjs"), path.join(dist, "parley.cjs"), "app-server"], {
    cwd: home,
    env: { PATH: "/usr/bin:/bin", HOME: home, CODEX_HOME: home, OPENAI_API_KEY: "sk-none" },
    timeout: 90_000,
  });
  const ended = new Promise((resolve) => server.on("close", resolve));
  server.stdin.write('{"id":0,"method":"initialize","params":{"clientInfo":{"name":"t","version":"1"}}}\n');
  server.stdin.write('{"id":1,"method":"thread/start","params":{}}\n');
  const order: string[] = [];
  for await (const line of createInterface(server.stderr)) {
    order.push(line);
    if (line === "responses-socket") server.stdin.end();
  }
  assert.equal(await ended, 0, order.join());
  assert.deepEqual([...new Set(order.slice(0, order.indexOf("answered")))], ["door", "app"], order.join());
  assert.ok(order.includes("later") && order.includes("responses-socket"), order.join());
});

test("a list of threads loads no more than lists need, without output on stderr", async (t) => {
  const loaded = await startThread(t, dist, "thread/list"); // which imports node:sqlite
  assert.ok(loaded.includes("lists") && !loaded.includes("later") && !loaded.includes("seldom"), loaded.join());
});

test("later modules are loaded on demand, without output on stderr", async (t) => {
  const loaded = await startThread(t, dist, "skills/list");
  assert.ok(loaded.includes("later"), loaded.join());
});

/** A copy of the bundle outside the temp folders, where compiled code may be cached. */
function copyOfBundle(t: TestContext): string {
  const folder = mkdtempSync(outsideTemp());
  deletedWith(t, folder);
  cpSync(dist, folder, { recursive: true, filter: (file) => !/\.(?:cache|stamp\.json)$/.test(file) });
  return folder;
}

test("a first start caches its compiled code, only for its owner, and the next one uses it unchanged", async (t) => {
  const bundle = copyOfBundle(t);
  const cache = path.join(bundle, ".cache");
  await startThread(t, bundle);
  const files = readdirSync(cache).map((name) => path.join(cache, name));
  assert.ok(files.some((file) => path.basename(file).startsWith("door-")));
  assert.equal(statSync(cache).mode & 0o777, 0o700);
  const before = files.map((file) => [statSync(file).mode & 0o777, statSync(file).mtimeMs]);
  for (const [mode] of before) assert.equal(mode, 0o600);
  await startThread(t, bundle);
  assert.deepEqual(
    files.map((file) => [statSync(file).mode & 0o777, statSync(file).mtimeMs]),
    before,
  );
});

test("compiled code that is damaged, or of other code, is put right", async (t) => {
  const bundle = copyOfBundle(t);
  const cache = path.join(bundle, ".cache");
  await startThread(t, bundle);
  const files = readdirSync(cache).map((name) => path.join(cache, name));
  const door = files.find((file) => path.basename(file).startsWith("door-")) ?? "";
  const good = readFileSync(door);
  const flipped = Buffer.from(good);
  flipped.writeUInt8((flipped[5000] ?? 0) ^ 0x40, 5000);
  for (const bad of [Buffer.alloc(0), Buffer.from("no code"), good.subarray(0, good.length >> 1), flipped]) {
    writeFileSync(door, bad);
    await startThread(t, bundle);
    assert.ok(readFileSync(door).length > good.length / 2 && !readFileSync(door).equals(bad));
  }
});

test("a folder that others may write is left alone", async (t) => {
  const bundle = copyOfBundle(t);
  mkdirSync(path.join(bundle, ".cache"), { mode: 0o777 });
  chmodSync(path.join(bundle, ".cache"), 0o777);
  await startThread(t, bundle);
  assert.deepEqual(readdirSync(path.join(bundle, ".cache")), []);
});
