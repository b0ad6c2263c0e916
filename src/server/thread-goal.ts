/** `thread/goal/*`: the goal that a thread pursues over many turns. */
import { errorMessage } from "../lib/error-text.ts";
import { byThread } from "../protocol/define.ts";
import { invalidRequest } from "../protocol/errors.ts";
import type { threadGoalRequests } from "../protocol/thread-goal.ts";
import type { App, HandlersFor } from "./app.ts";
import { findThread } from "./stored-thread.ts";

export const threadGoalHandlers: HandlersFor<typeof threadGoalRequests> = {
  async "thread/goal/set"({ threadId, objective, status, tokenBudget }, { app, after }) {
    const thread = await requireThread(threadId, app);
    await thread?.keep(); // a goal may come before the first message
    const { goal, carryOn } = await app.goals.set(threadId, {
      objective: objective?.trim(),
      status: status ?? undefined,
      tokenBudget,
    });
    after(() => {
      const failed = (error: unknown): void => app.log.warn("a goal's turn did not start", { threadId, error: errorMessage(error) });
      Promise.resolve(app.runs.run(byThread({ threadId }), carryOn)).catch(failed);
    });
    return { goal };
  },

  async "thread/goal/get"({ threadId }, { app }) {
    await requireThread(threadId, app);
    return { goal: await app.goals.get(threadId) };
  },

  async "thread/goal/clear"({ threadId }, { app, after }) {
    await requireThread(threadId, app);
    const cleared = await app.goals.clear(threadId);
    if (cleared) after(() => app.goals.announceCleared(threadId));
    return { cleared };
  },
};

async function requireThread(id: string, app: App): Promise<ReturnType<App["threads"]["find"]>> {
  await findThread(id, app);
  const thread = app.threads.find(id);
  const { features } = thread?.config ?? app.config.effective(process.cwd());
  if (features["goals"] === false) throw invalidRequest("goals feature is disabled");
  if (thread?.ephemeral) throw invalidRequest(`ephemeral thread does not support goals: ${id}`);
  return thread;
}
