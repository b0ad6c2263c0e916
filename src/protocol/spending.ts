/** What was spent, by day, folder and model, and the budget. Implemented in server/spending.ts. */
import { array, boolean, type Infer, maybe, named, natural, nullable, number, object, string } from "../lib/schema.ts";
import { request } from "./define.ts";
import { invalidParams } from "./errors.ts";

export const UsageBreakdownParams = named("UsageBreakdownParams", () => object({ since: maybe(string()), until: maybe(string()) }));
export type UsageBreakdownParams = Infer<typeof UsageBreakdownParams>;

/** Tokens of one model on one day in one folder. */
export const UsageBreakdownRow = named("UsageBreakdownRow", () =>
  object({
    day: string(),
    /** The folder of the threads; null if they are gone. */
    cwd: nullable(string()),
    projectId: nullable(string()),
    model: string(),
    provider: nullable(string()),
    threads: natural(),
    inputTokens: natural(),
    cachedInputTokens: natural(),
    outputTokens: natural(),
    totalTokens: natural(),
    /** In `currency`; null if the price of the model is not known. */
    money: nullable(number()),
  }),
);
export type UsageBreakdownRow = Infer<typeof UsageBreakdownRow>;

export const UsageBudget = named("UsageBudget", () =>
  object({
    tokensPerDay: nullable(number()),
    tokensPerThread: nullable(number()),
    moneyPerDay: nullable(number()),
    moneyPerThread: nullable(number()),
  }),
);
export type UsageBudget = Infer<typeof UsageBudget>;

export const UsageBreakdownResponse = named("UsageBreakdownResponse", () =>
  object({
    rows: array(UsageBreakdownRow()),
    currency: string(),
    budget: UsageBudget(),
    today: object({ day: string(), tokens: natural(), money: nullable(number()) }),
    /** Days before these were left out because there are too many rows. */
    truncated: boolean(),
  }),
);
export type UsageBreakdownResponse = Infer<typeof UsageBreakdownResponse>;

const day = /^\d{4}-\d{2}-\d{2}$/;

export const spendingRequests = {
  /** Returns tokens and money by day, folder and model, newest day first, with the budget and what is used of it today. */
  "account/usage/breakdown": request({
    params: UsageBreakdownParams,
    result: UsageBreakdownResponse,
    limits(params) {
      for (const field of ["since", "until"] as const)
        if (typeof params[field] === "string" && !day.test(params[field])) throw invalidParams(`${field} must be a day like 2026-01-31`);
    },
  }),
};
