/** Port: the goal of the thread, as the model's tools see and change it. */
import type { ThreadGoal } from "../../protocol/thread-goal.ts";

export interface GoalCall {
  readonly threadId: string;
  readonly turnId: string;
}

export interface GoalTools {
  /** Whether the thread has a goal, as far as this process knows. */
  has(threadId: string): Promise<boolean>;
  get(threadId: string): Promise<ThreadGoal | null>;
  /** Rejects with a GoalProblem when there is an unfinished goal, or the objective or budget does not fit. */
  create(call: GoalCall, objective: string, tokenBudget: number | undefined): Promise<ThreadGoal>;
  /** Rejects with a GoalProblem when there is no goal. */
  end(call: GoalCall, status: "complete" | "blocked"): Promise<ThreadGoal>;
}

/** For the model: why its goal could not be created or changed. */
export class GoalProblem extends Error {}
