import assert from "node:assert/strict";
import { createServer } from "node:http";
import { connect as connectRaw, type Socket } from "node:net";
import { after, test } from "node:test";
import { oddTargets, rawStatus, upgradeHeaders } from "../../test/support/odd-targets.ts";
import { capabilityToken, digestOfToken } from "./bearer.ts";
import { type Transport, tooFarBehind } from "./transport.ts";
import { connectWebSocket, type Listener, type ListenOptions, listenWebSocket, startListening } from "./websocket.ts";

const opened: Listener[] = [];
after(() => Promise.all(opened.map((listener) => listener.close())));

async function listen(rules: Partial<ListenOptions> = {}) {
  const server = { connections: [] as Transport[], next: Promise.withResolvers<Transport>(), refused: [] as unknown[] };
  const listener = await listenWebSocket({
    host: "127.0.0.1",
    port: 0,
    onConnection: (transport) => {
      server.connections.push(transport);
      server.next.resolve(transport);
    },
    report: (_message, fields) => server.refused.push(fields["why"]),
    ...rules,
  });
  opened.push(listener);
  return { ...server, listener, url: listener.url, port: Number(new URL(listener.url).port) };
}

/** Sends raw bytes and returns everything received until the other side closes. */
function raw(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let got = "";
    const socket = connectRaw(port, "127.0.0.1", () => socket.write(text));
    socket.setEncoding("latin1").on("data", (data) => {
      got += data;
      if (got.startsWith("HTTP/1.1 101")) socket.destroy();
    });
    socket.on("close", () => resolve(got));
    socket.on("error", reject);
  });
}
const status = (answer: string): number => Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]);
const upgrade = (host: string, ...headers: string[]): string =>
  [
    "GET /any/path?x=1 HTTP/1.1",
    `Host: ${host}`,
    "Upgrade: websocket",
    "Connection: Upgrade",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    "Sec-WebSocket-Version: 13",
    ...headers,
    "",
    "",
  ].join("\r\n");
const nextMessage = (transport: Transport): Promise<string> =>
  new Promise((resolve) => {
    transport.onMessage = resolve;
  });
const closing = (transport: Transport): Promise<Error | undefined> =>
  new Promise((resolve) => {
    transport.onClose = resolve;
  });

test("messages go both ways, complete and in order, as one frame each", async () => {
  const server = await listen();
  const client = await connectWebSocket(server.url);
  const there = await server.next.promise;
  const seen: string[] = [];
  const all = Promise.withResolvers<void>();
  there.onMessage = (text) => seen.push(text) === 3 && all.resolve();
  for (const text of ['{"a":"\u2028é"}', "not json at all", "x".repeat(200_000)]) client.send(text);
  await all.promise;
  assert.deepEqual(seen, ['{"a":"\u2028é"}', "not json at all", "x".repeat(200_000)]);
  const back = nextMessage(client);
  there.send("{}");
  assert.equal(await back, "{}");
  client.close();
});

test("both ends are notified of the end once, after all earlier messages", async () => {
  const server = await listen();
  const client = await connectWebSocket(server.url);
  const there = await server.next.promise;
  const last = nextMessage(client);
  const gone = [closing(client), closing(there)];
  there.send("last message");
  there.close();
  there.send("too late");
  assert.equal(await last, "last message");
  assert.deepEqual(await Promise.all(gone), [undefined, undefined]);
});

test("a paused end delivers nothing until it is resumed, then everything", async () => {
  const server = await listen();
  const client = await connectWebSocket(server.url);
  const there = await server.next.promise;
  const seen: string[] = [];
  const done = Promise.withResolvers<void>();
  there.onMessage = (text) => {
    seen.push(text);
    if (seen.length === 1) there.pause();
    if (seen.length === 100) done.resolve();
  };
  for (let i = 0; i < 100; i++) client.send(String(i));
  const other = await connectWebSocket(server.url); // a separate round trip: everything that could arrive has arrived
  other.close();
  assert.deepEqual(seen, ["0"]);
  there.resume();
  await done.promise;
  assert.deepEqual(
    seen,
    Array.from({ length: 100 }, (_, i) => String(i)),
  );
  client.close();
});

test("binary frames are ignored", async () => {
  const server = await listen();
  const { WebSocket } = await import("ws");
  const client = new WebSocket(server.url);
  await new Promise((resolve) => client.on("open", resolve));
  const first = nextMessage(await server.next.promise);
  client.send(Buffer.from("binary"));
  client.send("text");
  assert.equal(await first, "text");
  client.terminate();
});

test("a message over the limit closes this connection with 1009 and no other", async () => {
  const server = await listen();
  const { WebSocket } = await import("ws");
  const bystander = await connectWebSocket(server.url);
  const client = new WebSocket(server.url);
  await new Promise((resolve) => client.on("open", resolve));
  const code = new Promise((resolve) => client.on("close", resolve));
  client.on("error", () => {});
  client.send(Buffer.alloc(64 * 1024 * 1024 + 1, 32), { binary: false });
  assert.equal(await code, 1009);
  const first = server.connections[0];
  assert.ok(first !== undefined);
  const alive = nextMessage(first);
  bystander.send("still here");
  assert.equal(await alive, "still here");
  bystander.close();
});

