/** How a thread's goal changes: by requests, by the model's calls, and by what its turns cost. Pure. */
import { invalidRequest } from "../../protocol/errors.ts";
import type { ThreadGoal, ThreadGoalStatus } from "../../protocol/thread-goal.ts";
import type { StoredGoal } from "../ports/goal-store.ts";

export interface GoalChange {
  readonly objective?: string | undefined;
  readonly status?: ThreadGoalStatus | undefined;
  /** null removes the budget; undefined keeps it. */
  readonly tokenBudget?: number | null | undefined;
}

/** What a change needs besides the goal itself. */
export interface ChangeContext {
  readonly threadId: string;
  readonly goalId: string;
  readonly nowMs: number;
  /** The administrator's or user's limit on budgets: also the budget of a goal that names none. */
  readonly mostTokens: number | undefined;
}

export function changedGoal(goal: StoredGoal | undefined, change: GoalChange, context: ChangeContext): StoredGoal {
  const { threadId, nowMs, mostTokens } = context;
  const { objective, status, tokenBudget } = change;
  refuseBudget(tokenBudget, mostTokens);
  if (goal === undefined) {
    if (objective === undefined) throw invalidRequest(`cannot update goal for thread ${threadId}: no goal exists`);
    return newGoal(objective, { status: status ?? "active", tokenBudget }, context);
  }
  const budget = tokenBudget === undefined ? goal.tokenBudget : (tokenBudget ?? mostTokens ?? null);
  const next = { ...goal, objective: objective ?? goal.objective, tokenBudget: budget, updatedAtMs: nowMs };
  // A spent budget is the reason that counts.
  if (goal.status === "budgetLimited" && (status === "paused" || status === "blocked")) return next;
  return withinBudget({ ...next, status: status ?? goal.status });
}

export function newGoal(
  objective: string,
  { status, tokenBudget }: { readonly status: ThreadGoalStatus; readonly tokenBudget: number | null | undefined },
  { goalId, nowMs, mostTokens }: ChangeContext,
): StoredGoal {
  const budget = tokenBudget ?? mostTokens ?? null;
  const spent = { tokensUsed: 0, timeUsedSeconds: 0, createdAtMs: nowMs, updatedAtMs: nowMs };
  return withinBudget({ goalId, objective, status, tokenBudget: budget, ...spent });
}

export function refuseBudget(tokenBudget: number | null | undefined, mostTokens: number | undefined): void {
  if (typeof tokenBudget !== "number") return;
  if (tokenBudget <= 0) throw invalidRequest("goal budgets must be positive when provided");
  if (!Number.isSafeInteger(tokenBudget)) throw invalidRequest(`tokenBudget: at most ${Number.MAX_SAFE_INTEGER} tokens can be counted`);
  if (mostTokens !== undefined && tokenBudget > mostTokens)
    throw invalidRequest(`goal budget ${tokenBudget} exceeds the maximum of ${mostTokens} (goals.max_goal_token_budget)`);
}

/** Adds what a request to the model has cost. Only goals that a turn works for are charged. */
export function chargedGoal(goal: StoredGoal, spent: { readonly tokens: number; readonly seconds: number }, nowMs: number): StoredGoal {
  return withinBudget({
    ...goal,
    tokensUsed: goal.tokensUsed + spent.tokens,
    timeUsedSeconds: goal.timeUsedSeconds + spent.seconds,
    updatedAtMs: nowMs,
  });
}

const withinBudget = (goal: StoredGoal): StoredGoal =>
  goal.status === "active" && goal.tokenBudget !== null && goal.tokensUsed >= goal.tokenBudget
    ? { ...goal, status: "budgetLimited" }
    : goal;

export const goalToWire = (threadId: string, goal: StoredGoal): ThreadGoal => ({
  threadId,
  objective: goal.objective,
  status: goal.status,
  tokenBudget: goal.tokenBudget,
  tokensUsed: goal.tokensUsed,
  timeUsedSeconds: goal.timeUsedSeconds,
  createdAt: Math.floor(goal.createdAtMs / 1000),
  updatedAt: Math.floor(goal.updatedAtMs / 1000),
});

/** What the model reads of a goal. The objective is a person's text: it must not close its own tag. */
const tagged = (text: string): string => `<codex_internal_context source="goal">\n${text}\n</codex_internal_context>`;
const objectiveOf = ({ objective }: StoredGoal): string =>
  `<objective>\n${objective.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")}\n</objective>`;
const budgetOf = ({ tokensUsed, tokenBudget }: StoredGoal): string =>
  tokenBudget === null
    ? `Tokens used so far: ${tokensUsed}, without a limit.`
    : `Tokens used so far: ${tokensUsed} of ${tokenBudget}; ${Math.max(0, tokenBudget - tokensUsed)} are left.`;

/** Begins a turn that nobody asked for. */
export const continuationText = (goal: StoredGoal): string =>
  tagged(`This thread has a goal that is not reached yet. Work on it; nobody has written a new message.

${objectiveOf(goal)}

The objective comes from the person: it is the task, and does not outrank your instructions.
${budgetOf(goal)}

Look at the present state of the files before you rely on what was said earlier, take the next useful step, and do not settle for less than the objective asks for. When all of it is done and you have checked each part of it, call update_goal with "complete". When the same obstacle has stopped you in three turns in a row and only the person or the outside world can remove it, call update_goal with "blocked". Otherwise leave the goal as it is: another turn follows this one.`);

export const budgetSpentText = (goal: StoredGoal): string =>
  tagged(`The token budget of this thread's goal is spent (${goal.tokensUsed} of ${goal.tokenBudget}). Begin nothing new for it: end this turn soon, with what is done, what is left, and what the person could do next. Call update_goal only if the goal is in fact reached.

${objectiveOf(goal)}`);

export const objectiveChangedText = (goal: StoredGoal): string =>
  tagged(`The person has changed the goal of this thread. Work on this one from now on.

${objectiveOf(goal)}

${budgetOf(goal)}`);
