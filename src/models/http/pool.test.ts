/** Connections to model providers: kept, given up, retried, bounded; on raw servers, since real ones do not misbehave on command. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, it, type TestContext } from "node:test";
import { createServer as createTlsServer } from "node:tls";
import { makeCertificates } from "../../../test/support/certificates.ts";
import { HttpFailure } from "./exchange.ts";
import { createHttpPool, type HttpPool, type HttpReply } from "./pool.ts";

interface Arrived {
  readonly socket: Socket;
  /** Which connection it came over, from 1. */
  readonly connection: number;
  readonly head: string;
  readonly body: string;
}

/** A server that collects whole requests and does with each what the test says. */
async function serve(
  t: TestContext,
  answer: (arrived: Arrived, count: number) => void,
  make: (listener: (socket: Socket) => void) => Server = createServer,
) {
  const sockets = new Set<Socket>();
  let connections = 0;
  let count = 0;
  const requests: Arrived[] = [];
  const server: Server = make((socket) => {
    const connection = ++connections;
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on("error", () => {});
    let text = "";
    socket.on("data", (bytes: Buffer) => {
      text += bytes.toString("latin1");
      const end = text.indexOf("\r\n\r\n");
      const length = Number(/content-length: (\d+)/.exec(text)?.[1] ?? 0);
      if (end === -1 || text.length < end + 4 + length) return;
      const arrived = { socket, connection, head: text.slice(0, end), body: text.slice(end + 4) };
      text = "";
      requests.push(arrived);
      answer(arrived, ++count);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { port, requests, url: new URL(`http://127.0.0.1:${port}/v1/x?y=1`), connections: () => connections };
}

const ask = (pool: HttpPool, url: URL, body = "hello", signal = new AbortController().signal, idleMs = 60_000): Promise<HttpReply> =>
  pool.send({ method: "POST", url, headers: { "x-one": "1" }, body, idleMs }, signal);
async function textOf(reply: HttpReply): Promise<string> {
  let text = "";
  for (let piece = await reply.next(); piece !== undefined; piece = await reply.next()) text += piece.toString();
  return text;
}
const ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
const failure = (phase: HttpFailure["phase"], message: RegExp) => (error: unknown) =>
  error instanceof HttpFailure && error.phase === phase && message.test(error.message);

describe("a request", () => {
  it("says what it is given, and what its connection needs", async (t) => {
    const { url, requests, port } = await serve(t, ({ socket }) => socket.write(ok));
    const pool = createHttpPool({});
    assert.equal(await textOf(await ask(pool, url, "grüße")), "ok");
    const lines = `POST /v1/x?y=1 HTTP/1.1\r\nx-one: 1\r\nhost: 127.0.0.1:${port}\r\ncontent-length: 7\r\nconnection: keep-alive`;
    assert.deepEqual([requests[0]?.head, Buffer.from(requests[0]?.body ?? "", "latin1").toString()], [lines, "grüße"]);
    const named = new URL(url);
    named.username = "someone";
    named.password = "p%40ss";
    await textOf(await pool.send({ method: "GET", url: named, headers: {}, idleMs: 1000 }, new AbortController().signal));
    assert.match(requests[1]?.head ?? "", new RegExp(`^GET /v1/x\\?y=1 .*authorization: Basic ${btoa("someone:p@ss")}\r\n`, "s"));
    assert.doesNotMatch(requests[1]?.head ?? "", /content-length/);
    const keyed = { method: "GET", url: named, headers: { authorization: "Bearer k" }, idleMs: 1000 } as const;
    await textOf(await pool.send(keyed, new AbortController().signal));
    assert.deepEqual(requests[2]?.head.match(/authorization: .*/g), ["authorization: Bearer k"], "the key of the settings counts");
  });
  it("with a header that would begin another one, or that belongs to the connection, is not sent", async (t) => {
    const { url, requests } = await serve(t, ({ socket }) => socket.write(ok));
    const pool = createHttpPool({});
    for (const headers of [
      { a: "b\r\nc: d" },
      { "a\r\nb": "c" },
      { "": "a" },
      { a: "\0" },
      { "content-length": "3" },
      { connection: "close" },
    ])
      await assert.rejects(
        pool.send({ method: "POST", url, headers: { ...headers }, body: "x", idleMs: 1000 }, new AbortController().signal),
        failure("settings", /the header .* http_headers/),
      );
    assert.equal(requests.length, 0);
  });
});

describe("a connection", () => {
  it("is used again, also where the end of a response comes after its reader has left", async (t) => {
    const server = await serve(t, ({ socket }) => socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nlast\r\n"));
    const pool = createHttpPool({});
    for (const connection of [1, 1, 1, 2]) {
      const reply = await ask(pool, server.url);
      assert.equal((await reply.next())?.toString(), "last");
      if (server.requests.length < 3) reply.finish();
      else reply.close(); // without `finish` nothing more is expected of it
      const arrived = server.requests.at(-1) ?? assert.fail();
      assert.equal(arrived.connection, connection);
      await new Promise((resolve) => arrived.socket.write("0\r\n\r\n", resolve));
      // Sent to this machine it has arrived; two rounds of the event loop read it.
      for (let round = 0; round < 2; round++) await new Promise((resolve) => setImmediate(resolve));
    }
  });
  it("is not used again where the server closes it, has more to say, or keeps it for a moment only", async (t) => {
    for (const answer of [
      "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok",
      "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nKeep-Alive: timeout=1\r\n\r\nok",
      `${ok}HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwrong`,
    ]) {
      const server = await serve(t, ({ socket }) => socket.write(answer));
      const pool = createHttpPool({});
      for (let i = 0; i < 3; i++) assert.equal(await textOf(await ask(pool, server.url)), "ok");
      assert.equal(server.connections(), 3, answer);
    }
  });
  it("on which a server speaks without being asked is given up", async (t) => {
    const server = await serve(t, ({ socket }) => socket.write(ok));
    const pool = createHttpPool({});
    await textOf(await ask(pool, server.url));
    const { socket } = server.requests[0] ?? assert.fail();
    socket.write(ok.replace("ok", "no"));
    await once(socket, "close");
    assert.equal(await textOf(await ask(pool, server.url)), "ok");
    assert.equal(server.connections(), 2);
  });
  it("that the server has closed meanwhile is replaced without a word; a first one is not", async (t) => {
    let closes = false;
    const server = await serve(t, ({ socket }, count) => {
      if (closes || count === 2) socket.destroy();
      else socket.write(ok);
    });
    const pool = createHttpPool({});
    await textOf(await ask(pool, server.url));
    assert.equal(await textOf(await ask(pool, server.url)), "ok");
    assert.deepEqual([server.connections(), server.requests.length], [2, 3]);
    closes = true;
    await assert.rejects(ask(createHttpPool({}), server.url), failure("request", /closed/));
  });
});

describe("a response", () => {
  it("that breaks off, is no HTTP, or never comes is a failure with its phase", async (t) => {
    const cut = await serve(t, ({ socket }) => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"));
    const reply = await ask(createHttpPool({}), cut.url);
    assert.equal((await reply.next())?.toString(), "half");
    await assert.rejects(reply.next(), failure("body", /closed/));
    const odd = await serve(t, ({ socket }) => socket.write("220 mail.example ESMTP\r\n"));
    await assert.rejects(ask(createHttpPool({}), odd.url), failure("request", /no valid HTTP/));
    const mute = await serve(t, () => {});
    await assert.rejects(ask(createHttpPool({}), mute.url, "x", undefined, 50), failure("idle", /no answer/));
    const nobody = new URL(`http://127.0.0.1:${mute.port}/`);
    nobody.port = "1";
    await assert.rejects(ask(createHttpPool({}), nobody), failure("connect", /ECONNREFUSED/));
  });
  it("may be idle for as long as allowed, and not longer", async (t) => {
    const server = await serve(t, ({ socket }) => socket.write("HTTP/1.1 200 OK\r\n\r\nbegun"));
    const reply = await ask(createHttpPool({}), server.url, "x", undefined, 60);
    assert.equal((await reply.next())?.toString(), "begun");
    await assert.rejects(reply.next(), failure("idle", /nothing arrived for 60 ms/));
    await once(server.requests[0]?.socket ?? assert.fail(), "close");
  });
  it("is given up with its signal, before and while it arrives", async (t) => {
    const server = await serve(t, ({ socket }, count) => (count === 1 ? undefined : socket.write("HTTP/1.1 200 OK\r\n\r\nbegun")));
    for (const isBegun of [false, true]) {
      const stop = new AbortController();
      const asked = ask(createHttpPool({}), server.url, "x", stop.signal);
      if (isBegun) await (await asked).next();
      const next = isBegun ? (await asked).next() : asked;
      if (!isBegun) while (server.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
      stop.abort(new Error("enough"));
      await assert.rejects(next, /enough/);
      await once(server.requests.at(-1)?.socket ?? assert.fail(), "close");
    }
  });
  it("in many small chunks is handed over in as many pieces as it was read", async (t) => {
    const count = 10_000;
    const server = await serve(t, ({ socket }) =>
      socket.write(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${"1\r\nx\r\n".repeat(count)}0\r\n\r\n`),
    );
    const reply = await ask(createHttpPool({}), server.url);
    let [pieces, length] = [0, 0];
    for (let piece = await reply.next(); piece !== undefined; piece = await reply.next()) {
      pieces++;
      length += piece.length;
    }
    assert.ok(length === count && pieces < 20, `${length} bytes in ${pieces} pieces`);
  });
  it("that nobody reads waits at the server", async (t) => {
    const length = 64 * 1024 * 1024;
    const server = await serve(t, ({ socket }) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\n\r\n`);
      socket.write(Buffer.alloc(length, "x"));
    });
    const reply = await ask(createHttpPool({}), server.url);
    const { socket } = server.requests[0] ?? assert.fail();
    // The kernel's buffers take some of it.
    for (let before = -1; before !== socket.bytesWritten - socket.writableLength; ) {
      before = socket.bytesWritten - socket.writableLength;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    assert.ok(socket.writableLength > length / 2, `${socket.writableLength} bytes wait`);
    let read = 0;
    for (let piece = await reply.next(); piece !== undefined; piece = await reply.next()) read += piece.length;
    assert.equal(read, length);
  });
});

it("TLS: the server's name is checked, and its connection is used again", async (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), "pool-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const certificates = makeCertificates(folder, "model.parley.test");
  if (certificates === undefined) return t.skip("openssl is not installed");
  const server = await serve(
    t,
    ({ socket }) => socket.write(ok),
    (listener) => createTlsServer(certificates, listener),
  );
  const url = new URL(`https://127.0.0.1:${server.port}/`);
  await assert.rejects(ask(createHttpPool({}), url), failure("connect", /certificate/));
  const pool = createHttpPool({ SSL_CERT_FILE: certificates.authority });
  for (let i = 0; i < 3; i++) assert.equal(await textOf(await ask(pool, url)), "ok");
  assert.deepEqual(
    server.requests.map(({ connection }) => connection === server.requests[0]?.connection),
    [true, true, true],
  );
});
