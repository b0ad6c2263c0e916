import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { type AuthFlags, checkFromFlags, endpointFrom } from "./listen-flags.ts";
import { readFlags, StartError, UsageError } from "./usage.ts";

const folder = mkdtempSync(path.join(tmpdir(), "parley-flags-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const file = (name: string, text: string, mode = 0o600): string => {
  const full = path.join(folder, name);
  writeFileSync(full, text, { mode });
  chmodSync(full, mode);
  return full;
};

test("--listen accepts stdio, literal addresses and socket paths", () => {
  assert.deepEqual(endpointFrom("stdio://", "/h"), { kind: "stdio" });
  assert.deepEqual(endpointFrom("ws://127.0.0.1:4500", "/h"), { kind: "websocket", host: "127.0.0.1", port: 4500 });
  assert.deepEqual(endpointFrom("ws://[::1]:0", "/h"), { kind: "websocket", host: "::1", port: 0 });
  assert.deepEqual(endpointFrom("unix:///run/x y.sock", "/h"), { kind: "unix", path: "/run/x y.sock" });
  assert.deepEqual(endpointFrom("unix://", "/h"), { kind: "unix", path: "/h/app-server-control/app-server-control.sock" });
  assert.equal(endpointFrom("off", "/h"), undefined);
});

for (const url of [
  "ws://localhost:1",
  "ws://127.0.0.1",
  "ws://127.0.0.1:70000",
  "ws://1.2.3:1",
  "ws://::1:1",
  "ws://127.0.0.1:1/x",
  "ws://a@127.0.0.1:1",
])
  test(`--listen refuses ${url}`, () => assert.throws(() => endpointFrom(url, "/h"), /expected `ws:\/\/IP:PORT`/));
for (const url of ["http://127.0.0.1:1", "", "stdio", "tcp://1.1.1.1:1"])
  test(`--listen refuses '${url}'`, () => assert.throws(() => endpointFrom(url, "/h"), UsageError));

const secret = "s".repeat(22);
test("a token file and a digest accept the same token", async () => {
  const fromFile = await checkFromFlags({ "ws-auth": "capability-token", "ws-token-file": file("token", `${secret}\n`) });
  const digest = createHash("sha256").update(secret).digest("hex").toUpperCase();
  const fromDigest = await checkFromFlags({ "ws-auth": "capability-token", "ws-token-sha256": digest });
  for (const check of [fromFile, fromDigest]) {
    assert.equal(check?.(secret), undefined);
    assert.notEqual(check?.(`${secret}\n`), undefined);
  }
  assert.equal(await checkFromFlags({}), undefined);
});

const short = file("short", "x".repeat(31));
const empty = file("empty", " \n");
const signed = { "ws-auth": "signed-bearer-token", "ws-shared-secret-file": file("secret", "x".repeat(32)) };
for (const [flags, why] of [
  [{ "ws-token-file": short }, /auth flags require/],
  [{ "ws-issuer": "me" }, /auth flags require/],
  [{ "ws-auth": "capability-token" }, /is required when/],
  [{ "ws-auth": "capability-token", "ws-token-file": path.join(folder, "none") }, /failed to read websocket auth secret .*none/],
  [{ "ws-auth": "capability-token", "ws-token-file": empty }, /must not be empty/],
  [{ "ws-auth": "capability-token", "ws-token-file": file("guessable", "s".repeat(21)) }, /too short: it needs at least 22 characters/],
  [{ "ws-auth": "capability-token", "ws-token-file": file("group", secret, 0o640) }, /mode 640: others can read it\. Run: chmod 600/],
  [{ "ws-auth": "capability-token", "ws-token-file": file("world", secret, 0o604) }, /mode 604/],
  [{ "ws-auth": "signed-bearer-token", "ws-shared-secret-file": file("open", "x".repeat(32), 0o644) }, /mode 644/],
  [{ "ws-auth": "capability-token", "ws-token-sha256": "abc" }, /64-character hex/],
  [{ "ws-auth": "capability-token", "ws-token-sha256": "a".repeat(64), "ws-token-file": short }, /not both/],
  [{ "ws-auth": "signed-bearer-token" }, /is required when/],
  [{ "ws-auth": "signed-bearer-token", "ws-shared-secret-file": short }, /at least 32 bytes/],
] as readonly (readonly [AuthFlags, RegExp])[])
  test(`auth flags that cannot work are refused: ${why.source}`, () =>
    assert.rejects(checkFromFlags(flags), (error) => error instanceof StartError && why.test(error.message)));

test("auth flags that make no sense are a usage error", async () => {
  await assert.rejects(checkFromFlags({ "ws-auth": "password" }), UsageError);
  await assert.rejects(checkFromFlags({ ...signed, "ws-max-clock-skew-seconds": "-1" }), UsageError);
  assert.equal(typeof (await checkFromFlags(signed)), "function");
});

test("wrong flags are named", () => {
  assert.throws(
    () => readFlags(["--nope"], {}),
    (error) => error instanceof UsageError && /--nope/.test(error.message),
  );
  assert.throws(
    () => readFlags(["--listen"], { flags: [{ name: "listen", value: "URL", text: "" }] }),
    (error) => error instanceof UsageError && /--listen/.test(error.message),
  );
});
