import assert from "node:assert/strict";
import { verifies } from "../../support/verifies.ts";

verifies("messages.unreadable", async ({ wire }) => {
  const client = await wire();
  await client.initialize();
  const before = client.received.length;
  for (const text of ["not json", "{", "}{", '{"id":1}x', "   ", "NaN", "\u0000", "null", "42", '"x"', "[]", "{}", '{"id":5}', "[1,2]"])
    client.send(text);
  client.send(JSON.stringify([{ id: 1, method: "model/list", params: {} }]));
  await client.ask("model/list", {});
  assert.equal(client.received.length, before + 1, "none of it got a response");
});

verifies("messages.exactIds", async ({ wire }) => {
  const client = await wire();
  await client.initialize();
  const raw: string[] = [];
  const { onMessage } = client.transport;
  client.transport.onMessage = (text) => {
    raw.push(text);
    onMessage(text);
  };
  const ids = ["0", "-1", "7", '"7"', '""', "9007199254740993", "-123456789012345678901234567890", '"ü\\n"', "9007199254740991"];
  for (const id of ids) client.send(`{"id":${id},"method":"thread/loaded/list","params":{"id":9007199254740993}}`);
  await client.ask("thread/loaded/list", {});
  for (const id of ids) assert.equal(raw.filter((text) => text.startsWith(`{"id":${id},`)).length, 1, id);
});

verifies("messages.noId", async ({ wire }) => {
  const client = await wire();
  await client.initialize();
  const before = client.received.length;
  for (const id of ["null", "1.5", "true", "{}", "[1]", "1e400"]) client.send(`{"id":${id},"method":"model/list","params":{}}`);
  await client.ask("thread/loaded/list", {});
  assert.equal(client.received.length, before + 1);
});

verifies("messages.sameId", async ({ wire }) => {
  const client = await wire();
  await client.initialize();
  for (const method of ["thread/loaded/list", "thread/loaded/list"]) client.send({ id: 1, method, params: {} });
  await client.ask("thread/loaded/list", {});
  assert.equal(client.received.filter((message) => message.id === 1).length, 2);
});

verifies("messages.strayAnswers", async ({ wire }) => {
  const client = await wire();
  await client.initialize();
  const before = client.received.length;
  for (const id of [0, 1, 99999, "x", null, 1.5])
    for (const answer of [{ result: {} }, { error: { code: 1, message: "no" } }, { error: null }]) client.send({ id, ...answer });
  await client.ask("thread/loaded/list", {});
  assert.equal(client.received.length, before + 1);
});

verifies("messages.keyOrder", async ({ wire }) => {
  const client = await wire();
  await client.initialize();
  client.send({ jsonrpc: "2.0", id: 1, method: "thread/loaded/list", params: {} });
  assert.deepEqual(Object.keys(await client.until((m) => m.id === 1)), ["id", "result"]);
  assert.deepEqual(Object.keys(await client.ask("no/such", {})), ["error", "id"]);
});

verifies("messages.deep", async ({ wire }) => {
  const client = await wire();
  await client.initialize();
  client.send(`{"id":"deep","method":"model/list","params":${"[".repeat(200_000)}${"]".repeat(200_000)}}`);
  client.send(`{"id":"proto","method":"thread/loaded/list","params":{"__proto__":{"limit":"x"},"constructor":{"prototype":{"limit":1}}}}`);
  assert.ok("result" in (await client.until((m) => m.id === "proto")));
  assert.ok("result" in (await client.ask("thread/loaded/list", {})));
  assert.equal(({} as Record<string, unknown>)["limit"], undefined);
});

verifies("messages.burst", async ({ wire }) => {
  const client = await wire();
  await client.initialize();
  const count = 20_000;
  for (let id = 0; id < count; id++) client.send(`{"id":${id},"method":"thread/loaded/list","params":{}}`);
  await client.until(() => client.received.length > count, "all answers");
  const answers = client.received.filter((message) => typeof message.id === "number");
  assert.equal(new Set(answers.map((message) => message.id)).size, count);
  for (const { error } of answers)
    if (error !== undefined) assert.deepEqual(error, { code: -32001, message: "Server overloaded; retry later." });
});
