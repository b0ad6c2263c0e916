/** The last step of a message before it is sent: translates it for the client's generation. */
import type { CommandExecutionRequestApprovalParams } from "../protocol/approval.ts";
import type { ParamsOf } from "../protocol/define.ts";
import type { ServerNotifications, ServerRequests } from "../protocol/methods.ts";
import type { TurnError } from "../protocol/turn.ts";
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

/** Kinds of failure that clients of the documents' time do not know; to some of them an unknown one is an unreadable message. */
const newerKinds: ReadonlySet<unknown> = new Set([
  "cyberPolicy",
  "flexUnavailable",
  "modelNotFound",
  "rateLimitExceeded",
  "serverOverloaded",
]);

const olderError = (error: TurnError): TurnError => ({ ...error, codexErrorInfo: "other" });

/** A notification as older clients can read it; undefined when it is the same for all. */
export function forOlder<M extends keyof ServerNotifications>(
  method: M,
  params: ParamsOf<ServerNotifications[M]>,
): ParamsOf<ServerNotifications[M]> | undefined {
  if (method === "error") {
    const failed = params as ParamsOf<ServerNotifications["error"]>;
    if (!newerKinds.has(failed.error.codexErrorInfo)) return undefined;
    return { ...failed, error: olderError(failed.error) } as typeof params;
  }
  if (method !== "turn/completed") return undefined;
  const { turn, ...rest } = params as ParamsOf<ServerNotifications["turn/completed"]>;
  if (!newerKinds.has(turn.error?.codexErrorInfo) || !turn.error) return undefined;
  return { ...rest, turn: { ...turn, error: olderError(turn.error) } } as typeof params;
}