test("a client that does not read is disconnected with 1013 before its backlog exhausts the memory", async () => {
  const server = await listen();
  const socket: Socket = connectRaw(server.port, "127.0.0.1");
  socket.write(upgrade(`127.0.0.1:${server.port}`));
  socket.on("error", () => {});
  const there = await server.next.promise;
  socket.pause();
  const gone = closing(there);
  const chunk = "x".repeat(16 * 1024 * 1024);
  for (let i = 0; i < 9; i++) there.send(chunk);
  assert.ok(there.backlog < 16 * 1024 * 1024, "what it was not sent is dropped");
  let last = "";
  socket.on("data", (data) => {
    last = (last + data.toString("latin1")).slice(-200);
    if (last.includes(`\u0003\u00f5${tooFarBehind}`)) socket.destroy(); // 1013, then the reason
  });
  socket.resume();
  assert.match((await gone)?.message ?? "", /too far behind/);
  assert.match(last, /too far behind/);
});

test("health endpoints respond, everything else over plain HTTP is refused", async () => {
  const { port } = await listen();
  const get = async (line: string, ...headers: string[]): Promise<number> =>
    status(await raw(port, [`${line} HTTP/1.1`, `Host: 127.0.0.1:${port}`, "Connection: close", ...headers, "", ""].join("\r\n")));
  assert.equal(await get("GET /healthz"), 200);
  assert.equal(await get("GET /readyz?probe=1"), 200);
  assert.equal(await get("HEAD /healthz"), 200);
  assert.equal(await get("GET /"), 400);
  assert.equal(await get("GET /healthz/.."), 400);
  assert.equal(await get("POST /healthz"), 405);
  assert.equal(await get("GET /healthz", "Origin: http://127.0.0.1"), 403);
  assert.equal(status(await raw(port, `GET / HTTP/1.1\r\nHost: x\r\nX: ${"a".repeat(20_000)}\r\n\r\n`)), 400);
  assert.equal(status(await raw(port, "\0\xff garbage\r\n\r\n")), 400);
  for (const lines of [
    "Content-Length: 5\r\nContent-Length: 6",
    "Content-Length: 5\r\nTransfer-Encoding: chunked",
    "Content-Length: +5",
    "Host: localhost",
  ])
    assert.equal(await get("POST /healthz", lines, "0"), 400, "two readers could cut it differently");
});

test("any Origin and any foreign Host are refused, even with the right token", async () => {
  const { port, refused } = await listen({ checkToken: capabilityToken(digestOfToken("t")) });
  const auth = "Authorization: Bearer t";
  const own = `127.0.0.1:${port}`;
  assert.equal(status(await raw(port, upgrade(own, auth))), 101);
  for (const origin of ["http://evil.example", "null", "", "http://127.0.0.1"])
    assert.equal(status(await raw(port, upgrade(own, auth, `Origin: ${origin}`))), 403, `Origin ${origin}`);
  for (const host of [
    "evil.example",
    `evil.example:${port}`,
    `127.0.0.1.evil.example:${port}`,
    "10.0.0.1",
    "[::1",
    "localhost:x",
    "0.0.0.0",
    `0.0.0.0:${port}`,
    "127.1",
    "2130706433",
    "localhost.evil.example",
    "evil.example@localhost",
    "[::ffff:10.0.0.1]",
  ])
    assert.equal(status(await raw(port, upgrade(host, auth))), 403, `Host ${host}`);
  for (const host of ["localhost", `LOCALHOST:${port}`, `[::1]:${port}`, "127.0.0.1"])
    assert.equal(status(await raw(port, upgrade(host, auth))), 101, `Host ${host}`);
  assert.equal(new Set(refused).size, 2);
});

test("listed origins and host names are accepted", async () => {
  const { port } = await listen({ allowedOrigins: ["http://app.example"], allowedHosts: ["Box.lan"] });
  assert.equal(status(await raw(port, upgrade(`box.lan:${port}`, "Origin: http://app.example"))), 101);
  assert.equal(status(await raw(port, upgrade(`box.lan:${port}`, "Origin: http://app.example.evil"))), 403);
});

test("the token must come in the Authorization header", async () => {
  const { port, url } = await listen({ checkToken: capabilityToken(digestOfToken("t0ken")) });
  const own = `127.0.0.1:${port}`;
  for (const header of [
    "X: y",
    "Authorization: Bearer",
    "Authorization: Bearer ",
    "Authorization: Basic t0ken",
    "Authorization: t0ken",
    "Authorization: Bearer t0ken x",
    "Authorization: Bearer t0ken\r\nAuthorization: Bearer other",
    "Authorization: Bearer other\r\nAuthorization: Bearer t0ken",
  ])
    assert.equal(status(await raw(port, upgrade(own, header))), 401, header);
  const inQuery = upgrade(own).replace("?x=1", "?token=t0ken&access_token=t0ken");
  assert.equal(status(await raw(port, inQuery)), 401);
  assert.equal(status(await raw(port, upgrade(own, "authorization: bearer t0ken"))), 101);
  await assert.rejects(connectWebSocket(url, { token: "other" }), /401/);
  (await connectWebSocket(url, { token: "t0ken" })).close();
});

