/** `parley manager` with a certificate: https, wss and cookies that are never sent unencrypted; and no public address without a certificate. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync } from "node:fs";
import https from "node:https";
import { connect } from "node:net";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { pathToFileURL } from "node:url";
import { WebSocket } from "ws";
import { makeCertificates } from "./support/certificates.ts";
import { endedWith } from "./support/ending.ts";
import { launcher, root, scratch } from "./support/process.ts";

interface Secure {
  readonly link: URL;
  readonly token: string;
  readonly folder: string;
  readonly ca: Buffer;
  readonly authority: string;
  readonly env: Record<string, string | undefined>;
  readonly child: ChildProcess;
}

const flags = ["--tls-cert", "server.pem", "--tls-key", "server.key"];

async function startSecure(t: TestContext): Promise<Secure | undefined> {
  const folder = scratch(t);
  const certificates = makeCertificates(folder, "parley.test");
  if (certificates === undefined) return void t.skip("no openssl on this machine");
  const home = path.join(folder, "home");
  mkdirSync(home);
  const env = { PATH: process.env["PATH"], HOME: folder, CODEX_HOME: home };
  const args = ["manager", "--listen", "127.0.0.1:0", "--no-open", "--allow-host", "parley.test", ...flags];
  const child = spawn(launcher, args, { cwd: folder, env, stdio: ["ignore", "pipe", "inherit"] });
  endedWith(t, child);
  let text = "";
  for await (const chunk of child.stdout) {
    text += chunk;
    const link = /(\S+#sign-in=\S+)/.exec(text)?.[1];
    if (link === undefined) continue;
    child.stdout.resume();
    const token = readFileSync(path.join(home, "parley/manager/token"), "utf8").trim();
    const { authority } = certificates;
    return { link: new URL(link), token, folder, ca: readFileSync(authority), authority, env, child };
  }
  throw new Error(`the manager ended: ${text}`);
}

interface Answer {
  readonly status: number;
  readonly cookie: string;
  readonly body: string;
}

function call(
  at: Secure,
  method: string,
  route: string,
  options: { headers?: Record<string, string>; body?: unknown } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = { ...options.headers, ...(options.body === undefined ? {} : { "content-type": "application/json" }) };
    const request = https.request(new URL(route, at.link), { method, headers, ca: at.ca }, async (response) => {
      const body = (await response.toArray()).join("");
      resolve({ status: response.statusCode ?? 0, cookie: (response.headers["set-cookie"] ?? []).join(), body });
    });
    request.on("error", reject).end(options.body === undefined ? undefined : JSON.stringify(options.body));
  });
}

function opens(url: URL, ca: Buffer, headers: Record<string, string>): Promise<string> {
  const socket = new WebSocket(url, { ca, headers });
  return new Promise((resolve) => {
    socket.on("message", (data) => resolve(String(data)));
    socket.on("unexpected-response", (_, response) => resolve(`status ${response.statusCode}`));
    socket.on("error", (error) => resolve(error.message));
    setTimeout(() => socket.terminate(), 60_000).unref();
  });
}
const wss = (at: Secure, route: string): URL => new URL(route, at.link.href.replace(/^https/, "wss"));

test("with a certificate the link is https, the cookie is Secure, and events come over wss", async (t) => {
  const at = await startSecure(t);
  if (at === undefined) return;
  assert.equal(at.link.protocol, "https:");
  assert.deepEqual(JSON.parse((await call(at, "GET", "/api/health")).body), { status: "ok" });

  const signedIn = await call(at, "POST", "/api/auth/sign-in", { body: { code: at.link.hash.replace("#sign-in=", "") } });
  assert.equal(signedIn.status, 200, signedIn.body);
  assert.match(signedIn.cookie, /^parley_\d+=\S+; Path=\/; HttpOnly; SameSite=Strict; Max-Age=\d+; Secure$/);
  const [cookie = ""] = signedIn.cookie.split(";");
  const origin = at.link.origin;
  const { pageKey } = JSON.parse(signedIn.body) as { pageKey: string };
  const own = { cookie, origin, "x-parley-key": pageKey };
  assert.equal((await call(at, "GET", "/api/auth/me", { headers: own })).status, 200);
  assert.match(await opens(wss(at, "/api/stream"), at.ca, own), /"type":"ready"/);
  assert.equal(await opens(wss(at, "/api/stream"), at.ca, { ...own, origin: origin.replace("https", "http") }), "status 403");
  assert.equal(await opens(wss(at, "/rpc"), at.ca, own), "status 401", "a browser's cookie does not open the protocol");
  const signedOut = await call(at, "POST", "/api/auth/sign-out", { headers: own, body: {} });
  assert.match(signedOut.cookie, /Max-Age=0; Secure$/);

  const gone = once(at.child, "exit");
  at.child.kill("SIGTERM");
  assert.deepEqual(await gone, [0, null]);
});

test("a client that does not know the authority, or speaks plain HTTP, gets nothing", async (t) => {
  const at = await startSecure(t);
  if (at === undefined) return;
  await assert.rejects(fetch(new URL("/api/health", at.link)), (error: Error) => /certificate|verify/i.test(String(error.cause)));
  const plain = connect(Number(at.link.port), "127.0.0.1");
  plain.end(`GET /api/health HTTP/1.1\r\nhost: ${at.link.host}\r\n\r\n`);
  assert.doesNotMatch((await plain.toArray()).join(""), /"ok"/);
});

test("scripts: the typed client receives events over wss, /rpc runs a turn, and `manager link` trusts the certificate it is given", async (t) => {
  const at = await startSecure(t);
  if (at === undefined) return;
  const href = (file: string): string => JSON.stringify(pathToFileURL(path.join(root, file)).href);
  const script = `
    import { ManagerClient } from ${href("schema/manager/client.ts")};
    import { connectClient } from ${href("src/client/client.ts")};
    const [url, token] = process.argv.slice(1);
    const client = new ManagerClient({ url, token });
    const direct = await connectClient(url.replace("https", "wss") + "/rpc", { token });
    const stop = new AbortController();
    for await (const event of client.events({ signal: stop.signal })) {
      if (event.type === "ready") void direct.startThread({ cwd: ${JSON.stringify(at.folder)}, modelProvider: "scripted" }).then((thread) => thread.run("hello"));
      if (event.type === "session_upserted" && event.payload.lastTurnStatus === "completed") stop.abort();
    }
    direct.close();
    console.log("received it");`;
  const ran = spawnSync(process.execPath, ["--input-type=module", "--eval", script, at.link.origin, at.token], {
    env: { ...at.env, NODE_EXTRA_CA_CERTS: at.authority, NODE_NO_WARNINGS: "1" },
    encoding: "utf8",
    timeout: 90_000,
  });
  assert.equal(ran.stdout.trim(), "received it", ran.stderr);
  const run = spawnSync(launcher, ["manager", "link", "--listen", at.link.host, "--tls-cert", "server.pem"], {
    cwd: at.folder,
    env: at.env,
    encoding: "utf8",
  });
  assert.match(run.stdout, /^https:\/\/127\.0\.0\.1:\d+\/#sign-in=\S+\n$/, run.stderr);
});

test("an address that others can reach needs a certificate or an explicit flag, and a bad certificate is reported at once", (t) => {
  const folder = scratch(t);
  if (makeCertificates(folder, "parley.test") === undefined) return t.skip("no openssl on this machine");
  const env = { PATH: process.env["PATH"], HOME: folder, CODEX_HOME: folder };
  // An address that no machine has: an accepted configuration fails when it tries to listen.
  const run = (...args: string[]): string => {
    const all = ["manager", "--listen", "192.0.2.1:4180", "--no-open", ...args];
    const { status, stderr } = spawnSync(launcher, all, { cwd: folder, env, encoding: "utf8", timeout: 60_000 });
    return `${status} ${stderr}`;
  };
  assert.match(run(), /^1 .*refusing to listen on 192\.0\.2\.1 without TLS/);
  assert.match(run(...flags), /^1 .*cannot listen on 192\.0\.2\.1:4180/);
  assert.match(run("--allow-plain-http"), /^1 .*cannot listen on 192\.0\.2\.1:4180/);
  assert.match(run("--tls-cert", "server.pem"), /^2 .*together/);
  assert.match(run("--tls-cert", "none.pem", "--tls-key", "server.key"), /^1 .*cannot use the certificate none\.pem/);
  assert.match(run("--tls-cert", "names", "--tls-key", "server.key"), /^1 .*cannot use the certificate names/);
  assert.match(run("--tls-cert", "server.pem", "--tls-key", "ca.key"), /^1 .*cannot use the certificate .*mismatch/);
});
