/** The user's budget: a warning when it runs low, and a question before the next model call when it is spent. */
import type { TurnError } from "../../protocol/turn.ts";
import type { AskingTurn } from "../approval/approval-turn.ts";
import { mayContinue } from "../approval/ask-to-go-on.ts";
import type { HookedThread } from "../hooks/hooked.ts";
import type { Usage } from "../ports/usage.ts";

/** A turn that has a budget. */
export interface PaidTurn extends AskingTurn {
  readonly thread: AskingTurn["thread"] &
    Pick<HookedThread, "config"> & { readonly ports: { readonly usage?: Pick<Usage, "budget" | "extendBudget"> } };
}

/** undefined when the request may be sent; else why the turn ends. */
export async function overBudget(turn: PaidTurn): Promise<TurnError | undefined> {
  const { thread } = turn;
  const { usage } = thread.ports;
  const standing = usage?.budget(thread.id, thread.config);
  if (usage === undefined || standing === undefined || standing.state === "ok") return undefined;
  const { text } = standing;
  if (standing.state === "warn") {
    turn.notify("warning", { threadId: thread.id, message: text });
    return undefined;
  }
  const ifYes = "Ask again when a further fifth of the budget is used.";
  if (!(await mayContinue(turn, { id: "budget", header: "Budget", text, ifYes })))
    return {
      message: `${text} Raise parley.budget in config.toml, or start the turn again and agree to go on.`,
      codexErrorInfo: "usageLimitExceeded",
      additionalDetails: null,
    };
  usage.extendBudget(thread.id, thread.config);
  return undefined;
}
