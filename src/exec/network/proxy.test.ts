/** The proxy of a command, without a sandbox around it: what it lets through, what it refuses, and what floods it. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer as createHttpServer, type IncomingMessage } from "node:http";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { NameQueue, type Names } from "./gate.ts";
import { CommandProxy, ProxyRoom } from "./proxy.ts";
import { type RecordedNetwork, recordedNetwork } from "./testing.ts";

type Env = Record<string, string>;

async function listening(t: TestContext, server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const open = new Set<Socket>();
  server.on("connection", (socket: Socket) => open.add(socket));
  t.after(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** Answers with what it was asked. */
async function site(t: TestContext): Promise<{ port: number; seen: IncomingMessage[] }> {
  const seen: IncomingMessage[] = [];
  const server = createHttpServer((request, response) => {
    seen.push(request);
    request.resume().on("end", () => response.end(`${request.method} ${request.url} ${request.headers.host}`));
  });
  return { port: await listening(t, server), seen };
}

async function proxyOf(t: TestContext, network: RecordedNetwork, { env = {}, names }: { env?: Env; names?: Names } = {}) {
  const door = createServer();
  const port = await listening(t, door);
  const proxy = new CommandProxy(network, new ProxyRoom(env, new NameQueue(names)));
  t.after(() => proxy.close());
  proxy.serve(door);
  return { proxy, port };
}

/** Sends the parts, each after an answer to the one before, and returns all that came until the end. */
async function say(port: number, ...parts: (string | Uint8Array)[]): Promise<string> {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  socket.on("error", () => undefined);
  let text = "";
  socket.on("data", (chunk: Buffer) => {
    text += chunk.toString("latin1");
  });
  for (const [i, part] of parts.entries()) {
    socket.write(part);
    if (i < parts.length - 1) await new Promise((resolve) => socket.once("data", resolve).once("close", resolve));
  }
  socket.on("end", () => socket.end());
  if (!socket.closed) await new Promise((resolve) => socket.once("close", resolve));
  return text;
}

const get = (address: string, ...headers: string[]): string => {
  const [, host = ""] = /^\w+:\/\/([^/]*)/.exec(address) ?? [];
  return `GET ${address} HTTP/1.1\r\n${(headers.length === 0 ? [`Host: ${host}`] : headers).join("\r\n")}\r\nConnection: close\r\n\r\n`;
};
const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]);
/** A SOCKS request for an IPv4 address or a name. */
const socksFor = (host: string, port: number, command = 1): Uint8Array => {
  const address = /^[\d.]+$/.test(host) ? [1, ...host.split(".").map(Number)] : [3, host.length, ...Buffer.from(host)];
  return Uint8Array.of(5, command, 0, ...address, port >> 8, port & 255);
};
const hello = Uint8Array.of(5, 1, 0);

test("HTTP, CONNECT and SOCKS reach an allowed host on one port", async (t) => {
  const { port: target, seen } = await site(t);
  const network = recordedNetwork({ allow: ["127.0.0.1"] });
  const { port, proxy } = await proxyOf(t, network);
  const plain = await say(
    port,
    get(`http://127.0.0.1:${target}/a?b`, `Host: 127.0.0.1:${target}`, "Proxy-Authorization: secret", "X-Own: 1"),
  );
  assert.match(plain, new RegExp(`GET /a\\?b 127.0.0.1:${target}`));
  assert.deepEqual([seen[0]?.headers["proxy-authorization"], seen[0]?.headers["x-own"]], [undefined, "1"]);
  const inner = get("http://x/").replace("http://x/", "/tunnelled");
  assert.match(
    await say(port, `CONNECT 127.0.0.1:${target} HTTP/1.1\r\nHost: other\r\n\r\n`, inner),
    /200 Connection Established[\s\S]*GET \/tunnelled x/,
  );
  assert.match(await say(port, hello, socksFor("127.0.0.1", target), inner), /GET \/tunnelled x/);
  const body = `POST http://127.0.0.1:${target}/p HTTP/1.1\r\nHost: 127.0.0.1:${target}\r\nContent-Length: 3\r\nExpect: 100-continue\r\nConnection: close\r\n\r\nabc`;
  assert.match(await say(port, body), /POST \/p/);
  assert.deepEqual(
    network.ruled,
    ["http", "https", "socks5-tcp"].map((protocol) => `${protocol}://127.0.0.1:${target} allowed`),
  );
  assert.deepEqual([network.asked, proxy.summary], [[], undefined]);
});

