/** `get_goal`, `create_goal`, `update_goal`: the thread's goal, as the model reads and ends it. */
import { GoalProblem, type GoalTools } from "../core/ports/goals.ts";
import { failed, succeeded, type Tool, type ToolContext, type ToolOutput, type ToolSource } from "../core/ports/tool.ts";
import { described, literals, maybe, named, object, positive, string } from "../lib/schema.ts";
import type { ThreadGoal } from "../protocol/thread-goal.ts";
import { functionTool } from "./define.ts";

const GetArgs = named("GetGoalArgs", () => object({}));
const CreateArgs = named("CreateGoalArgs", () =>
  object({ objective: string(), token_budget: maybe(described(positive(), "Only where the person names one.")) }),
);
const UpdateArgs = named("UpdateGoalArgs", () => object({ status: literals("complete", "blocked") }));

/** The tools are offered in threads that have a goal: elsewhere they would cost tokens in every request. A model that knows them may call them. */
export function goalTools(goals: GoalTools): ToolSource {
  const offered = [get(goals), create(goals), update(goals)];
  const silent = offered.map((tool): Tool => ({ ...tool, silent: true }));
  return {
    async tools({ threadId, config }) {
      if (config.features["goals"] === false) return [];
      return (await goals.has(threadId)) ? offered : silent;
    },
  };
}

const get = (goals: GoalTools): Tool =>
  functionTool({
    name: "get_goal",
    description: "Returns the thread's goal, with its status, tokens and time.",
    args: GetArgs,
    plan: () => ({ kind: "direct", run: (context) => answer(() => goals.get(context.threadId)) }),
  });

const create = (goals: GoalTools): Tool =>
  functionTool({
    name: "create_goal",
    description: "Sets a goal for many turns. Only when the person asks for one.",
    args: CreateArgs,
    plan: ({ objective, token_budget }) => ({
      kind: "direct",
      run: (context) => answer(() => goals.create(callOf(context), objective, token_budget ?? undefined)),
    }),
  });

const update = (goals: GoalTools): Tool =>
  functionTool({
    name: "update_goal",
    description:
      "Ends the goal: complete when all of it is done and checked, blocked when the same obstacle has stopped three turns in a row and only the person can remove it.",
    args: UpdateArgs,
    plan: ({ status }) => ({
      kind: "direct",
      run: (context) => answer(() => goals.end(callOf(context), status), status === "complete"),
    }),
  });

const callOf = ({ threadId, turnId }: ToolContext) => ({ threadId, turnId });

async function answer(work: () => Promise<ThreadGoal | null>, isComplete = false): Promise<ToolOutput> {
  try {
    const goal = await work();
    const budget = goal?.tokenBudget ?? null;
    const remainingTokens = goal === null || budget === null ? null : Math.max(0, budget - goal.tokensUsed);
    const completionBudgetReport = isComplete && goal !== null ? reportOf(goal) : null;
    return succeeded(JSON.stringify({ goal, remainingTokens, completionBudgetReport }));
  } catch (error) {
    if (error instanceof GoalProblem) return failed(error.message);
    throw error;
  }
}

function reportOf({ tokensUsed, tokenBudget, timeUsedSeconds }: ThreadGoal): string {
  const tokens = tokenBudget ? `${tokensUsed} of ${tokenBudget} tokens` : `${tokensUsed} tokens`;
  return `The goal is reached. Tell the person what it took: ${tokens}, ${timeUsedSeconds} seconds.`;
}
