/** Websocket and unix-socket listeners of the real command. */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { mkdirSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { connectClient } from "../../../src/client/client.ts";
import { responsesFrames } from "../../support/model-mocks/frames.ts";
import { MockProvider, stream } from "../../support/model-mocks/server.ts";
import { ServerProcess, scratch } from "../../support/process.ts";

const loopback = ["--listen", "ws://127.0.0.1:0"];

test("a websocket listener says where it is, answers health probes and serves several clients", async (t) => {
  const server = new ServerProcess(t, loopback);
  const url = await server.url();
  assert.match(url, /^ws:\/\/127\.0\.0\.1:\d+$/);
  assert.match(
    server.stderr,
    /^parley app-server \(WebSockets\)\n {2}listening on: ws:.*\n {2}readyz: http:.*\/readyz\n {2}healthz: http:.*\/healthz\n/,
  );
  for (const page of ["healthz", "readyz"]) assert.equal((await fetch(`${url.replace("ws", "http")}/${page}`)).status, 200);
  const clients = await Promise.all([connectClient(url), connectClient(url)]);
  for (const client of clients) assert.deepEqual((await client.call("thread/loaded/list", {})).data, []);
  for (const client of clients) client.close();
  server.child.stdin.end();
  await (await connectClient(url)).call("model/list", {}); // the end of stdin does not matter to a server that does not listen on it
  server.child.kill("SIGTERM");
  assert.equal((await server.ended).code, 0);
});

for (const [signals, ended] of [
  [["SIGTERM"], "completed"],
  [["SIGHUP", "SIGHUP"], "completed"],
  [["SIGINT", "SIGINT"], "interrupted"],
] as const)
  test(`${signals.join(" and ")}: a listener ends when its turn is ${ended}, and goes on serving until then`, async (t) => {
    const held = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    await using provider = new MockProvider(async (response, request) => {
      asked.resolve();
      await held.promise;
      await stream(responsesFrames({ text: "done" }))(response, request);
    });
    const folder = scratch(t);
    mkdirSync(path.join(folder, "home"));
    const config = `model = "m"\nmodel_provider = "p"\n[model_providers.p]\nname = "p"\nbase_url = "${await provider.listen()}/v1"\n`;
    writeFileSync(path.join(folder, "home", "config.toml"), config);
    const server = new ServerProcess(t, loopback, {}, { folder });
    const client = await connectClient(await server.url());
    const over = new Promise<string>((resolve) => client.on("turn/completed", ({ turn }) => resolve(turn.status)));
    const { thread } = await client.call("thread/start", { cwd: folder });
    await client.call("turn/start", { threadId: thread.id, input: [{ type: "text", text: "go" }] });
    await asked.promise;
    for (const [i, signal] of signals.entries()) {
      server.child.kill(signal);
      // Two of one kind that are not apart are one to the system.
      if (i < signals.length - 1 || ended === "completed") await client.call("thread/loaded/list", {});
    }
    if (ended === "completed") held.resolve();
    assert.equal(await over, ended);
    assert.equal((await server.ended).code, 0);
    held.resolve();
  });

test("a unix socket is the owner's alone; proxy joins stdio to it", async (t) => {
  const file = path.join(scratch(t), "control", "s.sock");
  const server = new ServerProcess(t, ["--listen", `unix://${file}`]);
  assert.equal(await server.url(), `unix://${file}`);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  const client = await connectClient(`unix://${file}`);
  assert.deepEqual((await client.call("thread/loaded/list", {})).data, []);
  client.close();
  const proxy = new ServerProcess(t, ["proxy", "--sock", file]);
  proxy.write("GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  const { code, stdout } = await proxy.ended;
  assert.equal(code, 0);
  assert.match(stdout, /^HTTP\/1\.1 200/);
  server.child.kill("SIGINT");
  assert.equal((await server.ended).code, 0);
  assert.equal(statSync(file, { throwIfNoEntry: false }), undefined);
});

test("stdio and sockets can be served at once", async (t) => {
  const server = new ServerProcess(t, ["--listen", "stdio://", ...loopback]);
  const url = await server.url();
  server.initialize();
  await server.answer("init");
  const client = await connectClient(url);
  server.child.stdin.end();
  assert.deepEqual((await client.call("thread/loaded/list", {})).data, []);
  server.child.kill("SIGTERM");
  assert.equal((await server.ended).code, 0);
});

test("a capability token grants access, and is in no log line", async (t) => {
  const file = path.join(scratch(t), "token");
  writeFileSync(file, "s3cr3t-t0k3n-s3cr3t-t0k3n\n", { mode: 0o600 });
  const server = new ServerProcess(t, [...loopback, "--ws-auth", "capability-token", "--ws-token-file", file, "--log-level", "debug"]);
  const url = await server.url();
  await assert.rejects(connectClient(url), /401/);
  await assert.rejects(connectClient(url, { token: "s3cr3t-t0k3n-s3cr3t-t0k3n-x" }), /401/);
  const client = await connectClient(url, { token: "s3cr3t-t0k3n-s3cr3t-t0k3n" });
  client.close();
  await server.until(() => /websocket client refused/.exec(server.stderr) ?? undefined, "the refusal in the log");
  assert.ok(!server.stderr.includes("s3cr3t-t0k3n"));
});

test("a signed token grants access until it expires", async (t) => {
  const file = path.join(scratch(t), "secret");
  const secret = "k".repeat(40);
  writeFileSync(file, secret, { mode: 0o600 });
  const flags = [
    "--ws-auth",
    "signed-bearer-token",
    "--ws-shared-secret-file",
    file,
    "--ws-issuer",
    "me",
    "--ws-max-clock-skew-seconds",
    "0",
  ];
  const url = await new ServerProcess(t, [...loopback, ...flags]).url();
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  const token = (claims: object): string => {
    const text = `${part({ alg: "HS256" })}.${part(claims)}`;
    return `${text}.${createHmac("sha256", secret).update(text).digest("base64url")}`;
  };
  const now = Math.floor(Date.now() / 1000);
  (await connectClient(url, { token: token({ iss: "me", exp: now + 60 }) })).close();
  await assert.rejects(connectClient(url, { token: token({ iss: "me", exp: now - 1 }) }), /401/);
  await assert.rejects(connectClient(url, { token: token({ iss: "you", exp: now + 60 }) }), /401/);
});

for (const [flags, code, expected] of [
  [["--listen", "ws://localhost:4500"], 2, /expected `ws:\/\/IP:PORT`/],
  [["--listen", "carrier-pigeon://coop"], 2, /unsupported --listen URL/],
  [["--nope"], 2, /--nope/],
  [["extra"], 2, /unrecognized subcommand 'extra'/],
  [["--compat", "0.1"], 2, /expected seed-000, 0\.92, 0\.166/],
  [["--log-level", "loud"], 2, /expected error, warn, info, debug/],
  [["--ws-auth", "password"], 2, /expected capability-token or signed-bearer-token/],
  [["--listen", "off"], 1, /no transport configured/],
  [["--listen", "ws://0.0.0.0:0"], 1, /refusing to start non-loopback websocket listener 0\.0\.0\.0:0 without auth/],
  [["--listen", "ws://[::]:0"], 1, /refusing to start non-loopback/],
  [["--ws-token-file", "/nowhere"], 1, /auth flags require/],
  [["proxy", "--sock", "/nowhere/at/all"], 1, /failed to connect to socket at \/nowhere\/at\/all/],
] as const)
  test(`app-server ${flags.join(" ")} is refused with an error message`, async (t) => {
    const { code: exit, stderr, stdout } = await new ServerProcess(t, flags).ended;
    assert.equal(exit, code);
    assert.match(stderr, expected);
    assert.equal(stdout, "");
    assert.doesNotMatch(stderr, /\n {4}at /, "no stack for the user's own mistake");
  });

test("a port that is taken is named", async (t) => {
  const url = await new ServerProcess(t, loopback).url();
  const { code, stderr } = await new ServerProcess(t, ["--listen", url]).ended;
  assert.equal(code, 1);
  assert.match(stderr, /cannot listen: .*EADDRINUSE/);
});
