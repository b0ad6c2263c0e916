import assert from "node:assert/strict";
import { createServer, type RequestListener } from "node:http";
import { type TestContext, test } from "node:test";
import { fetchFor } from "./transport.ts";

async function serve(t: TestContext, listener: RequestListener): Promise<URL> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return new URL(`http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/mcp`);
}
const stream = { headers: { accept: "text/event-stream" } };

test("an event of endless short lines ends the stream; many events do not", async (t) => {
  const line = `data: ${"x".repeat(60_000)}\n`;
  const url = await serve(t, (request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const isOne = request.url?.includes("one") === true;
    let left = 400; // 24 MB
    const push = (): void => {
      while (left-- > 0) if (!response.write(isOne ? line : `${line}\r\n`)) return void response.once("drain", push);
      response.end();
    };
    push();
  });
  const many = await fetchFor(url)(url, stream);
  assert.ok((await many.text()).length > 24_000_000);
  const one = await fetchFor(url)(new URL("/one", url), stream);
  await assert.rejects(one.text(), /size limit/);
});

test("a server that ends its stream at once and requests an immediate retry is asked once a second", async (t) => {
  let asked = 0;
  const url = await serve(t, (_request, response) => {
    asked++;
    response.writeHead(200, { "content-type": "text/event-stream" }).end("retry: 0\nid: 1\ndata: \n\n");
  });
  const ask = fetchFor(url);
  const begun = performance.now();
  for (let i = 0; i < 3; i++) await (await ask(url, stream)).text();
  const ms = performance.now() - begun;
  assert.ok(ms > 1900, `three times in ${ms} ms`);
  const abort = new AbortController();
  const waiting = ask(url, { ...stream, signal: abort.signal });
  abort.abort();
  await assert.rejects(waiting, { name: "AbortError" });
  assert.equal(asked, 3);
});
