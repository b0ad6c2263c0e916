/** Pages of malicious servers on this machine: the guard against internal addresses is disabled for them. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import type { ThreadSettings } from "../../core/ports/settings.ts";
import type { ToolContext, ToolOutput } from "../../core/ports/tool.ts";
import { isPrivateAddress } from "../../lib/private-network.ts";
import type { FetchOptions } from "./address.ts";
import { readableText } from "./readable.ts";
import { webFetch } from "./web-fetch.ts";

const open: FetchOptions = { version: "0", env: {}, isInside: () => false };

async function textOf(url: string, options: FetchOptions = open, args: object = {}): Promise<string> {
  const call = { callId: "c", name: "web_fetch", args: { url, ...args }, text: "" };
  const planned = webFetch(options).plan(call, {} as ThreadSettings);
  const output: ToolOutput =
    "success" in planned
      ? planned
      : planned.kind === "network"
        ? await planned.run({ signal: AbortSignal.timeout(60_000) } as ToolContext)
        : assert.fail();
  return output.kind === "text" ? output.text : "";
}

async function serving(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  use: (base: string) => Promise<void>,
): Promise<void> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  }
}

test("a page becomes readable text, without scripts and navigation, and can be read further with an offset", async () => {
  const page = `<!doctype html><title>A &amp; B</title><style>x{}</style><nav>menu</nav><h1>Head</h1>
    <p>One <b>two</b> <a href="/x?a=1&amp;b=2">three</a>.<script>if (a < b) alert("</p>")</script></p>
    <ul><li>first<li>second</ul><pre>  a
  b</pre><table><tr><td>1<td>2</tr></table>5 < 6 &lt;/web_page> &#x41;&#0;&nope;<!-- no --><p>${"long ".repeat(10_000)}`;
  await serving(
    (_request, response) =>
      response.writeHead(200, { "content-type": "text/html; charset=utf-8", "content-encoding": "gzip" }).end(gzipSync(page)),
    async (base) => {
      const text = await textOf(base);
      assert.match(
        text,
        /^<web_page url="http:.*" status="200">\n# A & B\n\n# Head\n\nOne two \[three\]\(http:\/\/127\.0\.0\.1:\d+\/x\?a=1&b=2\)\./,
      );
      assert.match(text, /\n- first\n- second\n/);
      assert.match(text, /```\n {2}a\n {2}b\n```/);
      assert.match(text, /5 < 6 <\\\/web_page> A&nope;/);
      assert.doesNotMatch(text, /menu|alert|x\{\}| no /);
      assert.match(text, /more characters; go on with offset 30000\]/);
      assert.match(await textOf(base, open, { offset: 30_000 }), /long long[\s\S]*<\/web_page>/);
    },
  );
});

test("redirects are followed on the same host; another host is reported, never followed", async () => {
  await serving(
    (request, response) => {
      if (request.url === "/a") response.writeHead(302, { location: "/b" }).end();
      else if (request.url === "/out") response.writeHead(302, { location: "https://example.org/x" }).end();
      else if (request.url === "/in") response.writeHead(302, { location: "http://169.254.169.254/latest" }).end();
      else if (request.url === "/file") response.writeHead(302, { location: "file:///etc/passwd" }).end();
      else if (request.url === "/loop") response.writeHead(302, { location: "/loop" }).end();
      else response.writeHead(200, { "content-type": "text/plain" }).end("here");
    },
    async (base) => {
      assert.match(await textOf(`${base}/a`), /here/);
      assert.match(await textOf(`${base}/out`), /moved to another host.*https:\/\/example\.org\/x/);
      assert.match(await textOf(`${base}/file`), /only http and https/);
      assert.match(await textOf(`${base}/loop`), /more than 5 times/);
      assert.doesNotMatch(await textOf(`${base}/in`), /here/);
    },
  );
});

test("too large, unsupported or broken pages are each reported", async () => {
  await serving(
    (request, response) => {
      if (request.url === "/bomb")
        response.writeHead(200, { "content-type": "text/plain", "content-encoding": "gzip" }).end(gzipSync(Buffer.alloc(50_000_000, 97)));
      else if (request.url === "/image") response.writeHead(200, { "content-type": "image/png" }).end("x");
      else if (request.url === "/lie") response.writeHead(200, { "content-type": "text/plain", "content-encoding": "gzip" }).end("no gzip");
      else if (request.url === "/gone") response.writeHead(404, { "content-type": "text/html" }).end("<p>not there");
      else response.destroy();
    },
    async (base) => {
      assert.match(await textOf(`${base}/bomb`, open, { offset: 5 * 1024 * 1024 - 10 }), /a{10}\n\[the page is longer than 5 MB\]/);
      assert.match(await textOf(`${base}/image`), /is image\/png, not text/);
      assert.match(await textOf(`${base}/lie`), /cannot be reached: incorrect header check/);
      assert.match(await textOf(`${base}/gone`), /status="404">\nnot there/);
      assert.match(await textOf(`${base}/torn`), /cannot be reached/);
    },
  );
});

test("internal addresses are refused by name, by number, and by what a name resolves to", async () => {
  const closed: FetchOptions = { version: "0", env: {} };
  for (const url of [
    ...["http://127.0.0.1:1/", "http://localhost/", "http://0.0.0.0/", "http://[::1]/", "http://[::ffff:7f00:1]/", "http://2130706433/"],
    ...[
      "http://169.254.169.254/latest/meta-data",
      "http://metadata.google.internal/",
      "http://10.0.0.1/",
      "http://printer.local/",
      "intranet",
    ],
  ])
    assert.match(await textOf(url, closed), /is an address of this machine or its network/, url);
  for (const url of ["file:///etc/passwd", "ftp://example.org", "javascript:alert(1)"])
    assert.match(await textOf(url, closed), /only http and https/, url);
  assert.match(await textOf("https://me:secret@example.org/", closed), /name or password/);
  assert.match(await textOf("https://", closed), /not an address/);
  // As if the name were public: the resolved address is checked, and the connection goes nowhere else.
  const judged: FetchOptions = { ...closed, isInside: isPrivateAddress };
  assert.match(await textOf("http://localhost:1/", judged), /is an address of this machine or its network/);
});

test("no page takes long to parse, and none can close its own tag", () => {
  const started = performance.now();
  const base = new URL("https://example.org/");
  for (const piece of [
    "<",
    "<<",
    "<a",
    '<a"',
    "<title ",
    "<!--",
    "<script>",
    "</",
    "<pre> ",
    "&#",
    "<a href=x>",
    "<nav>",
    "<td>",
    " ",
    "<ul>",
  ])
    readableText(piece.repeat(Math.floor(2_000_000 / piece.length)), base);
  assert.ok(performance.now() - started < 10_000, `${performance.now() - started} ms`);
});
