/** The goal of a thread, which the agent pursues over many turns. Implemented in server/thread-goal.ts. */
import { boolean, type Infer, integer, literals, maybe, named, object, string } from "../lib/schema.ts";
import { byThread, notification, request } from "./define.ts";
import { invalidRequest } from "./errors.ts";

export const ThreadGoalStatus = named("ThreadGoalStatus", () =>
  literals("active", "paused", "blocked", "usageLimited", "budgetLimited", "complete"),
);
export type ThreadGoalStatus = Infer<typeof ThreadGoalStatus>;

export const ThreadGoal = named("ThreadGoal", () =>
  object({
    createdAt: integer(),
    objective: string(),
    status: ThreadGoalStatus(),
    threadId: string(),
    timeUsedSeconds: integer(),
    tokensUsed: integer(),
    updatedAt: integer(),
    tokenBudget: maybe(integer()),
  }),
);
export type ThreadGoal = Infer<typeof ThreadGoal>;

export const ThreadGoalMutationOrigin = named("ThreadGoalMutationOrigin", () => literals("user", "automatic"));
export type ThreadGoalMutationOrigin = Infer<typeof ThreadGoalMutationOrigin>;

export const ThreadGoalSetParams = named("ThreadGoalSetParams", () =>
  object({
    threadId: string(),
    objective: maybe(string()),
    status: maybe(ThreadGoalStatus()),
    tokenBudget: maybe(integer()),
    origin: maybe(ThreadGoalMutationOrigin()),
  }),
);
export type ThreadGoalSetParams = Infer<typeof ThreadGoalSetParams>;

export const ThreadGoalSetResponse = named("ThreadGoalSetResponse", () => object({ goal: ThreadGoal() }));
export type ThreadGoalSetResponse = Infer<typeof ThreadGoalSetResponse>;

export const ThreadGoalGetParams = named("ThreadGoalGetParams", () => object({ threadId: string() }));
export type ThreadGoalGetParams = Infer<typeof ThreadGoalGetParams>;

export const ThreadGoalGetResponse = named("ThreadGoalGetResponse", () => object({ goal: maybe(ThreadGoal()) }));
export type ThreadGoalGetResponse = Infer<typeof ThreadGoalGetResponse>;

export const ThreadGoalClearParams = named("ThreadGoalClearParams", () =>
  object({ threadId: string(), origin: maybe(ThreadGoalMutationOrigin()) }),
);
export type ThreadGoalClearParams = Infer<typeof ThreadGoalClearParams>;

export const ThreadGoalClearResponse = named("ThreadGoalClearResponse", () => object({ cleared: boolean() }));
export type ThreadGoalClearResponse = Infer<typeof ThreadGoalClearResponse>;

export const ThreadGoalUpdatedNotification = named("ThreadGoalUpdatedNotification", () =>
  object({ threadId: string(), turnId: maybe(string()), goal: ThreadGoal() }),
);
export type ThreadGoalUpdatedNotification = Infer<typeof ThreadGoalUpdatedNotification>;

export const ThreadGoalClearedNotification = named("ThreadGoalClearedNotification", () => object({ threadId: string() }));
export type ThreadGoalClearedNotification = Infer<typeof ThreadGoalClearedNotification>;

/** Unicode characters of an objective. */
export const longestObjective = 4000;

/** Why a text cannot be an objective; undefined when it can. Its ends are trimmed before. */
export function objectiveProblem(objective: string): string | undefined {
  if (objective === "") return "goal objective must not be empty";
  if ([...objective].length > longestObjective) return `goal objective must be at most ${longestObjective} characters`;
  return undefined;
}

const originUnused = { origin: "who changed a goal is not recorded" };

export const threadGoalRequests = {
  /** Sets or changes a thread's goal; omitted fields stay. While it is active and the thread is idle, turns start by themselves. */
  "thread/goal/set": request({
    params: ThreadGoalSetParams,
    result: ThreadGoalSetResponse,
    order: byThread,
    noEffect: originUnused,
    limits({ objective, tokenBudget }) {
      const problem = objective === undefined || objective === null ? undefined : objectiveProblem(objective.trim());
      if (problem !== undefined) throw invalidRequest(problem);
      if (typeof tokenBudget === "number" && tokenBudget <= 0) throw invalidRequest("goal budgets must be positive when provided");
    },
  }),
  /** Returns the goal of a thread. */
  "thread/goal/get": request({ params: ThreadGoalGetParams, result: ThreadGoalGetResponse }),
  /** Removes the goal of a thread; a turn that runs for it goes on to its end. */
  "thread/goal/clear": request({ params: ThreadGoalClearParams, result: ThreadGoalClearResponse, order: byThread, noEffect: originUnused }),
};

export const threadGoalNotifications = {
  /** A thread's goal was set or changed, or tokens were counted for it. */
  "thread/goal/updated": notification(ThreadGoalUpdatedNotification),
  /** A thread's goal was removed. */
  "thread/goal/cleared": notification(ThreadGoalClearedNotification),
};
