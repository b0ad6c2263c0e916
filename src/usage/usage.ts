/** Counts tokens over all threads, prices them, watches the budget and reads the account's rate limits. Implements the Usage port. */
import path from "node:path";
import type { Clock } from "../core/ports/clock.ts";
import type { Config, ConfigSource } from "../core/ports/config.ts";
import type { Credentials } from "../core/ports/credentials.ts";
import type { ModelPrice, TokenUsage } from "../core/ports/model-client.ts";
import type { BudgetState, Spending, SpendingTable, Usage } from "../core/ports/usage.ts";
import { grouped } from "../lib/grouped.ts";
import { maybe, named, number, object, parse, record } from "../lib/schema.ts";
import type { GetAccountRateLimitsResponse, GetAccountTokenUsageResponse, ThreadUsage } from "../protocol/account.ts";
import { dayOf, Ledger, readSumKey, type Sum, type Tokens } from "./ledger.ts";
import { readRateLimits } from "./rate-limits.ts";

const Settings = named("UsageSettings", () =>
  object({
    prices: maybe(
      record(object({ input: maybe(number()), cached_input: maybe(number()), cache_write: maybe(number()), output: maybe(number()) })),
    ),
    budget: maybe(
      object({
        tokens_per_day: maybe(number()),
        tokens_per_thread: maybe(number()),
        money_per_day: maybe(number()),
        money_per_thread: maybe(number()),
      }),
    ),
  }),
);

/** A model's price in USD, for models that `parley.prices` does not list. */
export type PriceList = (model: string, provider: string | undefined) => ModelPrice | undefined;

export interface UsageOptions {
  readonly codexHome: string;
  readonly clock: Clock;
  /** Whose rate limits are read. */
  readonly credentials: Credentials;
  readonly config: ConfigSource;
  readonly prices?: PriceList;
}

export const createUsage = (options: UsageOptions): Usage => new LocalUsage(options);

const publicAccountUrl = "https://chatgpt.com/backend-api/";

const warnAt = 0.8;
/** How far a yes extends the budget, as a fraction of the limit. */
const extension = 0.2;

/** One of the user's limits and how much of it is used. */
interface Gauge {
  /** The scope, a day or a thread, and the unit. */
  readonly key: string;
  readonly used: number;
  readonly limit: number;
  readonly text: string;
}

class LocalUsage implements Usage {
  readonly #ledger: Ledger;
  readonly #clock: Clock;
  readonly #warned = new Set<string>();
  /** Amounts up to which the user agreed, by gauge. */
  readonly #agreed = new Map<string, number>();

  readonly #prices: PriceList;
  readonly #options: UsageOptions;

  constructor(options: UsageOptions) {
    this.#options = options;
    this.#ledger = new Ledger(path.join(options.codexHome, "parley", "usage.jsonl"));
    this.#clock = options.clock;
    this.#prices = options.prices ?? (() => undefined);
  }

