import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, createConnection } from "node:net";
import { text } from "node:stream/consumers";
import { after, before, describe, test } from "node:test";
import { onBrokenRequest } from "./broken-requests.ts";

describe("a connection without a proper request", () => {
  const server = createServer(
    { headersTimeout: 60, requestTimeout: 60, connectionsCheckingInterval: 20, maxHeaderSize: 1024 },
    (_, response) => {
      response.end("fine");
    },
  );
  onBrokenRequest(server, (socket, status) => socket.end(`HTTP/1.1 ${status} Refused\r\n\r\n`));
  before(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
  after(() => server.close());

  /** All that the server says on a connection until it closes it. */
  async function heard(sent: string): Promise<string> {
    const socket = createConnection((server.address() as AddressInfo).port, "127.0.0.1");
    if (sent !== "") socket.write(sent);
    return (await text(socket)).split("\r\n")[0] ?? "";
  }

  test("that a browser opened ahead of use is closed without a word", async () => {
    assert.equal(await heard(""), "");
  });
  test("that waited long for its request is answered when that came while the server was busy", async () => {
    const socket = createConnection((server.address() as AddressInfo).port, "127.0.0.1");
    await once(socket, "connect");
    socket.write("GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n");
    const end = performance.now() + 200;
    while (performance.now() < end); // nothing else may run meanwhile
    assert.match(await text(socket), /^HTTP\/1\.1 200 /);
  });
  test("whose head does not come whole is told that it took too long", async () => {
    assert.equal(await heard("GET / HTTP/1.1\r\nhost: 127"), "HTTP/1.1 408 Refused");
  });
  test("whose head is too large or no HTTP is told so", async () => {
    assert.equal(await heard(`GET / HTTP/1.1\r\nhost: a\r\nx: ${"y".repeat(5000)}\r\n\r\n`), "HTTP/1.1 400 Refused");
    assert.equal(await heard("hello\r\n\r\n"), "HTTP/1.1 400 Refused");
  });
});
