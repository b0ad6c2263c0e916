/** A goal in one line, for the notes of `/goal` and the lines above the composer. */
import { grouped } from "../../lib/grouped.ts";
import { cleanLine } from "../../lib/terminal-text.ts";
import type { ThreadGoal } from "../../protocol/thread-goal.ts";

const statusTexts: Readonly<Record<ThreadGoal["status"], string>> = {
  active: "active",
  paused: "paused",
  blocked: "blocked",
  usageLimited: "stopped at the usage limit",
  budgetLimited: "its budget is spent",
  complete: "complete",
};

export function goalLine({ objective, status, tokensUsed, tokenBudget }: ThreadGoal): string {
  const used = grouped(tokensUsed);
  const tokens = tokenBudget ? `${used} of ${grouped(tokenBudget)} tokens` : `${used} tokens`;
  return cleanLine(`${objective} (${statusTexts[status]}, ${tokens})`);
}