test("denied wins, private addresses need their own entry, names are looked up once and only when they are allowed", async (t) => {
  const { port: target } = await site(t);
  const looked: string[] = [];
  const names: Names = async (host) => {
    looked.push(host);
    return [{ address: host.startsWith("inside") ? "10.0.0.7" : "127.0.0.1", family: 4 }];
  };
  const network = recordedNetwork({ allow: ["*", "ok.example"], deny: ["**.evil.example"] });
  const { port, proxy } = await proxyOf(t, network, { names });
  assert.match(await say(port, get("http://a.EVIL.example./")), /403 Forbidden[\s\S]*blocked-by-denylist[\s\S]*"reason":"denied"/);
  for (const local of [
    "127.0.0.1",
    "0x7f.1",
    "2130706433",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "localhost",
    "a.localhost",
    "169.254.169.254",
    "0.0.0.0",
  ])
    assert.match(await say(port, get(`http://${local}:${target}/`)), /403[\s\S]*not_allowed_local/, local);
  assert.match(await say(port, get("http://ok.example/")), /403[\s\S]*not_allowed_local/, "a name that leads to this machine");
  assert.match(await say(port, `CONNECT inside.example:443 HTTP/1.1\r\n\r\n`), /403[\s\S]*blocked-by-allowlist/);
  assert.deepEqual(looked, ["ok.example", "inside.example"]);
  assert.match(proxy.summary ?? "", /Network access to "a.evil.example" was blocked: domain is explicitly denied/);
  assert.match(proxy.summary ?? "", /"169.254.169.254" was blocked: local\/private network addresses/);
});

test("the address that was checked is the one that is connected to", async (t) => {
  const { port: target } = await site(t);
  let calls = 0;
  // The second lookup would lead elsewhere.
  const names: Names = async () => [{ address: ++calls === 1 ? "127.0.0.1" : "127.0.0.99", family: 4 }];
  const { port } = await proxyOf(t, recordedNetwork({ allow: ["rebound.example"], allowsLocal: true }), { names });
  assert.match(await say(port, get(`http://rebound.example:${target}/`)), new RegExp(`GET / rebound.example:${target}`));
  assert.equal(calls, 1);
});

test("a host without a rule is asked about once for each target; the answer holds for the command", async (t) => {
  const { port: target } = await site(t);
  const network = recordedNetwork({ allowsLocal: true }, async ({ protocol }) => (protocol === "http" ? undefined : "the person said no"));
  const { port, proxy } = await proxyOf(t, network);
  const address = `http://127.0.0.1:${target}/`;
  const answers = await Promise.all([1, 2, 3].map(() => say(port, get(address))));
  for (const answer of [...answers, await say(port, get(address))]) assert.equal(statusOf(answer), 200);
  assert.equal(statusOf(await say(port, `CONNECT 127.0.0.1:${target} HTTP/1.1\r\n\r\n`)), 403);
  assert.equal((await say(port, hello, socksFor("127.0.0.1", target))).charCodeAt(3), 2);
  assert.deepEqual(
    network.asked,
    ["http", "https", "socks5-tcp"].map((protocol) => `${protocol}://127.0.0.1:${target}`),
  );
  assert.match(proxy.summary ?? "", /"https:\/\/127.0.0.1:\d+" was blocked: the person said no/);
  const closed = recordedNetwork({ isClosed: true });
  const other = await proxyOf(t, closed);
  assert.equal(statusOf(await say(other.port, get("http://unknown.example/"))), 403);
  assert.deepEqual([closed.asked, closed.ruled], [[], ["http://unknown.example:80 not_allowed"]]);
});

