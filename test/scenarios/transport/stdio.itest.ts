/** Tests that need a process on real pipes: bytes, end of input, and signals. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ServerProcess } from "../../support/process.ts";

const list = (id: number | string, end = "\n"): string => `{"id":${JSON.stringify(id)},"method":"thread/loaded/list","params":{}}${end}`;

test("bytes that are no UTF-8, a byte order mark, NUL, CRLF and empty lines never end the server", async (t) => {
  const server = new ServerProcess(t);
  server.write(Buffer.from([0xef, 0xbb, 0xbf, 0x0a]));
  server.initialize();
  await server.answer("init");
  server.write(Buffer.from([0xff, 0xfe, 0xc3, 0x28, 0x0a, 0x00, 0x0a, 0x0a, 0x20, 0x0d, 0x0a]));
  server.write(Buffer.concat([Buffer.from('{"id":1,"method":"x'), Buffer.from([0xf0, 0x28]), Buffer.from('","params":{}}\n')]));
  server.write(list(2, "\r\n"));
  assert.ok("error" in (await server.answer(1)));
  assert.ok("result" in (await server.answer(2)));
});

test("a line may come byte by byte, and lines may come together", async (t) => {
  const server = new ServerProcess(t);
  server.initialize();
  await server.answer("init");
  for (const byte of Buffer.from('{"id":"é","method":"no/é","params":{}}\n')) {
    server.write(Buffer.from([byte]));
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.match((await server.answer("é")).error.message, /no\/é/);
  server.write(list(1) + list(2) + list(3));
  for (const id of [1, 2, 3]) await server.answer(id);
});

test("U+2028 inside a string is not the end of a line", async (t) => {
  const server = new ServerProcess(t);
  server.initialize();
  server.write('{"id":1,"method":"a\u2028b\u0085c","params":{}}\n');
  assert.match((await server.answer(1)).error.message, /a\u2028b\u0085c/);
});

test("a line of 64 MB is survived", { timeout: 300_000 }, async (t) => {
  const server = new ServerProcess(t);
  server.initialize();
  await server.answer("init");
  server.write(`{"id":1,"method":"thread/loaded/list","params":{"x":"${"y".repeat(64 * 1024 * 1024)}"}}\n`);
  server.write(list(2));
  await server.answer(2);
});

test("what was asked before the end of input is answered, also without a last line feed, and the exit code is 0", async (t) => {
  const server = new ServerProcess(t);
  server.initialize();
  server.child.stdin.end(list(1) + list(2, ""));
  const { code } = await server.ended;
  assert.equal(code, 0);
  assert.deepEqual(
    server.messages.filter((message) => message.method === undefined).map((message) => message.id),
    ["init", 1, 2],
  );
});

test("half a line at the end of input is no reason to stay", async (t) => {
  const server = new ServerProcess(t);
  server.child.stdin.end('{"id":1,"method":"thr');
  assert.equal((await server.ended).code, 0);
});

test("a reader that has gone ends the server", async (t) => {
  const server = new ServerProcess(t);
  server.initialize();
  await server.answer("init");
  server.child.stdout.destroy();
  for (let id = 0; id < 100; id++) server.write(list(id));
  assert.equal((await server.ended).code, 0);
});

for (const signal of ["SIGTERM", "SIGINT"] as const)
  test(`${signal} ends the server with exit code 0`, async (t) => {
    const server = new ServerProcess(t);
    server.initialize();
    await server.answer("init");
    server.child.kill(signal);
    const { code, signal: by } = await server.ended;
    assert.deepEqual([code, by], [0, null]);
  });

test("a client that does not read for a while loses nothing", { timeout: 300_000 }, async (t) => {
  const server = new ServerProcess(t);
  server.initialize();
  await server.answer("init");
  server.child.stdout.pause();
  const count = 20_000;
  server.write(Array.from({ length: count }, (_, id) => list(id)).join(""));
  await new Promise((resolve) => setTimeout(resolve, 1500)); // the idle client is the case under test
  server.child.stdout.resume();
  await server.until(() => (server.messages.length > count ? true : undefined), "all answers");
  assert.equal(new Set(server.messages.filter((m) => typeof m.id === "number").map((m) => m.id)).size, count);
});

test("nothing but messages is on stdout, also with the log wide open", async (t) => {
  const server = new ServerProcess(t, ["--log-level", "debug"]);
  server.initialize();
  server.write("not json\n");
  server.child.stdin.end(list(1));
  const { stdout, stderr } = await server.ended;
  for (const line of stdout.trimEnd().split("\n")) JSON.parse(line);
  for (const line of stderr.trimEnd().split("\n")) JSON.parse(line);
  assert.match(stderr, /unreadable message/);
});
