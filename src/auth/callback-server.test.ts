import assert from "node:assert/strict";
import { test } from "node:test";
import { oddTargets, rawStatus, upgradeHeaders } from "../../test/support/odd-targets.ts";
import { openCallback } from "./callback-server.ts";

test("whatever strangers send while a sign-in waits, it goes on waiting and the right visit ends it", async () => {
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
