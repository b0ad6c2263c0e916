import assert from "node:assert/strict";
import http, { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import { WebSocket, WebSocketServer } from "ws";
import { Previews } from "./previews.ts";

interface Got {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly text: string;
}

const get = (url: string, headers: Record<string, string> = {}): Promise<Got> =>
  new Promise((resolve, reject) => {
    http
      .get(url, { headers, agent: false }, async (response) => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text: (await response.toArray()).join("") });
      })
      .on("error", reject);
  });

describe("previews", () => {
  let target: Server;
  let port: number;
  let now = 1_800_000_000_000;
  const previews = new Previews({
    ...{ host: "127.0.0.1", tls: undefined, ownPort: 4180, now: () => now, warn: () => {} },
    isOwnHost: (header) => header.startsWith("127.0.0.1:") || header.startsWith("localhost:"),
  });

  before(async () => {
    target = createServer((request, response) => {
      if (request.url === "/away") return response.writeHead(302, { location: `http://localhost:${port}/next?x=1` }).end();
      response.setHeader("set-cookie", ["app=1; Path=/", "parley_4180=stolen; Path=/"]);
      return response.end(JSON.stringify({ url: request.url, headers: request.headers }));
    });
    const sockets = new WebSocketServer({ server: target });
    sockets.on("connection", (socket) => socket.on("message", (data) => socket.send(`echo ${data}`)));
    await new Promise<void>((resolve) => target.listen(0, "127.0.0.1", resolve));
    port = (target.address() as AddressInfo).port;
  });
  after(async () => {
    previews.closeAll();
    target.closeAllConnections();
    await new Promise((resolve) => target.close(resolve));
  });

  /** A browser that has opened the preview. */
  const enter = async (): Promise<{ address: string; cookie: string }> => {
    const { preview, url } = await previews.open(port, "me");
    const { status, headers } = await get(url);
    assert.deepEqual([status, headers.location], [303, "/"]);
    const [cookie = ""] = String(headers["set-cookie"]).split(";");
    assert.match(String(headers["set-cookie"]), /HttpOnly; SameSite=Lax/);
    return { address: preview.address, cookie };
  };

  test("its link works once; without the cookie nothing is shown", async () => {
    const { url, preview } = await previews.open(port, "me");
    assert.equal((await get(preview.address)).status, 403);
    assert.equal((await get(url.replace(/=.*/, "=guess"))).status, 403);
    assert.equal((await get(url)).status, 303);
    assert.equal((await get(url)).status, 403);
    assert.equal(previews.all.length, 1);
  });

  test("the program gets its own address and no secret of ours, and cannot set our cookies", async () => {
    const { address, cookie } = await enter();
    const { text, headers } = await get(`${address}/page?a=b`, {
      cookie: `theme=dark; parley_4180=manager; ${cookie}`,
      origin: address,
      referer: `${address}/from?secret=1`,
    });
    const seen = JSON.parse(text);
    assert.equal(seen.url, "/page?a=b");
    assert.deepEqual(
      [seen.headers.host, seen.headers.cookie, seen.headers.origin, seen.headers.referer],
      [`localhost:${port}`, "theme=dark", `http://localhost:${port}`, `http://localhost:${port}/from`],
    );
    assert.deepEqual(headers["set-cookie"], ["app=1; Path=/"]);
    assert.equal((await get(`${address}/away`, { cookie })).headers.location, "/next?x=1");
  });

  test("a name that points here is refused, and so is a websocket of another page of this host", async () => {
    const { address, cookie } = await enter();
    assert.equal((await get(address, { cookie, host: "evil.example" })).status, 403);
    const open = (origin: string): Promise<string> =>
      new Promise((resolve) => {
        const socket = new WebSocket(address.replace("http", "ws"), { headers: { cookie, origin } });
        socket.on("error", () => resolve("refused"));
        socket.on("open", () => socket.send("hello"));
        socket.on("message", (data) => {
          socket.close();
          resolve(String(data));
        });
      });
    assert.equal(await open(address), "echo hello");
    assert.equal(await open("http://127.0.0.1:4180"), "refused");
    assert.equal(await open("null"), "refused");
  });

  test("a port where nothing listens is said so, the manager's own ports are refused, and there is an end", async () => {
    const { preview, url } = await previews.open(1, "me");
    const cookie = String((await get(url)).headers["set-cookie"]).split(";")[0] ?? "";
    const { status, text } = await get(preview.address, { cookie });
    assert.equal(status, 502);
    assert.match(text, /^Nothing answers on port 1 of this machine/);
    await assert.rejects(previews.open(4180, "me"), { status: 409 });
    await assert.rejects(previews.open(Number(new URL(preview.address).port), "me"), { status: 409 });
    for (let other = 2; other < 20; other++) await previews.open(other, "me");
    await assert.rejects(previews.open(20, "me"), /20 previews are open/);
    assert.ok(previews.close(preview.previewId));
    await assert.rejects(get(preview.address));
    now += 13 * 60 * 60_000;
    await previews.open(30, "me");
    assert.equal(previews.all.length, 1);
  });
});
