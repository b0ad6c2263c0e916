/** Port: tokens and money over all threads, the budget the user set, and the account's rate limits. */
import type { GetAccountRateLimitsResponse, GetAccountTokenUsageResponse } from "../../protocol/account.ts";
import type { UsageBreakdownResponse } from "../../protocol/spending.ts";
import type { Config } from "./config.ts";
import type { TokenUsage } from "./model-client.ts";

/** The state of a budget. `text` is a sentence for the user that names the limit. */
export type BudgetState =
  | { readonly state: "ok" }
  /** 80 % or more; reported once for each limit and day or thread. */
  | { readonly state: "warn"; readonly text: string }
  /** Nothing is left: ask before the next model call. */
  | { readonly state: "spent"; readonly text: string };

/** Money is in the currency of `parley.currency`; undefined where `parley.prices` does not know a model that was used. */
export interface Spending {
  readonly tokens: number;
  readonly money: number | undefined;
}

/** What one thread used of one model on one day. */
export interface SpendingEntry {
  readonly day: string;
  readonly threadId: string;
  readonly model: string;
  readonly provider: string | undefined;
  readonly tokens: { readonly input: number; readonly cached: number; readonly output: number; readonly total: number };
  readonly money: number | undefined;
}
export type SpendingTable = Pick<UsageBreakdownResponse, "currency" | "budget" | "today"> & { readonly entries: readonly SpendingEntry[] };

export interface Usage {
  /** Counts one model call. */
  spent(threadId: string, turnId: string, served: { readonly model: string; readonly provider: string }, usage: TokenUsage): void;
  /** The response to account/usage/read; for a thread also its tokens by model. */
  summary(config: Config, threadId?: string): GetAccountTokenUsageResponse;
  /** Spent by one turn, one thread, or today by all threads. */
  spending(of: { readonly threadId: string; readonly turnId?: string } | "today", config: Config): Spending;
  /** Everything that was spent in these days, both included, newest first. Reads the whole file. */
  breakdown(config: Config, days: { readonly since: string | undefined; readonly until: string | undefined }): SpendingTable;
  /** Call before each model call. Cheap: reads only what was added to the file since the last call. */
  budget(threadId: string, config: Config): BudgetState;
  /** The user agreed to `spent`: asks again when a further fifth of the limit is used. */
  extendBudget(threadId: string, config: Config): void;
  /** The response to account/rateLimits/read. Contract: throws RpcError when nobody is signed in with a ChatGPT account. */
  rateLimits(signal: AbortSignal): Promise<GetAccountRateLimitsResponse>;
}