test("limited: only plain requests that read", async (t) => {
  const { port: target } = await site(t);
  const { port } = await proxyOf(t, recordedNetwork({ allow: ["127.0.0.1"], mode: "limited" }));
  const address = `http://127.0.0.1:${target}/`;
  const with_ = (method: string): Promise<string> => say(port, get(address).replace("GET", method));
  assert.deepEqual(await Promise.all(["GET", "HEAD", "OPTIONS"].map(async (method) => statusOf(await with_(method)))), [200, 200, 200]);
  for (const method of ["POST", "DELETE", "get", "PATCH"]) assert.notEqual(statusOf(await with_(method)), 200, method);
  assert.match(await with_("PUT"), /blocked-by-method-policy/);
  assert.match(await say(port, `CONNECT 127.0.0.1:${target} HTTP/1.1\r\n\r\n`), /403[\s\S]*blocked-by-mitm-required/);
  assert.equal((await say(port, hello, socksFor("127.0.0.1", target))).charCodeAt(3), 2);
});

test("requests that mean two things are refused before anything is reached", async (t) => {
  const { port: target, seen } = await site(t);
  const { port } = await proxyOf(t, recordedNetwork({ allow: ["127.0.0.1"] }));
  const at = `127.0.0.1:${target}`;
  const odd = [
    get(`http://${at}/`, "Host: other.example"),
    get(`http://${at}/`, `Host: ${at}`, "Host: other.example"),
    get(`http://user:pass@${at}/`, `Host: ${at}`),
    get(`http://other.example@${at}/`, `Host: ${at}`),
    get(`http://${at}#@other.example/`, `Host: ${at}`),
    get(`http://${at}\\@other.example/`, `Host: ${at}`),
    get(`https://${at}/`, `Host: ${at}`),
    get(`ftp://${at}/`, `Host: ${at}`),
    get("http://127.0.0.1:99999/", "Host: 127.0.0.1:99999"),
    `GET / HTTP/1.1\r\nHost: ${at}\r\n\r\n`,
    `POST http://${at}/ HTTP/1.1\r\nHost: ${at}\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET http://other.example/ HTTP/1.1\r\n\r\n`,
    `GET http://${at}/ HTTP/1.1\r\nHost: ${at}\r\nX: a\nb: c\r\n\r\n`,
    `GET http://${at}/ HTTP/1.1\r\nHost: ${at}\r\nX: ${"x".repeat(40_000)}\r\n\r\n`,
    ...["127.0.0.1", `user@${at}`, ":443", "[::1", "127.0.0.1:0", `${at}/path`].map((to) => `CONNECT ${to} HTTP/1.1\r\n\r\n`),
    "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 this is TLS",
    "\x04\x01\x00\x50\x7f\x00\x00\x01\x00",
  ];
  for (const request of odd) assert.ok(!(statusOf(await say(port, request)) < 400), request);
  assert.equal(seen.length, 0);
  for (const wrong of [
    socksFor("127.0.0.1", target, 2),
    socksFor("127.0.0.1", target, 3),
    socksFor("a@b", target),
    Uint8Array.of(5, 1, 0, 9, 0, 0),
  ])
    assert.notEqual((await say(port, hello, wrong)).charCodeAt(3), 0);
  assert.equal(await say(port, Uint8Array.of(5, 1, 2)), "\x05\xff");
  assert.equal(seen.length, 0);
});

