import assert from "node:assert/strict";
import { test } from "node:test";
import { oddTargets, rawAnswer, rawStatus, upgradeHeaders } from "../../test/support/odd-targets.ts";
import { openCallback } from "./callback-server.ts";

test("unrelated requests do not end a waiting sign-in, and the right one does", async () => {
  const codes: string[] = [];
  const redeem = async (code: string): Promise<void> => void codes.push(code);
  const end = new AbortController();
  const { port, done } = await openCallback({ port: 0, path: "/auth/callback", state: "the-state", redeem }, end.signal);
  try {
    for (const target of [...oddTargets, "/auth/callback", "/auth/callback?state=%", "/auth/callback?state=the-stat%C3%A9&code=x"])
      for (const more of [[], upgradeHeaders, ["Host: evil.example"]]) {
        const status = await rawStatus(port, [`GET ${target} HTTP/1.1`, "Host: 127.0.0.1", ...more]);
        assert.ok(status === 0 || (status >= 400 && status < 500), `${target}: ${status}`);
      }
    for (const line of ["POST /auth/callback?state=the-state&code=x HTTP/1.1", "\0\u00ff", "GET / HTTP/9.9"])
      assert.ok((await rawStatus(port, [line, "Host: x", "Content-Length: 0"])) >= 400, line);
    assert.deepEqual(codes, []);
    assert.equal(await rawStatus(port, ["GET /auth/callback?state=the-state&code=right HTTP/1.1", "Host: localhost"]), 200);
    await done;
    assert.deepEqual(codes, ["right"]);
  } finally {
    end.abort();
  }
});

test("a code that arrives twice is redeemed once, and both requests get the same response", async () => {
  const begun = Promise.withResolvers<void>();
  const redeemed = Promise.withResolvers<void>();
  let times = 0;
  const redeem = (): Promise<void> => {
    if (++times > 1) throw new Error("this code was used before");
    begun.resolve();
    return redeemed.promise;
  };
  const end = new AbortController();
  const { port, done } = await openCallback({ port: 0, path: "/auth/callback", state: "the-state", redeem }, end.signal);
  const head = ["GET /auth/callback?state=the-state&code=right HTTP/1.1", "Host: localhost"];
  const first = rawAnswer(port, head, `${head.join("\r\n")}\r\n\r\n`); // two in one packet
  await begun.promise;
  const second = rawAnswer(port, head); // a reload
  for (let i = 0; i < 3; i++) await rawAnswer(port, ["GET /nothing HTTP/1.1", "Host: localhost"]); // by now the reload was read
  redeemed.resolve();
  await done;
  for (const text of await Promise.all([first, second])) assert.match(text, /^HTTP\/1\.1 200 .*Signed in/s);
  assert.equal(times, 1);
  end.abort();
});

test("a page that reaches this machine by DNS rebinding cannot end a sign-in", async () => {
  const end = new AbortController();
  const redeem = async (): Promise<void> => {};
  const { port, done } = await openCallback({ port: 0, path: "/auth/callback", state: "the-state", redeem }, end.signal);
  try {
    for (const host of [`evil.example:${port}`, "localhost.evil.example", "", "127.0.0.1.evil.example"])
      assert.equal(await rawStatus(port, ["GET /cancel HTTP/1.1", `Host: ${host}`]), 404, host);
    assert.equal(await rawStatus(port, ["GET /cancel HTTP/1.1", `Host: 127.0.0.1:${port}`]), 200);
    await assert.rejects(done, /not completed/);
  } finally {
    end.abort();
  }
});
