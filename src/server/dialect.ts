/** The last step of a server request before it is sent: translates it for the client's generation. */
import type { CommandExecutionRequestApprovalParams } from "../protocol/approval.ts";
import type { ServerRequests } from "../protocol/methods.ts";
import type {
  SeedOpenQuestionParams,
  SeedQuestionnaireParams,
  SeedToolQuestionsParams,
  ToolRequestUserInputParams,
} from "../protocol/user-input.ts";
import type { Session } from "./app.ts";

export function requestFor(session: Session, method: keyof ServerRequests, params: unknown): { method: string; params: unknown } {
  if (session.dialect !== "seed-000") return { method, params };
  if (method === "item/tool/requestUserInput") return seedQuestion(params as ToolRequestUserInputParams);
  if (method === "item/commandExecution/requestApproval")
    return {
      method,
      params: { ...(params as CommandExecutionRequestApprovalParams), commandActions: ["allow_once", "allow_session", "decline"] },
    };
  return { method, params };
}

/** The editor document has one method per kind of question: an open one, some with options, a questionnaire (docs/from-codex.md). */
function seedQuestion(params: ToolRequestUserInputParams): {
  method: string;
  params: SeedOpenQuestionParams | SeedToolQuestionsParams | SeedQuestionnaireParams;
} {
  const { threadId, turnId, itemId, questions } = params;
  const ids = { toolCallId: itemId, threadId, turnId, itemId };
  const labels = (question: (typeof questions)[number]): string[] => (question.options ?? []).map((option) => option.label);
  const only = questions.length === 1 ? questions[0] : undefined;
  if (only !== undefined && labels(only).length === 0)
    return { method: "agent/requestUserInput", params: { ...ids, prompt: only.question } };
  if (questions.some((question) => question.type !== undefined))
    return {
      method: "agent/askUserQuestion",
      params: {
        ...ids,
        questions: questions.map((q) => ({
          type: q.type ?? "single_choice",
          text: q.question,
          options: labels(q),
          ...(q.isOther === true ? { allowOther: true } : {}),
        })),
      },
    };
  return {
    method: "tool/requestUserInput",
    params: { ...ids, questions: questions.map((q) => ({ text: q.question, options: labels(q), isOther: q.isOther === true })) },
  };
}
