/** Keys printed by a user's program: sent, cached, renewed, and reported when missing. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { collect, failureOf, modelRequest, textOf } from "../../test/support/model-mocks/events.ts";
import { responsesFrames } from "../../test/support/model-mocks/frames.ts";
import { type Answer, MockProvider, refuse, stream } from "../../test/support/model-mocks/server.ts";
import type { ProviderAuth } from "../core/ports/config.ts";
import { CommandToken } from "./command-token.ts";
import { builtInProvider } from "./providers.ts";
import { createModelClients } from "./registry.ts";

describe("a key from a program", () => {
  let folder = "";
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "parley-token-"));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  /** Prints tok-1, tok-2 … and records how often it ran. */
  function counting(name: string): { auth: ProviderAuth; runs: () => number } {
    const file = path.join(folder, name);
    writeFileSync(file, "");
    const program = `printf x >> '${file}'; echo "tok-$(wc -c < '${file}' | tr -d ' ')"`;
    return { auth: { ...usual, args: ["-c", program] }, runs: () => readFileSync(file, "utf8").length };
  }
  const usual: ProviderAuth = { command: "/bin/sh", args: [], cwd: undefined, timeoutMs: 60_000, refreshIntervalMs: 300_000 };
  const failing = (program: string, more: Partial<ProviderAuth> = {}): ProviderAuth => ({ ...usual, args: ["-c", program], ...more });

  async function asked(auth: ProviderAuth, answers: readonly Answer[], times = 1) {
    await using mock = new MockProvider(...answers);
    const base = builtInProvider("openrouter", {}) ?? assert.fail();
    const provider = { ...base, id: "mine", baseUrl: `${await mock.listen()}/v1`, wireApi: "responses" as const, envKey: undefined, auth };
    const client = createModelClients({ env: {} }).clientFor(provider);
    const all = [];
    for (let i = 0; i < times; i++) all.push(await collect(client, modelRequest({ model: "m" })));
    return { all, sent: mock.requests.map(({ headers }) => headers.authorization) };
  }
  const ok = stream(responsesFrames({ text: "ok" }));

  it("is sent as the bearer, and the program is not run for every request", async () => {
    const { auth, runs } = counting("kept");
    const { all, sent } = await asked(auth, [ok], 3);
    assert.deepEqual(all.map(textOf), ["ok", "ok", "ok"]);
    assert.deepEqual([sent, runs()], [["Bearer tok-1", "Bearer tok-1", "Bearer tok-1"], 1]);
  });

  it("is fetched again after a 401, once", async () => {
    const denied = refuse(401, { error: { message: "expired" } });
    const { all, sent } = await asked(counting("renewed").auth, [denied, ok]);
    assert.deepEqual([textOf(all[0] ?? []), sent], ["ok", ["Bearer tok-1", "Bearer tok-2"]]);
    const twice = await asked(counting("refused").auth, [denied]);
    assert.equal(failureOf(twice.all[0] ?? []).kind, "unauthorized");
    assert.deepEqual(twice.sent, ["Bearer tok-1", "Bearer tok-2"]);
    const same = await asked(failing("echo tok"), [denied]);
    assert.deepEqual(same.sent, ["Bearer tok"], "the same token is not tried twice");
  });

  it("is fetched again when it is old, and once for concurrent requests", async () => {
    const { auth, runs } = counting("aged");
    let now = 0;
    const token = new CommandToken({ ...auth, refreshIntervalMs: 1000 }, () => now);
    assert.deepEqual(await Promise.all([token.current(), token.current()]), ["tok-1", "tok-1"]);
    now = 999;
    assert.equal(await token.current(), "tok-1");
    now = 1000;
    assert.deepEqual([await token.current(), runs()], ["tok-2", 2]);
    now = 0; // a clock that is set back keeps no token longer
    assert.equal(await token.current(), "tok-3");
    const lasting = new CommandToken({ ...counting("lasting").auth, refreshIntervalMs: 0 }, () => now++ * 1e9);
    assert.deepEqual([await lasting.current(), await lasting.current()], ["tok-1", "tok-1"]);
  });

  it("that cannot be obtained fails the turn before anything is sent, and says why", async () => {
    for (const [auth, expected] of [
      [failing("echo no account >&2; exit 3"), /mine\.auth: the program .* ended with exit code 3: no account/],
      [failing(""), /printed no token/],
      [failing("echo two words"), /more than one word/],
      [failing("sleep 60", { timeoutMs: 50 }), /took longer than 50 ms/],
      [failing("yes | head -c 1000000"), /printed too much/],
      [{ ...usual, command: path.join(folder, "none") }, /cannot be run \(ENOENT\)/],
    ] as const) {
      const { all, sent } = await asked(auth, [ok]);
      const failure = failureOf(all[0] ?? []);
      assert.deepEqual([failure.kind, failure.retry, sent], ["unauthorized", false, []]);
      assert.match(failure.message, expected);
    }
  });
});
