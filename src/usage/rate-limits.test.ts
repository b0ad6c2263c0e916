import assert from "node:assert/strict";
import { createServer } from "node:http";
import { describe, it, type TestContext } from "node:test";
import type { Credential, Credentials } from "../core/ports/credentials.ts";
import { readRateLimits } from "./rate-limits.ts";

const { signal } = new AbortController();
const account = (accessToken: string): Credential => ({ kind: "chatgpt", accessToken, accountId: "acc-1" });
const credentialsOf = (now: Credential | undefined, fresh?: Credential): Credentials => ({
  current: async () => now,
  refresh: async () => fresh,
  bedrock: async () => undefined,
  keyOf: async () => undefined,
});

/** An issuer that accepts only one token and then sends `answer`. */
async function issuer(
  t: TestContext,
  token: string,
  answer: unknown,
): Promise<{ readonly url: string; readonly requests: readonly string[] }> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.url} ${request.headers["chatgpt-account-id"]}`);
    response.writeHead(request.headers.authorization === `Bearer ${token}` ? 200 : 401, { "content-type": "application/json" });
    response.end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  const address = server.address();
  assert.ok(typeof address === "object" && address !== null);
  return { url: `http://127.0.0.1:${address.port}`, requests };
}

describe("rate limits", () => {
  const windows = { primary_window: { used_percent: 24.6, limit_window_seconds: 18000, reset_at: 1730947200 }, secondary_window: null };

  it("are read for a ChatGPT account, renewing its token when needed", async (t) => {
    const { url, requests } = await issuer(t, "new", { plan_type: "plus", rate_limit: windows });
    const { rateLimits } = await readRateLimits({ credentials: credentialsOf(account("old"), account("new")), baseUrl: `${url}/` }, signal);
    assert.deepEqual(rateLimits.primary, { usedPercent: 25, windowDurationMins: 300, resetsAt: 1730947200 });
    assert.deepEqual([rateLimits.secondary, rateLimits.planType], [null, "plus"]);
    assert.deepEqual(requests, ["/api/codex/usage acc-1", "/api/codex/usage acc-1"]);
  });

  it("report an unknown plan as unknown, and an error with its status", async (t) => {
    const { url } = await issuer(t, "good", { plan_type: "Galactic" });
    const read = (token: string) => readRateLimits({ credentials: credentialsOf(account(token)), baseUrl: url }, signal);
    assert.equal((await read("good")).rateLimits.planType, "unknown");
    await assert.rejects(read("bad"), /failed to fetch codex rate limits: status 401/);
  });

  it("need a ChatGPT account", async () => {
    const read = (now: Credential | undefined) =>
      readRateLimits({ credentials: credentialsOf(now), baseUrl: "http://127.0.0.1:9" }, signal);
    await assert.rejects(read(undefined), /codex account authentication required to read rate limits/);
    await assert.rejects(read({ kind: "apiKey", key: "x" }), /chatgpt authentication required to read rate limits/);
  });
});