  spent(threadId: string, turnId: string, served: { readonly model: string; readonly provider: string }, usage: TokenUsage): void {
    this.#ledger.add({
      at: this.#clock.now(),
      thread: threadId,
      turn: turnId,
      ...served,
      input: usage.inputTokens,
      cached: usage.cachedInputTokens,
      ...(usage.cacheWriteInputTokens === undefined ? {} : { written: usage.cacheWriteInputTokens }),
      output: usage.outputTokens,
      total: usage.totalTokens,
    });
  }

  spending(of: { readonly threadId: string; readonly turnId?: string } | "today", config: Config): Spending {
    this.#ledger.refresh();
    if (of === "today") return this.#spending(this.#ledger.day(dayOf(this.#clock.now())), config);
    const sum = of.turnId === undefined ? this.#ledger.thread(of.threadId) : this.#ledger.turn(of.threadId, of.turnId);
    return this.#spending(sum, config);
  }

  summary(config: Config, threadId?: string): GetAccountTokenUsageResponse {
    this.#ledger.refresh();
    const days = this.#ledger.days();
    const totals = days.map(([, sum]) => totalOf(sum));
    const names = days.map(([name]) => name);
    return {
      summary: {
        lifetimeTokens: totals.reduce((a, b) => a + b, 0),
        peakDailyTokens: totals.reduce((a, b) => Math.max(a, b), 0),
        ...streaks(names, dayOf(this.#clock.now())),
        longestRunningTurnSec: null,
      },
      dailyUsageBuckets: days.map(([startDate, sum]) => ({ startDate, tokens: totalOf(sum) })),
      threadUsage: threadId === undefined ? null : this.#threadUsage(threadId, config),
    };
  }

  breakdown(config: Config, { since, until }: { readonly since: string | undefined; readonly until: string | undefined }): SpendingTable {
    const isWanted = (day: string): boolean => (since === undefined || day >= since) && (until === undefined || day <= until);
    const entries = this.#ledger.breakdown(isWanted).flatMap(([day, threadId, sum]) =>
      [...sum].map(([key, tokens]) => {
        const { model, provider } = readSumKey(key);
        return { day, threadId, model, provider, tokens, money: this.#cost(key, tokens, config) };
      }),
    );
    const limits = settingsOf(config)?.budget;
    const today = this.spending("today", config);
    return {
      entries,
      currency: currencyOf(config),
      budget: {
        tokensPerDay: limits?.tokens_per_day ?? null,
        tokensPerThread: limits?.tokens_per_thread ?? null,
        moneyPerDay: limits?.money_per_day ?? null,
        moneyPerThread: limits?.money_per_thread ?? null,
      },
      today: { day: dayOf(this.#clock.now()), tokens: today.tokens, money: today.money ?? null },
    };
  }

  budget(threadId: string, config: Config): BudgetState {
    const gauges = this.#gauges(threadId, config);
    const spent = gauges.find(({ key, used, limit }) => used >= Math.max(limit, this.#agreed.get(key) ?? 0));
    if (spent !== undefined) return { state: "spent", text: `The budget is spent: ${spent.text}.` };
    const near = gauges.find(({ key, used, limit }) => used >= limit * warnAt && !this.#warned.has(key));
    if (near === undefined) return { state: "ok" };
    this.#warned.add(near.key);
    return { state: "warn", text: `The budget is nearly spent: ${near.text}.` };
  }

  extendBudget(threadId: string, config: Config): void {
    for (const { key, used, limit } of this.#gauges(threadId, config)) if (used >= limit) this.#agreed.set(key, used + limit * extension);
  }

  rateLimits(signal: AbortSignal): Promise<GetAccountRateLimitsResponse> {
    const { codexHome, config, credentials } = this.#options;
    // The user's own settings, never a project's: the account's token is sent to this address.
    const url = config.effective(codexHome).raw["chatgpt_base_url"];
    return readRateLimits({ credentials, baseUrl: typeof url === "string" && url !== "" ? url : publicAccountUrl }, signal);
  }

  #gauges(threadId: string, config: Config): Gauge[] {
    const limits = settingsOf(config)?.budget;
    if (limits === undefined || limits === null) return [];
    const today = dayOf(this.#clock.now());
    const day = this.spending("today", config);
    const thread = this.spending({ threadId }, config);
    const currency = currencyOf(config);
    const gauges: [
      key: string,
      used: number | undefined,
      limit: number | null | undefined,
      text: (used: string, limit: string) => string,
    ][] = [
      [`${today} tokens`, day.tokens, limits.tokens_per_day, (used, limit) => `${used} of ${limit} tokens used today`],
      [`${threadId} tokens`, thread.tokens, limits.tokens_per_thread, (used, limit) => `${used} of ${limit} tokens used in this thread`],
      [`${today} money`, day.money, limits.money_per_day, (used, limit) => `${used} of ${limit} ${currency} used today`],
      [`${threadId} money`, thread.money, limits.money_per_thread, (used, limit) => `${used} of ${limit} ${currency} used in this thread`],
    ];
    return gauges.flatMap(([key, used, limit, text]) =>
      used === undefined || limit === null || limit === undefined ? [] : [{ key, used, limit, text: text(shown(used), shown(limit)) }],
    );
  }

  #spending(sum: Sum, config: Config): Spending {
    const costs = [...sum].map(([key, tokens]) => this.#cost(key, tokens, config));
    const isPriced = costs.every((cost) => cost !== undefined);
    return { tokens: totalOf(sum), money: isPriced ? costs.reduce<number>((a, b) => a + (b ?? 0), 0) : undefined };
  }

  #cost(key: string, tokens: Tokens, config: Config): number | undefined {
    const { model, provider } = readSumKey(key);
    const price = priceFromConfig(model, config) ?? (currencyOf(config) === "USD" ? this.#prices(model, provider) : undefined);
    if (price === undefined) return undefined;
    const fresh = Math.max(0, tokens.input - tokens.cached - tokens.written);
    const { input, cachedInput, cacheWrite, output } = price;
    return (fresh * input + tokens.cached * cachedInput + tokens.written * cacheWrite + tokens.output * output) / 1e6;
  }

  #threadUsage(threadId: string, config: Config): ThreadUsage {
    const sum = this.#ledger.thread(threadId);
    const { money } = this.#spending(sum, config);
    return {
      threadId,
      estimatedUsageCreditsMicros: 0,
      estimatedUsageUsdMicros: money === undefined || currencyOf(config) !== "USD" ? null : Math.round(money * 1e6),
      groups: [...byModel(sum)].map(([model, tokens]) => ({
        model,
        estimatedUsageCreditsMicros: 0,
        inputTokens: tokens.input,
        cachedInputTokens: tokens.cached,
        netNewInputTokens: Math.max(0, tokens.input - tokens.cached),
        outputTokens: tokens.output,
        totalTokens: tokens.total,
      })),
    };
  }
}

const settingsOf = (config: Config) => parse(Settings, config.raw["parley"] ?? {});

function currencyOf(config: Config): string {
  const own = config.raw["parley"];
  const currency = typeof own === "object" && own !== null && "currency" in own ? own.currency : undefined;
  return typeof currency === "string" ? currency : "USD";
}

/** The price of the model itself, else of the longest name that it begins with (`gpt-5` prices `gpt-5-2026-01-01`). */
function priceFromConfig(model: string, config: Config): ModelPrice | undefined {
  const prices = settingsOf(config)?.prices ?? {};
  const [name] = Object.keys(prices)
    .filter((known) => model === known || model.startsWith(`${known}-`))
    .sort((a, b) => b.length - a.length);
  const price = name === undefined ? undefined : prices[name];
  if (price === undefined) return undefined;
  const input = price.input ?? 0;
  return { input, cachedInput: price.cached_input ?? input, cacheWrite: price.cache_write ?? input, output: price.output ?? 0 };
}

/** Tokens by model, over all providers. */
function byModel(sum: Sum): Map<string, Tokens> {
  const models = new Map<string, Tokens>();
  for (const [key, tokens] of sum) {
    const { model } = readSumKey(key);
    const known = models.get(model);
    models.set(model, known === undefined ? tokens : joined(known, tokens));
  }
  return models;
}
const joined = (a: Tokens, b: Tokens): Tokens => ({
  input: a.input + b.input,
  cached: a.cached + b.cached,
  written: a.written + b.written,
  output: a.output + b.output,
  total: a.total + b.total,
});

const totalOf = (sum: Sum): number => [...sum.values()].reduce((total, tokens) => total + tokens.total, 0);
const shown = (amount: number): string => (Number.isInteger(amount) ? grouped(amount) : amount.toFixed(2));

/** Consecutive days with any use; today may still be without. */
function streaks(days: readonly string[], today: string): { currentStreakDays: number; longestStreakDays: number } {
  let longest = 0;
  let run = 0;
  let last: number | undefined;
  for (const day of days) {
    const number = dayNumber(day);
    run = last !== undefined && number === last + 1 ? run + 1 : 1;
    longest = Math.max(longest, run);
    last = number;
  }
  const isRunning = last !== undefined && dayNumber(today) - last <= 1;
  return { currentStreakDays: isRunning ? run : 0, longestStreakDays: longest };
}
const dayNumber = (day: string): number => Math.round(Date.parse(`${day}T00:00:00Z`) / 86_400_000);
