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

  /** Everything the server sends on a connection until it closes it. */
  async function responseTo(sent: string): Promise<string> {
    const socket = createConnection((server.address() as AddressInfo).port, "127.0.0.1");
    if (sent !== "") socket.write(sent);
    return (await text(socket)).split("\r\n")[0] ?? "";
  }

  test("that a browser opened in advance is closed without a response", async () => {
    assert.equal(await responseTo(""), "");
  });
  test("whose late request arrived while the server was busy is answered", async () => {
    const socket = createConnection((server.address() as AddressInfo).port, "127.0.0.1");
    await once(socket, "connect");
    socket.write("GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n");
    const end = performance.now() + 200;
    while (performance.now() < end); // nothing else may run in the meantime
    assert.match(await text(socket), /^HTTP\/1\.1 200 /);
  });
  test("with an incomplete request head gets a timeout error", async () => {
    assert.equal(await responseTo("GET / HTTP/1.1\r\nhost: 127"), "HTTP/1.1 408 Refused");
  });
  test("with a request head that is too large or not HTTP gets an error", async () => {
    assert.equal(await responseTo(`GET / HTTP/1.1\r\nhost: a\r\nx: ${"y".repeat(5000)}\r\n\r\n`), "HTTP/1.1 400 Refused");
    assert.equal(await responseTo("hello\r\n\r\n"), "HTTP/1.1 400 Refused");
  });
});
