import assert from "node:assert/strict";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import path from "node:path";
import { afterEach, describe, test } from "node:test";
import { adminToken, PlayedEngine, scratchFolder, startManager, type TestManager } from "../../test/support/manager.ts";
import { oddTargets, rawStatus, upgradeHeaders } from "../../test/support/odd-targets.ts";

const cleanups: (() => Promise<void> | void)[] = [];
describe("the manager's request guard", () => {
  afterEach(async () => {
    for (const clean of cleanups.splice(0).reverse()) await clean();
  });
  async function open(): Promise<TestManager> {
    const { folder, remove } = scratchFolder();
    const it = await startManager({ engine: new PlayedEngine(), folder, workspace: "/work" });
    cleanups.push(remove, () => it.close());
    return it;
  }
  /** Sends raw bytes; returns the status of the first response, and everything received. */
  function raw(it: TestManager, head: readonly string[], body = ""): Promise<{ status: number; text: string }> {
    const { port } = new URL(it.url);
    return new Promise((resolve) => {
      let text = "";
      const socket = connect(Number(port), "127.0.0.1", () => socket.write(`${head.join("\r\n")}\r\n\r\n${body}`));
      socket.setTimeout(30_000, () => socket.destroy());
      socket.setEncoding("latin1").on("data", (data) => {
        text += data;
        if (text.includes("\r\n\r\n")) socket.destroy();
      });
      socket.on("error", () => undefined);
      socket.on("close", () => resolve({ status: Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0), text }));
    });
  }
  const bearer = `Authorization: Bearer ${adminToken}`;

  test("only its own host names are accepted, in every spelling", async () => {
    const it = await open();
    const { port } = new URL(it.url);
    const get = async (host: string): Promise<number> => (await raw(it, ["GET /api HTTP/1.1", `Host: ${host}`, bearer])).status;
    for (const host of ["127.0.0.1", `127.0.0.1:${port}`, "localhost", `LOCALHOST:${port}`, `[::1]:${port}`])
      assert.equal(await get(host), 200, host);
    const foreign = [
      "evil.example",
      `127.0.0.1.evil.example:${port}`,
      `127.0.0.1.nip.io:${port}`,
      "0.0.0.0",
      `0.0.0.0:${port}`,
      "10.0.0.1",
      "169.254.169.254",
    ];
    const odd = [
      "localhost.evil.example",
      "evil.example#localhost",
      "evil.example@localhost",
      "localhost:x",
      "[::1",
      "[::ffff:10.0.0.1]",
      "127.1",
      "2130706433",
      "0x7f000001",
      " ",
      "localhost/",
    ];
    for (const host of [...foreign, ...odd]) {
      const status = await get(host);
      assert.ok(status === 403 || status === 400, `Host ${host}: ${status}`);
    }
    assert.equal((await raw(it, ["GET /api HTTP/1.1", bearer])).status, 400, "no Host");
    assert.equal((await raw(it, ["GET /api HTTP/1.1", "Host: localhost", "Host: evil.example", bearer])).status, 403, "two of them");
    for (const [first, second] of [
      [bearer, "Authorization: Bearer x"],
      ["Authorization: Bearer x", bearer],
    ] as const)
      assert.equal((await raw(it, ["GET /api HTTP/1.1", "Host: localhost", first, second])).status, 401, "two tokens");
  });

  test("forms and requests of other pages change nothing", async () => {
    const it = await open();
    const made = async (headers: Record<string, string>): Promise<number> =>
      (await fetch(`${it.url}/api/projects`, { method: "POST", headers, body: '{"name":"x"}' })).status;
    const own = { authorization: `Bearer ${adminToken}` };
    for (const type of [
      "text/plain",
      "application/x-www-form-urlencoded",
      "multipart/form-data; boundary=x",
      "text/plain; application/json",
      "application/jsonx",
      "",
    ]) {
      const status = await made({ ...own, "content-type": type });
      assert.ok([400, 403, 415].includes(status), `${type}: ${status}`);
    }
    const json = { ...own, "content-type": "application/json" };
    for (const headers of [
      { origin: "http://evil.example" },
      { origin: "null" },
      { "sec-fetch-site": "cross-site" },
      { origin: it.url.replace("http:", "https:") },
    ])
      assert.equal(await made({ ...json, ...headers }), 403, JSON.stringify(headers));
    assert.equal(await made({ "content-type": "application/json" }), 401);
    const { body } = await it.call("GET /api/projects", undefined, own);
    assert.doesNotMatch(JSON.stringify(body), /"name":"x"/);
    const preflight = await fetch(`${it.url}/api/projects`, {
      method: "OPTIONS",
      headers: { origin: "http://evil.example", "access-control-request-method": "POST" },
    });
    assert.equal(preflight.headers.get("access-control-allow-origin"), null);
  });

  test("every response forbids frames, sniffing, referrers and scripts from elsewhere", async () => {
    const it = await open();
    const own = { authorization: `Bearer ${adminToken}` };
    const paths: readonly (readonly [string, RequestInit])[] = [
      ["/", {}],
      ["/sessions/x", {}],
      ["/index.html", {}],
      ["/no/such.js", {}],
      ["/api", { headers: own }],
      ["/api/health", {}],
      ["/api/projects", {}],
      ["/api/nothing", { headers: own }],
      ["/api/projects", { method: "POST", headers: own, body: "x" }],
      ["/api", { headers: { ...own, origin: "http://evil.example" } }],
    ];
    for (const [at, init] of paths) {
      const { headers, status } = await fetch(`${it.url}${at}`, init);
      const policy = headers.get("content-security-policy") ?? "";
      for (const rule of ["default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'"])
        assert.ok(policy.includes(rule), `${at} (${status}): ${policy}`);
      assert.doesNotMatch(policy, /unsafe|https?:|\*/);
      assert.deepEqual(
        ["x-content-type-options", "x-frame-options", "referrer-policy"].map((name) => headers.get(name)),
        ["nosniff", "DENY", "no-referrer"],
        `${at} (${status})`,
      );
    }
  });

  test("no path and no symbolic link leads out of the page's folder", async () => {
    const { folder, remove } = scratchFolder();
    const page = path.join(folder, "page");
    mkdirSync(path.join(page, "assets"), { recursive: true });
    writeFileSync(path.join(page, "index.html"), "<h1>the page</h1>");
    writeFileSync(path.join(folder, "secret.txt"), "31337");
    symlinkSync("../secret.txt", path.join(page, "link.txt"));
    symlinkSync("..", path.join(page, "up"));
    const it = await startManager({ engine: new PlayedEngine(), folder, workspace: "/work", page });
    cleanups.push(remove, () => it.close());
    assert.match((await raw(it, ["GET / HTTP/1.1", "Host: localhost"])).text, /the page/);
    const names = [
      "/../secret.txt",
      "/%2e%2e/secret.txt",
      "/..%2fsecret.txt",
      "/..%5csecret.txt",
      "//secret.txt",
      "/assets/../../secret.txt",
    ];
    const odd = [
      "/%00",
      "/../secret.txt%00.js",
      "/.%2e/secret.txt",
      "/%c0%ae%c0%ae/secret.txt",
      "/link.txt",
      "/up/secret.txt",
      "/up/page/index.txt",
    ];
    for (const trick of [...names, ...odd]) {
      const { status, text } = await raw(it, [`GET ${trick} HTTP/1.1`, "Host: localhost"]);
      assert.doesNotMatch(text, /31337/, trick);
      assert.ok(status === 404 || status === 400 || /the page/.test(text), `${trick}: ${status}`);
    }
  });

  test("requests that two parsers could split differently are refused", async () => {
    const it = await open();
    const head = (...lines: string[]): string[] => [
      "POST /api/projects HTTP/1.1",
      "Host: localhost",
      bearer,
      "Content-Type: application/json",
      ...lines,
    ];
    const smuggled = "0\r\n\r\nGET /api HTTP/1.1\r\nHost: localhost\r\n\r\n";
    for (const lines of [
      ["Content-Length: 5", "Content-Length: 6"],
      ["Content-Length: 5", "Transfer-Encoding: chunked"],
      ["Transfer-Encoding: chunked", "Transfer-Encoding: identity"],
      ["Transfer-Encoding: xchunked"],
      ["Content-Length: +5"],
      ["Content-Length: 5, 6"],
      ["Transfer-Encoding : chunked"],
      ["Content-Length: 5\n X: y"],
    ]) {
      const { status } = await raw(it, head(...lines), smuggled);
      assert.equal(status, 400, lines.join(" | "));
    }
    assert.equal((await it.call("GET /api")).status, 200);
  });

  test("no request target from an unknown client crashes it, with an upgrade or without", async () => {
    const it = await open();
    const port = Number(new URL(it.url).port);
    for (const target of oddTargets)
      for (const more of [[], upgradeHeaders, [...upgradeHeaders, "Origin: http://evil.example"], [...upgradeHeaders, bearer], [bearer]]) {
        const status = await rawStatus(port, [`GET ${target} HTTP/1.1`, "Host: localhost", ...more]);
        assert.ok(status !== 101 && status !== 500, `${target}: ${status}`);
      }
    assert.equal((await it.call("GET /api")).status, 200);
    assert.deepEqual(
      it.warnings.filter((line) => !/refused/.test(line)),
      [],
    );
  });
});
