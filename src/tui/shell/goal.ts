/** `/goal`: what the thread works towards in turns that start by themselves. */
import type { ThreadGoalSetParams } from "../../protocol/thread-goal.ts";
import { isUnsupported } from "../../sessions/refusals.ts";
import { goalLine } from "../draw/goal-line.ts";
import type { Shell } from "./shell.ts";

/** Shows the goal, changes its status, or sets another objective. */
export async function changeGoal(shell: Shell, argument: string): Promise<void> {
  const { threadId } = shell.store.conversation;
  if (threadId === undefined) return;
  const text = argument.trim();
  if (text === "") return await showGoal(shell, threadId);
  if (text === "clear") {
    const { cleared } = await shell.client().call("thread/goal/clear", { threadId });
    return shell.store.note("info", cleared ? "The goal is removed." : "There is no goal.");
  }
  const change: Partial<ThreadGoalSetParams> =
    text === "pause" ? { status: "paused" } : text === "resume" ? { status: "active" } : { objective: text, status: "active" };
  const { goal } = await shell.client().call("thread/goal/set", { threadId, ...change });
  shell.store.note("info", `Goal: ${goalLine(goal)}`);
}

async function showGoal(shell: Shell, threadId: string): Promise<void> {
  const { goal } = await shell.client().call("thread/goal/get", { threadId });
  const usage = "/goal OBJECTIVE sets one; /goal pause, resume and clear change it.";
  shell.store.note("info", goal ? `Goal: ${goalLine(goal)}` : `There is no goal. ${usage}`);
}

/** The goal of a thread that was just opened. */
export async function readGoal(shell: Shell): Promise<void> {
  const { threadId } = shell.store.conversation;
  if (threadId === undefined) return;
  try {
    const { goal } = await shell.client().call("thread/goal/get", { threadId });
    if (shell.store.conversation.threadId === threadId) shell.store.setUi({ goal: goal ?? undefined });
  } catch (error) {
    if (!isUnsupported(error)) shell.options.report("the goal could not be read", error);
  }
}
