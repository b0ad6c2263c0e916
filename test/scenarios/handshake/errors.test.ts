import assert from "node:assert/strict";
import { verifies } from "../../support/verifies.ts";

verifies("errors.unknownMethod", async ({ wire }) => {
  const client = await wire();
  await client.initialize();
  for (const method of ["no/such", "__proto__", "constructor", "toString", "hasOwnProperty", "", "x".repeat(100_000)]) {
    const { error } = await client.ask(method, {});
    assert.equal(error.code, -32600, method.slice(0, 20));
    assert.match(error.message, /^Invalid request: unknown variant `.*expected one of `/);
    assert.ok(error.message.length < 20_000);
  }
});

verifies("errors.wrongType", async ({ wire }) => {
  const client = await wire();
  await client.initialize();
  const refuse = async (params: unknown, message: RegExp): Promise<void> => {
    const { error } = await client.ask("thread/read", params);
    assert.equal(error.code, -32600);
    assert.match(error.message, message);
  };
  await refuse({ threadId: 5 }, /^Invalid request: invalid type: integer `5`, expected a string/);
  await refuse({}, /^Invalid request: missing field `threadId`/);
  for (const params of [[], "text", 7, true]) await refuse(params, /^Invalid request: /);
});

verifies("errors.missingParams", async ({ wire }) => {
  const client = await wire();
  await client.initialize();
  client.send({ id: 1, method: "thread/loaded/list" });
  client.send({ id: 2, method: "thread/loaded/list", params: null });
  for (const id of [1, 2]) assert.deepEqual((await client.until((m) => m.id === id)).result.data, []);
});

verifies(
  "errors.experimental",
  async ({ wire }) => {
    const [plain, brave] = [await wire(), await wire()];
    await plain.initialize({ optOutNotificationMethods: [] });
    await brave.initialize({ experimentalApi: true, optOutNotificationMethods: [] });
    const method = "collaborationMode/list";
    assert.deepEqual((await plain.ask(method, {})).error, { code: -32600, message: `${method} requires experimentalApi capability` });
    assert.notEqual((await brave.ask(method, {})).error?.message, `${method} requires experimentalApi capability`);
  },
  { legs: ["memory", "websocket", "unix"] },
);
