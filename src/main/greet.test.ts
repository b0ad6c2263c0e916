import assert from "node:assert/strict";
import { test } from "node:test";
import { memoryPair } from "../rpc/transport.ts";
import { greet } from "./greet.ts";

const about = { version: "1.2.3", codexHome: "/home/x/.codex", system: "Debian 12; x86_64", compat: undefined };
const hello = (id: unknown, params: unknown = { clientInfo: { name: "editor", version: "7" } }) =>
  JSON.stringify({ id, method: "initialize", params });

/** What a client receives before the server is loaded, and what is handed over to the server. */
async function greeted(messages: readonly string[]) {
  const [near, far] = memoryPair();
  const received: string[] = [];
  near.onMessage = (text) => received.push(text);
  const greeting = greet(far, about);
  for (const message of messages) near.send(message);
  const { introduction, release, transport, system } = await greeting;
  const given: string[] = [];
  transport.onMessage = (text) => given.push(text);
  transport.onClose = () => given.push("closed");
  release();
  await new Promise(setImmediate);
  return { received, given, introduction, system };
}

test("a plain initialize is answered before the server is loaded; later messages are queued in order", async () => {
  const { received, given, introduction, system } = await greeted([
    hello(0),
    '{"method":"initialized"}',
    '{"id":1,"method":"thread/start"}',
  ]);
  assert.equal(received.length, 1);
  const { id, result } = JSON.parse(received[0] ?? "");
  assert.equal(id, 0);
  assert.match(result.userAgent, /^editor\/.*Debian 12; x86_64.*\(editor; 7\) parley\/1\.2\.3$/);
  assert.equal(result.codexHome, "/home/x/.codex");
  assert.equal(system, about.system);
  assert.deepEqual(introduction?.client, { name: "editor", title: null, version: "7" });
  assert.deepEqual(given, ['{"method":"initialized"}', '{"id":1,"method":"thread/start"}']);
});

test("any other first message is left to the server, with all that follow", async () => {
  const odd = [
    '{"id":1,"method":"thread/start"}',
    hello(1, {}),
    hello(null),
    hello(1.5),
    hello(1, { clientInfo: { name: "x", version: "1" }, capabilities: { extensions: { parley: { dialect: "nobody's" } } } }),
    "no message",
    "[]",
  ];
  for (const first of odd) {
    const { received, given, introduction } = await greeted([first, hello(2)]);
    assert.deepEqual(received, [], first);
    assert.deepEqual(given, [first, hello(2)]);
    assert.equal(introduction, undefined);
  }
});

test("a second initialize is not answered by the greeting", async () => {
  const { received, given } = await greeted([hello(1), hello(2)]);
  assert.equal(received.length, 1);
  assert.deepEqual(given, [hello(2)]);
});

test("a silent client does not keep the server from loading, and is still greeted until then", async () => {
  const [near, far] = memoryPair();
  const received: string[] = [];
  near.onMessage = (text) => received.push(text);
  const greeting = await greet(far, about);
  const nameOf = () => greeting.introduction?.client.name;
  assert.equal(nameOf(), undefined);
  near.send(hello(3));
  await new Promise(setImmediate);
  assert.equal(received.length, 1);
  assert.equal(nameOf(), "editor");
});

test("the server is notified of a client that disconnects", async () => {
  const [near, far] = memoryPair();
  const greeting = greet(far, about);
  near.close();
  const { transport, release } = await greeting;
  let closed = 0;
  transport.onClose = () => closed++;
  release();
  assert.equal(closed, 1);
});
