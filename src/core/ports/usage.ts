/** Port: tokens and money over all threads, and the budget the user set. */
import type { GetAccountTokenUsageResponse } from "../../protocol/account.ts";
import type { Config } from "./config.ts";
import type { UsageMeter } from "./core-ports.ts";

/** How a budget stands. `text` is a sentence for the user that names the limit. */
export type BudgetState =
  | { readonly state: "ok" }
  /** 80 % or more; told once for each limit and day or thread. */
  | { readonly state: "warn"; readonly text: string }
  /** Nothing is left: ask before the next model call. */
  | { readonly state: "spent"; readonly text: string };

export interface Usage extends UsageMeter {
  /** Lifetime, per day and, for a thread, by model; money where `parley.prices` knows the model. */
  summary(threadId?: string, config?: Config): Promise<GetAccountTokenUsageResponse>;
  /** To be asked before each model call. Cheap: keeps its sums in memory. */
  budget(threadId: string, config: Config): Promise<BudgetState>;
  /** The user said yes after `spent`: the limit counts anew from here for this thread or day. */
  extendBudget(threadId: string, config: Config): Promise<void>;
}
