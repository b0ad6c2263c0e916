import assert from "node:assert/strict";
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import type { Config, ConfigSource } from "../core/ports/config.ts";
import type { Credentials } from "../core/ports/credentials.ts";
import { createUsage } from "./usage.ts";

/** Nobody is signed in. */
const credentials: Credentials = {
  current: async () => undefined,
  refresh: async () => undefined,
  bedrock: async () => undefined,
  keyOf: async () => undefined,
};
const settings: ConfigSource = { effective: () => ({ raw: {} }) as Config };

let home: string;
let now: number;
describe("usage", () => {
  beforeEach(() => {
    home = mkdtempSync(path.join(tmpdir(), "parley-usage-"));
    now = new Date(2026, 0, 10, 12).getTime();
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  const file = (): string => path.join(home, "parley", "usage.jsonl");
  const open = () => createUsage({ codexHome: home, clock: { now: () => now, sleep: async () => {} }, credentials, config: settings });
  const config = (parley: object): Config => ({ raw: { parley } }) as unknown as Config;
  const none = config({});
  const tokens = (input: number, output: number, cached = 0) => ({
    ...{ inputTokens: input, cachedInputTokens: cached, outputTokens: output, reasoningOutputTokens: 0, totalTokens: input + output },
  });
  const served = (model: string) => ({ model, provider: "p" });
  const day = 86_400_000;

  describe("counting tokens", () => {
    it("counts what other processes append to the file, before its own calls and between them", () => {
      const [one, other] = [open(), open()];
      for (const usage of [one, other, one, one, other]) usage.spent("t1", "a", served("m"), tokens(10, 5));
      for (const usage of [one, other, open()]) assert.equal(usage.spending("today", none).tokens, 75);
      rmSync(file());
      one.spent("t2", "b", served("m"), tokens(1, 1));
      assert.equal(one.spending("today", none).tokens, 2);
    });

    it("sums by turn, thread and day, and survives a restart", () => {
      const usage = open();
      usage.spent("t1", "a", served("m"), tokens(10, 5));
      usage.spent("t1", "b", served("m"), tokens(20, 5));
      now += day;
      usage.spent("t2", "c", served("n"), tokens(1, 1));
      for (const u of [usage, open()]) {
        assert.equal(u.spending({ threadId: "t1", turnId: "b" }, none).tokens, 25);
        assert.equal(u.spending({ threadId: "t1" }, none).tokens, 40);
        assert.equal(u.spending("today", none).tokens, 2);
        assert.deepEqual(u.summary(none).summary, {
          ...{ lifetimeTokens: 42, peakDailyTokens: 40, currentStreakDays: 2, longestStreakDays: 2, longestRunningTurnSec: null },
        });
        assert.deepEqual(u.summary(none).dailyUsageBuckets, [
          { startDate: "2026-01-10", tokens: 40 },
          { startDate: "2026-01-11", tokens: 2 },
        ]);
        assert.equal(u.summary(none, "t1").threadUsage?.groups[0]?.totalTokens, 40);
      }
      assert.equal(statSync(file()).mode & 0o777, 0o600);
    });

    it("sees what other processes add, and waits for a line to be complete", () => {
      const [mine, theirs] = [open(), open()];
      mine.spent("t", "a", served("m"), tokens(1, 0));
      theirs.spent("t", "b", served("m"), tokens(2, 0));
      assert.equal(mine.spending({ threadId: "t" }, none).tokens, 3);
      const line = `${readFileSync(file(), "utf8").split("\n")[0]}\n`;
      appendFileSync(file(), line.slice(0, 20));
      assert.equal(mine.spending({ threadId: "t" }, none).tokens, 3);
      appendFileSync(file(), `${line.slice(20)}garbage\n`);
      assert.equal(mine.spending({ threadId: "t" }, none).tokens, 4);
    });

    it("still counts where nothing can be written", () => {
      writeFileSync(path.join(home, "parley"), "a file in the way");
      const usage = open();
      usage.spent("t", "a", served("m"), tokens(7, 0));
      assert.equal(usage.spending({ threadId: "t" }, none).tokens, 7);
    });

    it("shrinks a file that has grown large, without losing a sum", () => {
      mkdirSync(path.dirname(file()));
      const one = `${JSON.stringify({ at: now, thread: "t", turn: "a".repeat(1000), model: "m", input: 1, cached: 0, output: 1, total: 2 })}\n`;
      writeFileSync(file(), one.repeat(9000));
      assert.equal(open().spending({ threadId: "t" }, none).tokens, 18_000);
      assert.ok(statSync(file()).size < 1000);
      assert.equal(open().spending({ threadId: "t" }, none).tokens, 18_000);
    });
  });

  describe("pricing", () => {
    const priced = config({ prices: { "gpt-5": { input: 10, cached_input: 1, output: 20 }, "gpt-5-mini": { input: 1, output: 2 } } });

    it("uses the nearest name, and charges cached input less", () => {
      const usage = open();
      usage.spent("t", "a", served("gpt-5-2026-01-01"), tokens(1_000_000, 100_000, 500_000));
      assert.equal(usage.spending({ threadId: "t" }, priced).money, 5 + 0.5 + 2);
      usage.spent("u", "a", served("gpt-5-mini"), tokens(1_000_000, 0, 1_000_000));
      assert.equal(usage.spending({ threadId: "u" }, priced).money, 1);
      assert.equal(usage.summary(priced, "u").threadUsage?.estimatedUsageUsdMicros, 1_000_000);
    });

    it("counts and prices what was written to the provider's cache", () => {
      const usage = open();
      usage.spent("t", "a", served("gpt-5"), { ...tokens(1_000_000, 0, 500_000), cacheWriteInputTokens: 250_000 });
      const write = config({ prices: { "gpt-5": { input: 10, cached_input: 1, cache_write: 12, output: 20 } } });
      assert.equal(usage.spending({ threadId: "t" }, write).money, 2.5 + 0.5 + 3);
      assert.equal(open().spending({ threadId: "t" }, write).money, 6, "after a restart");
    });

    it("knows the price of the provider that served the model; the user's own price and currency come first", () => {
      const prices = (_model: string, provider: string | undefined) =>
        provider === "dear"
          ? { input: 8, cachedInput: 8, cacheWrite: 8, output: 0 }
          : { input: 2, cachedInput: 2, cacheWrite: 2, output: 0 };
      const usage = createUsage({
        codexHome: home,
        clock: { now: () => now, sleep: async () => {} },
        credentials,
        config: settings,
        prices,
      });
      usage.spent("t", "a", { model: "m", provider: "dear" }, tokens(1_000_000, 0));
      usage.spent("t", "b", { model: "m", provider: "cheap" }, tokens(1_000_000, 0));
      assert.equal(usage.spending({ threadId: "t" }, none).money, 10);
      assert.equal(usage.summary(none, "t").threadUsage?.groups.length, 1);
      assert.equal(usage.spending({ threadId: "t" }, config({ prices: { m: { input: 1 } } })).money, 2);
      assert.equal(usage.spending({ threadId: "t" }, config({ currency: "EUR" })).money, undefined);
    });

    it("reports no money when a model has no price", () => {
      const usage = open();
      usage.spent("t", "a", served("gpt-5"), tokens(1, 1));
      usage.spent("t", "a", served("gpt-50"), tokens(1, 1));
      assert.equal(usage.spending({ threadId: "t" }, priced).money, undefined);
    });
  });

  describe("a budget", () => {
    it("warns once at 80 %, asks when spent, and again after a further fifth", () => {
      const limited = config({ budget: { tokens_per_thread: 1000 } });
      const usage = open();
      const spend = (n: number): void => usage.spent("t", "a", served("m"), tokens(n, 0));
      assert.deepEqual(usage.budget("t", limited), { state: "ok" });
      spend(800);
      assert.deepEqual(usage.budget("t", limited), {
        state: "warn",
        text: "The budget is nearly spent: 800 of 1,000 tokens used in this thread.",
      });
      assert.deepEqual(usage.budget("t", limited), { state: "ok" });
      spend(300);
      assert.deepEqual(usage.budget("t", limited), {
        state: "spent",
        text: "The budget is spent: 1,100 of 1,000 tokens used in this thread.",
      });
      usage.extendBudget("t", limited);
      assert.deepEqual(usage.budget("t", limited), { state: "ok" });
      spend(199);
      assert.deepEqual(usage.budget("t", limited), { state: "ok" });
      spend(1);
      assert.equal(usage.budget("t", limited).state, "spent");
      assert.equal(usage.budget("other", limited).state, "ok");
    });

    it("in money of one thread leaves others alone", () => {
      const prices = { m: { input: 1_000_000, output: 0 } };
      const limited = config({ currency: "EUR", prices, budget: { money_per_thread: 2 } });
      const usage = open();
      usage.spent("t", "a", served("m"), tokens(3, 0));
      assert.deepEqual(usage.budget("t", limited), { state: "spent", text: "The budget is spent: 3 of 2 EUR used in this thread." });
      assert.equal(usage.budget("other", limited).state, "ok");
    });

    it("in money restarts each day", () => {
      const limited = config({ currency: "EUR", prices: { m: { input: 1_000_000, output: 0 } }, budget: { money_per_day: 2.5 } });
      const usage = open();
      usage.spent("t", "a", served("m"), tokens(3, 0));
      assert.deepEqual(usage.budget("u", limited), { state: "spent", text: "The budget is spent: 3 of 2.50 EUR used today." });
      now += day;
      assert.equal(usage.budget("u", limited).state, "ok");
    });
  });
});
