/** A small corporate network: a proxy, a private certificate authority, and a telemetry collector, all on this machine. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { type AddressInfo, connect } from "node:net";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { makeCertificates } from "./support/certificates.ts";
import { atEnd, endedWith } from "./support/ending.ts";
import { launcher, scratch } from "./support/process.ts";

/** Not resolvable by DNS: only reachable through the proxy. */
const host = "model.parley.test";

async function listen(t: TestContext, server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  atEnd(t, () => server.closeAllConnections());
  atEnd(t, () => server.close());
  return (server.address() as AddressInfo).port;
}

/** Answers every request with the same text, as a chat-completions server does. */
const model: RequestListener = (_request, response) => {
  const chunk = (delta: object, finish: string | null) =>
    `data: ${JSON.stringify({ id: "r", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.end(`${chunk({ role: "assistant", content: "from far away" }, null)}${chunk({}, "stop")}data: [DONE]\n\n`);
};

/** Records the requested targets, and forwards everything to one port of this machine. */
async function openProxy(t: TestContext, to: () => number) {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${new URL(request.url ?? "").host}`);
    model(request, response);
  });
  server.on("connect", (request: IncomingMessage, client) => {
    seen.push(`CONNECT ${request.url} ${request.headers["proxy-authorization"] ?? ""}`.trim());
    const socket = connect(to(), "127.0.0.1", () => {
      client.write("HTTP/1.1 200 OK\r\n\r\n");
      socket.pipe(client).pipe(socket);
    });
    socket.on("error", () => client.destroy());
    client.on("error", () => socket.destroy());
  });
  return { seen, port: await listen(t, server) };
}

function place(t: TestContext, url: string, more = "") {
  const folder = scratch(t);
  const home = path.join(folder, "home");
  mkdirSync(home);
  const provider = `[model_providers.far]\nname = "far"\nbase_url = "${url}"\nwire_api = "chat"\nrequest_max_retries = 0\nstream_max_retries = 0\n`;
  writeFileSync(path.join(home, "config.toml"), `model = "m"\nmodel_provider = "far"\n${more}${provider}`);
  const run = (
    args: readonly string[],
    env: Readonly<Record<string, string>>,
  ): Promise<{ code: number | null; out: string; err: string }> => {
    const child = spawn(launcher, args, { cwd: folder, env: { PATH: "/usr/bin:/bin", HOME: folder, CODEX_HOME: home, ...env } });
    endedWith(t, child);
    let [out, err] = ["", ""];
    child.stdin.end();
    child.stdout.on("data", (chunk) => (out += chunk));
    child.stderr.on("data", (chunk) => (err += chunk));
    return new Promise((resolve) => child.on("close", (code) => resolve({ code, out, err })));
  };
  const ask = (env: Readonly<Record<string, string>>) => run(["exec", "--skip-git-repo-check", "--ephemeral", "hello"], env);
  return { folder, home, run, ask };
}

test("HTTP_PROXY leads plain requests, NO_PROXY and this machine go directly", async (t) => {
  const direct = await listen(t, createServer(model));
  const proxy = await openProxy(t, () => direct);
  const env = { HTTP_PROXY: `http://127.0.0.1:${proxy.port}` };
  const far = place(t, `http://${host}:8080/v1`);
  assert.match((await far.ask(env)).out, /from far away/);
  // The provider's list of models is read before the first request.
  assert.deepEqual(proxy.seen, [`GET ${host}:8080`, `POST ${host}:8080`]);
  const refused = await far.ask({ ...env, NO_PROXY: ".parley.test" });
  assert.deepEqual([refused.code, proxy.seen.length], [1, 2], "the name is looked up here, and nobody knows it");
  assert.match((await far.ask({ ALL_PROXY: env.HTTP_PROXY })).out, /from far away/);
  assert.match((await far.ask({ ...env, ALL_PROXY: "socks5://127.0.0.1:9" })).out, /from far away/, "the narrower variable counts");
  proxy.seen.splice(2);
  const near = place(t, `http://127.0.0.1:${direct}/v1`);
  assert.match((await near.ask(env)).out, /from far away/);
  assert.equal(proxy.seen.length, 2);
});

