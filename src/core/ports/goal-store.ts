/** Port: the goal of each thread. It survives restarts, and every process on the same home sees it. */
import type { ThreadGoalStatus } from "../../protocol/thread-goal.ts";

export interface StoredGoal {
  /** Changes when the goal is replaced by another one. */
  readonly goalId: string;
  readonly objective: string;
  readonly status: ThreadGoalStatus;
  readonly tokenBudget: number | null;
  readonly tokensUsed: number;
  readonly timeUsedSeconds: number;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

export interface GoalStore {
  read(threadId: string): Promise<StoredGoal | undefined>;
  /** Reads, decides and writes with no other process in between. `next` may throw; undefined leaves the goal as it is. */
  change(threadId: string, next: (goal: StoredGoal | undefined) => StoredGoal | undefined): Promise<StoredGoal | undefined>;
  /** False when there was none. */
  remove(threadId: string): Promise<boolean>;
}
