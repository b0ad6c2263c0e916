import assert from "node:assert/strict";
import { verifies } from "../../support/verifies.ts";

const clientInfo = { name: "probe", title: null, version: "1.0" };

verifies("handshake.first", async ({ wire }) => {
  const client = await wire();
  const { error } = await client.ask("thread/loaded/list", {});
  assert.deepEqual(error, { code: -32600, message: "Not initialized" });
  assert.ok("result" in (await client.initialize()), "a refused request does not spoil the handshake");
});

verifies("handshake.unknownFirst", async ({ wire }) => {
  const { error } = await (await wire()).ask("no/such", {});
  assert.equal(error.code, -32600);
  assert.match(error.message, /^Invalid request: unknown variant `no\/such`, expected one of `/);
});

verifies("handshake.answer", async ({ wire, home }) => {
  const { result } = await (await wire()).ask("initialize", { clientInfo });
  assert.match(result.userAgent, /^probe\/\d+\.\d+\.\d+ \(.+; \w+\) \S+ \(probe; 1\.0\)/);
  assert.equal(result.codexHome, home);
  assert.deepEqual([result.platformFamily, result.platformOs], ["unix", process.platform === "darwin" ? "macos" : "linux"]);
});

verifies("handshake.clientInfo", async ({ wire }) => {
  const client = await wire();
  for (const params of [undefined, null, {}]) {
    const { error } = await client.ask("initialize", params);
    assert.deepEqual(error, { code: -32600, message: "Invalid request: missing field `clientInfo`" });
  }
});

verifies("handshake.once", async ({ wire }) => {
  const client = await wire();
  await client.initialize();
  assert.deepEqual((await client.initialize()).error, { code: -32600, message: "Already initialized" });
  assert.deepEqual((await client.ask("thread/loaded/list", {})).result.data, []);
});

verifies("handshake.initializedOptional", async ({ wire }) => {
  const client = await wire();
  await client.initialize();
  assert.ok("result" in (await client.ask("model/list", {})));
  for (const method of ["initialized", "initialized", "no/such/notification"]) client.send({ method, params: {} });
  assert.ok("result" in (await client.ask("model/list", {})));
});

verifies(
  "handshake.each",
  async ({ wire }) => {
    const [first, second] = [await wire(), await wire()];
    await first.initialize();
    assert.equal((await second.ask("model/list", {})).error.message, "Not initialized");
    await second.initialize();
    assert.ok("result" in (await second.ask("model/list", {})));
  },
  { legs: ["memory", "websocket", "unix"] },
);

verifies(
  "handshake.optOut",
  async ({ wire }) => {
    const [deaf, other] = [await wire(), await wire()];
    await deaf.initialize({ optOutNotificationMethods: ["thread/started", "no/such/thing"] });
    await other.initialize({ optOutNotificationMethods: [] });
    await deaf.ask("thread/start", {});
    await other.notification("thread/started");
    await deaf.ask("thread/loaded/list", {});
    assert.ok(!deaf.order.includes("thread/started"));
  },
  { legs: ["memory", "websocket", "unix"] },
);

verifies("handshake.dialect", async ({ wire }) => {
  const client = await wire();
  const { error } = await client.initialize({ extensions: { parley: { dialect: "0.1" } } });
  assert.equal(error.code, -32600);
  assert.match(error.message, /capabilities\.extensions\.parley\.dialect must be one of seed-000, 0\.92, 0\.166/);
  assert.ok("result" in (await client.initialize({ extensions: { parley: { dialect: "0.166" } } })));
});

verifies("handshake.cleanName", async ({ wire }) => {
  const client = await wire();
  const { error } = await client.initialize(undefined, "bad\rname");
  assert.deepEqual(error, { code: -32600, message: "Invalid clientInfo.name: 'bad\rname'. Must be a valid HTTP header value." });
  const long = (await client.initialize(undefined, `a\r\nX-Forged: 1\u0000${"x".repeat(1_000_000)}`)).error;
  assert.ok(long.code === -32600 && long.message.length < 300);
  const { result } = await client.initialize(undefined, `ö\u2028${"x".repeat(1_000_000)}`);
  assert.match(result.userAgent, /^__x+\/[\x20-\x7e]+$/);
  assert.ok(result.userAgent.length < 1000);
});

verifies("handshake.generation", async ({ wire }) => {
  const versionFor = async (capabilities: unknown): Promise<string> =>
    /^scenario\/(\S+)/.exec((await (await wire()).initialize(capabilities)).result.userAgent)?.[1] ?? "";
  assert.equal(await versionFor(undefined), "0.98.0");
  assert.equal(await versionFor({ experimentalApi: true }), "0.166.0");
  assert.equal(await versionFor({ optOutNotificationMethods: [] }), "0.166.0");
  assert.equal(await versionFor({ experimentalApi: true, extensions: { parley: { dialect: "0.92" } } }), "0.98.0");
  for (const name of ["codex_app_server_daemon", "codex-backend"])
    assert.match((await (await wire()).initialize(undefined, name)).result.userAgent, /^codex_cli_rs\//, name);
});