test("an own authority behind a proxy: SSL_CERT_FILE or NODE_EXTRA_CA_CERTS open the way, nothing else does", async (t) => {
  const certificates = makeCertificates(scratch(t), host);
  if (certificates === undefined) return t.skip("openssl is not installed");
  const port = await listen(t, createSecureServer(certificates, model));
  const proxy = await openProxy(t, () => port);
  const { ask, run } = place(t, `https://${host}/v1`);
  const env = { https_proxy: `http://someone:secretword@127.0.0.1:${proxy.port}` };
  const closed = await ask(env);
  assert.equal(closed.code, 1);
  assert.match(closed.err, /certificate/i);
  const hint = /-> if your network has a certificate authority of its own, name its file in SSL_CERT_FILE/;
  assert.match((await run(["doctor"], env)).out, hint);
  const missing = await ask({ ...env, SSL_CERT_FILE: "/no/such/file" });
  assert.match(missing.err, /certificate/i);
  for (const variable of ["SSL_CERT_FILE", "CODEX_CA_CERTIFICATE", "NODE_EXTRA_CA_CERTS"])
    assert.match((await ask({ ...env, [variable]: certificates.authority })).out, /from far away/, variable);
  assert.ok(proxy.seen.every((line) => line === `CONNECT ${host}:443 Basic ${Buffer.from("someone:secretword").toString("base64")}`));

  // The doctor uses fetch, and hides the proxy's password.
  const findings = await run(["doctor", "--json"], { ...env, SSL_CERT_FILE: certificates.authority });
  const found = (JSON.parse(findings.out) as { name: string; state: string; text: string }[]).filter(({ name }) =>
    /network|provider/.test(name),
  );
  assert.deepEqual(
    found.map(({ name, state }) => [name, state]),
    [
      ["network", "ok"],
      ["network", "ok"],
      ["provider", "ok"],
    ],
  );
  assert.ok(!findings.out.includes("secretword"), findings.out);
  const wrong = await run(["doctor", "--json"], { SSL_CERT_FILE: "/no/such/file" });
  assert.match(wrong.out, /SSL_CERT_FILE: \/no\/such\/file cannot be read/);
});

test("a proxy that cannot be used is named, and nothing goes out without it", async (t) => {
  const direct = await listen(t, createServer(model));
  const { run, ask } = place(t, `http://${host}:${direct}/v1`);
  for (const [address, what] of [
    ["socks5://127.0.0.1:9", "names a SOCKS proxy"],
    ["somewhere", "is no http:// address"],
  ] as const) {
    const { code, err } = await ask({ HTTP_PROXY: address });
    assert.equal(code, 1);
    assert.match(err, new RegExp(`error: cannot reach the model provider: HTTP_PROXY ${what}.*or name ${host} in NO_PROXY`));
    assert.doesNotMatch(err, /Reconnecting/, "trying again is no use");
    assert.match((await run(["doctor"], { HTTP_PROXY: address })).out, new RegExp(`FAIL {2}provider.*HTTP_PROXY ${what}`));
  }
  const all = await ask({ all_proxy: "socks5://127.0.0.1:9" });
  assert.match(all.err, /error: cannot reach the model provider: ALL_PROXY names a SOCKS proxy/);
  const exempt = await ask({ HTTP_PROXY: "socks5://127.0.0.1:9", NO_PROXY: host });
  assert.match(exempt.err, /getaddrinfo/, "it is looked up here");
});

test("[otel] sends the tree of each turn to the collector, and the figures", async (t) => {
  const bodies: { readonly path: string; readonly body: string }[] = [];
  const collector = await listen(
    t,
    createServer((request, response) => {
      let body = "";
      request.on("data", (chunk) => (body += chunk));
      request.on("end", () => {
        bodies.push({ path: request.url ?? "", body });
        response.end("{}");
      });
    }),
  );
  const direct = await listen(t, createServer(model));
  const { ask } = place(
    t,
    `http://127.0.0.1:${direct}/v1`,
    `otel.environment = "test"\notel.exporter = { otlp-http = { endpoint = "http://127.0.0.1:${collector}" } }\n`,
  );
  assert.match((await ask({})).out, /from far away/);
  assert.deepEqual([...new Set(bodies.map(({ path: to }) => to))].toSorted(), ["/v1/metrics", "/v1/traces"]);
  // A slow run sends them in several batches.
  const traces = bodies.flatMap(({ path: to, body }) => (to === "/v1/traces" ? [body] : [])).join("\n");
  for (const part of ['"name":"invoke_agent parley"', '"name":"chat m"', '"stringValue":"test"']) assert.ok(traces.includes(part), part);
  assert.ok(!traces.includes("hello"), "the prompt stays here");
});