test("floods are bounded: connections, requests ahead, targets, questions", async (t) => {
  const { port: target } = await site(t);
  const network = recordedNetwork({ allow: ["127.0.0.1"] }, async () => "no");
  const { port } = await proxyOf(t, network);
  const many = Array.from({ length: 400 }, () => connect({ port, host: "127.0.0.1" }).on("error", () => undefined));
  const gone = many.map((socket) => new Promise((resolve) => socket.once("close", resolve)));
  await Promise.race(gone); // more than the limit: the rest is closed at once
  assert.equal((await Promise.all(gone.slice(200))).length, 200);
  for (const socket of many) socket.destroy();
  await Promise.all(gone);
  while (statusOf(await say(port, get(`http://127.0.0.1:${target}/`))) !== 200); // until the proxy has noticed
  const ahead = get(`http://127.0.0.1:${target}/`, `Host: 127.0.0.1:${target}`).replace("Connection: close\r\n", "");
  assert.ok((await say(port, ahead.repeat(5_000))).split("HTTP/1.1 200").length < 20);
  for (let i = 0; i < 40; i++) assert.equal(statusOf(await say(port, get(`http://host-${i}.example/`))), 403);
  assert.equal(network.asked.length, 32);
});

test("ends with the command: open tunnels, waiting questions and the listener", async (t) => {
  const { port: target } = await site(t);
  const waiting = Promise.withResolvers<void>();
  const network = recordedNetwork({ allow: ["127.0.0.1"] }, async (_, signal) => {
    waiting.resolve();
    await once(signal, "abort");
    return "ended";
  });
  const { port, proxy } = await proxyOf(t, network);
  const open = connect({ port, host: "127.0.0.1" }).on("error", () => undefined);
  open.write(`CONNECT 127.0.0.1:${target} HTTP/1.1\r\n\r\n`);
  await once(open, "data");
  const asking = connect({ port, host: "127.0.0.1" }).on("error", () => undefined);
  asking.write(get("http://unknown.example/"));
  await waiting.promise;
  const ended = [open, asking].map((socket) => new Promise((resolve) => socket.once("close", resolve)));
  proxy.close();
  await Promise.all(ended);
});

test("the proxy of the user's environment is used on the way out, except where it says not to", async (t) => {
  const { port: target } = await site(t);
  const lines: string[] = [];
  const upstream = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", (chunk: Buffer) => {
      const text = chunk.toString();
      lines.push(...text.split("\r\n").filter((line) => /^(CONNECT |GET |proxy-auth)/i.test(line)));
      if (!text.startsWith("CONNECT")) return void socket.end("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nthrough");
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      socket.once("data", () => socket.end("tunnelled"));
    });
  });
  const url = `http://me:pass%20word@127.0.0.1:${await listening(t, upstream)}`;
  const env = { HTTP_PROXY: url, HTTPS_PROXY: url, NO_PROXY: "direct.example" };
  const names: Names = async (host) => {
    if (host === "public.example") throw new Error("only the proxy knows it");
    return [{ address: "127.0.0.1", family: 4 }];
  };
  const rules = { allow: ["public.example", "direct.example"], allowsLocal: true };
  const { port } = await proxyOf(t, recordedNetwork(rules), { env, names });
  assert.match(await say(port, get("http://public.example/x")), /through/);
  assert.match(await say(port, "CONNECT public.example:443 HTTP/1.1\r\n\r\n", "hello"), /tunnelled/);
  assert.match(await say(port, get(`http://direct.example:${target}/`)), /GET \/ direct.example/);
  const authorization = `proxy-authorization: Basic ${Buffer.from("me:pass word").toString("base64")}`;
  assert.deepEqual(lines, ["GET http://public.example/x HTTP/1.1", authorization, "CONNECT public.example:443 HTTP/1.1", authorization]);
  const own = await proxyOf(t, recordedNetwork({ ...rules, usesUpstream: false }), { env, names });
  assert.equal(statusOf(await say(own.port, get("http://public.example/x"))), 502);
});
