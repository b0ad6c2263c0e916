/** The automated reviewer: a turn of its own with its own prompt, whose findings end as plain text. */

import type { Infer } from "../lib/schema.ts";
import { array, named, number, object, optional, parse, string } from "../lib/schema.ts";
import type { ReviewTarget } from "../protocol/review.ts";
import { callTools } from "./call-tool.ts";
import { openTurn, takeInput } from "./context.ts";
import { userMessage } from "./history.ts";
import type { LiveTurn } from "./live-turn.ts";
import { reviewPrompt } from "./review-prompt.ts";
import { sample } from "./sample.ts";
import type { TurnOutcome } from "./turn.ts";

const Finding = named("ReviewFinding", () =>
  object({
    title: string(),
    body: string(),
    confidence_score: optional(number()),
    priority: optional(number()),
    code_location: optional(object({ absolute_file_path: string(), line_range: object({ start: number(), end: number() }) })),
  }),
);
const Verdict = named("ReviewVerdict", () =>
  object({
    findings: array(Finding()),
    overall_correctness: optional(string()),
    overall_explanation: optional(string()),
    overall_confidence_score: optional(number()),
  }),
);
type Verdict = Infer<typeof Verdict>;

/** What the person sees as the subject of the review. */
export function targetLabel(target: ReviewTarget): string {
  switch (target.type) {
    case "uncommittedChanges":
      return "current changes";
    case "baseBranch":
      return `changes against '${target.branch}'`;
    case "commit":
      return target.title ? `commit ${target.sha.slice(0, 7)}: ${target.title}` : `commit ${target.sha.slice(0, 7)}`;
    case "custom":
      return target.instructions.trim();
  }
}

function task(target: ReviewTarget): string {
  switch (target.type) {
    case "uncommittedChanges":
      return "Review the current code changes: staged, unstaged and untracked files. Give prioritised findings.";
    case "baseBranch":
      return `Review the changes of this branch against \`${target.branch}\`. Find the merge base with \`git merge-base HEAD ${target.branch}@{upstream}\` (or \`${target.branch}\` itself when it has no upstream), then look at \`git diff <merge base>\`. Give prioritised findings.`;
    case "commit":
      return `Review the commit ${target.sha}${target.title ? ` ("${target.title}")` : ""}: what it changes and what that breaks. Give prioritised findings.`;
    case "custom":
      return target.instructions.trim();
  }
}

export async function reviewTurn(turn: LiveTurn, target: ReviewTarget): Promise<TurnOutcome> {
  const { thread } = turn;
  const label = targetLabel(target);
  const entered = { type: "enteredReviewMode" as const, id: thread.ports.ids.item(), review: label };
  await openTurn(turn);
  turn.startItem(entered);
  await turn.completeItem(entered);
  const before = [...thread.history.items];
  thread.history.replace([userMessage(task(target))]);
  const ended = await inspect(turn)
    .finally(() => thread.history.replace(before))
    .catch(async (error: unknown) => {
      await leave(turn, "The review was interrupted before the reviewer had answered.");
      throw error;
    });
  if (ended.failed !== undefined) {
    await leave(turn, "The reviewer could not answer.");
    return { status: "failed", error: ended.failed };
  }
  const text = rendered(ended.text);
  await leave(turn, text);
  const message = { type: "agentMessage" as const, id: thread.ports.ids.item(), text };
  turn.startItem(message);
  turn.lastAgentMessage = text;
  await turn.completeItem(message, [
    userMessage(
      `<user_action>\n<context>The user asked for a review of ${label}; these are its results.</context>\n<results>\n${text}\n</results>\n</user_action>`,
    ),
  ]);
  return { status: "completed" };
}

/** Every review that was entered is left, however it ends: clients show by these two whether they are in one. */
async function leave(turn: LiveTurn, review: string): Promise<void> {
  const exited = { type: "exitedReviewMode" as const, id: turn.thread.ports.ids.item(), review };
  turn.startItem(exited);
  await turn.completeItem(exited);
}

/** The reviewer's own loop; what it reads and says stays out of the thread's history. */
async function inspect(turn: LiveTurn): Promise<{ text: string; failed?: Extract<TurnOutcome, { status: "failed" }>["error"] }> {
  const reviewer = turn.asReviewer(turn.thread.config.reviewModel, reviewPrompt);
  try {
    while (true) {
      await takeInput(reviewer);
      const reply = await sample(reviewer);
      if (reply.failed !== undefined) return { text: "", failed: reply.failed };
      if (reply.calls.length === 0) return { text: reviewer.lastAgentMessage ?? "" };
      await callTools(reply.calls, reviewer);
    }
  } finally {
    turn.endReviewer();
  }
}

/** Findings as a person reads them; a reviewer that did not keep to the form is quoted as it is. */
function rendered(text: string): string {
  const verdict = verdictIn(text);
  if (verdict === undefined) return text.trim() === "" ? "The reviewer gave no answer." : text.trim();
  const { findings, overall_explanation: explanation } = verdict;
  const parts = [explanation?.trim() ?? ""];
  if (findings.length > 0) parts.push(findings.length === 1 ? "Review comment:" : "Full review comments:");
  for (const finding of findings) {
    const at = finding.code_location;
    const place = at === undefined ? "" : ` — ${at.absolute_file_path}:${at.line_range.start}-${at.line_range.end}`;
    parts.push(
      `- ${finding.title}${place}\n${finding.body
        .trim()
        .split("\n")
        .map((line) => `  ${line}`)
        .join("\n")}`,
    );
  }
  return parts.filter((part) => part !== "").join("\n\n") || "No findings.";
}

function verdictIn(text: string): Verdict | undefined {
  const start = text.indexOf("{");
  const end = text.lastIndexOf("}");
  if (start === -1 || end < start) return undefined;
  try {
    return parse(Verdict, JSON.parse(text.slice(start, end + 1)));
  } catch {
    return undefined;
  }
}