test("connecting reports what is wrong and can be aborted", async () => {
  const { listener, url } = await listen();
  await assert.rejects(connectWebSocket(url, { signal: AbortSignal.abort(new Error("changed my mind")) }), /changed my mind/);
  await listener.close();
  await assert.rejects(connectWebSocket(url), /ECONNREFUSED/);
});

test("closing a listener closes its connections", async () => {
  const { listener, url } = await listen();
  const client = await connectWebSocket(url);
  const gone = closing(client);
  await listener.close();
  await gone;
});

test("no request target from an unknown client crashes the listener, with an upgrade or without", async () => {
  const { port, url, refused } = await listen({ checkToken: capabilityToken(digestOfToken("secret")) });
  for (const target of oddTargets)
    for (const more of [[], upgradeHeaders, [...upgradeHeaders, "Authorization: Bearer wrong"], [...upgradeHeaders, "Upgrade: h2c"]]) {
      const got = await rawStatus(port, [`GET ${target} HTTP/1.1`, "Host: localhost", ...more]);
      assert.ok(got === 0 || (got >= 400 && got < 500), `${target}: ${got}`);
    }
  assert.ok(refused.length <= 20, `strangers caused ${refused.length} lines of the log`);
  (await connectWebSocket(url, { token: "secret" })).close();
});

/** A masked frame; the mask is zero, so that its bytes stay readable. */
const frame = (first: number, payload: Buffer | string = "", length = Buffer.byteLength(payload)): Buffer => {
  const head = Buffer.alloc(length < 126 ? 2 : 10);
  head[0] = first;
  head[1] = 0x80 | Math.min(length, 127);
  if (length >= 126) head.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([head, Buffer.alloc(4), Buffer.from(payload)]);
};
const [text, ping, close, final] = [1, 9, 8, 0x80] as const;

/** The close code that the server answers these bytes with; 0 if it just closes the connection. */
function closeCode(port: number, bytes: Buffer): Promise<number> {
  return new Promise((resolve, reject) => {
    const got: Buffer[] = [];
    const socket = connectRaw(port, "127.0.0.1", () => socket.write(Buffer.concat([Buffer.from(upgrade("localhost")), bytes])));
    socket.on("data", (data) => got.push(Buffer.from(data)));
    socket.on("error", reject);
    socket.on("close", () => {
      const all = Buffer.concat(got);
      const end = all.subarray(all.indexOf("\r\n\r\n") + 4);
      resolve(end[0] === (final | close) ? end.readUInt16BE(2) : 0);
    });
  });
}

test("malformed frames close their own connection with the reason's code, and no other", async () => {
  const { port, url, next, connections } = await listen();
  const other = await connectWebSocket(url);
  const server = await next.promise;
  const empty = frame(0);
  const cases: readonly (readonly [string, Buffer, number])[] = [
    ["not masked", Buffer.from([final | text, 1, 0x7b]), 1002],
    ["a compressed frame that nobody agreed on", frame(final | 0x40 | text, "{}"), 1002],
    ["a continuation of nothing", frame(final, "{}"), 1002],
    ["a ping over its limit", frame(final | ping, Buffer.alloc(200)), 1002],
    ["a ping in fragments", frame(ping), 1002],
    ["an unknown kind", frame(final | 3), 1002],
    ["an impossible close code", frame(final | close, Buffer.alloc(2)), 1002],
    ["text that is not UTF-8", frame(final | text, Buffer.from([0xff])), 1007],
    ["a length beyond all memory", frame(final | text, "", 2 ** 52), 1009],
    [
      "a message in more fragments than are allowed",
      Buffer.concat([frame(text, "{"), ...Array.from({ length: 16 * 1024 }, () => empty)]),
      1008,
    ],
  ];
  for (const [name, bytes, code] of cases) assert.equal(await closeCode(port, bytes), code, name);
  assert.equal(connections.length, cases.length + 1);
  const got = nextMessage(server);
  other.send('{"still":"here"}');
  assert.equal(await got, '{"still":"here"}');
  other.close();
});

test("an error of a listening server is reported and does not stop it", async (t) => {
  const server = createServer();
  t.after(() => server.close());
  const reported: unknown[] = [];
  await startListening(
    server,
    () => server.listen(0, "127.0.0.1"),
    (_message, fields) => reported.push(fields["error"]),
  );
  server.emit("error", new Error("no descriptor left"));
  server.emit("error", new Error("still none"));
  assert.deepEqual(reported, ["no descriptor left", "still none"]);
  assert.ok(server.listening);
});
