/** An engine's requests, as interpreted by every session client: kind, one-line summary, refusal, and the decision contained in an answer. Pure. */
import { isRecord } from "../lib/is-record.ts";
import type { AnsweredQuestion, PendingRequest, RequestKind } from "./records.ts";

export type Outcome = { readonly result: unknown } | { readonly error: { readonly code: number; readonly message: string } };

const kinds: Readonly<Record<string, RequestKind>> = {
  "item/commandExecution/requestApproval": "command",
  execCommandApproval: "command",
  "item/fileChange/requestApproval": "fileChange",
  applyPatchApproval: "fileChange",
  "item/permissions/requestApproval": "permissions",
  "item/tool/requestUserInput": "question",
  "tool/requestUserInput": "question",
  "agent/requestUserInput": "question",
  "agent/askUserQuestion": "question",
  "item/tool/call": "toolCall",
  "mcpServer/elicitation/request": "elicitation",
};
export const kindOf = (method: string): RequestKind => (Object.hasOwn(kinds, method) ? kinds[method] : undefined) ?? "other";

/** The older approval methods name decisions differently. */
export const isLegacy = (method: string): boolean => method === "execCommandApproval" || method === "applyPatchApproval";

/** The answer of an unattended session: a refusal, in the form of each kind. */
export function refusal(request: Pick<PendingRequest, "kind" | "method">): Outcome {
  switch (request.kind) {
    case "command":
    case "fileChange":
      return { result: { decision: isLegacy(request.method) ? "denied" : "decline" } };
    case "permissions":
      return { result: { permissions: {}, scope: "turn" } };
    case "question":
      return { result: { answers: {} } };
    case "toolCall":
      return { result: { success: false, contentItems: [{ type: "inputText", text: "Nobody is there to answer this tool call." }] } };
    case "elicitation":
      return { result: { action: "decline" } };
    default:
      return { error: { code: -32_600, message: "nobody is there to answer" } };
  }
}

/** The decision in an answer, for people and the audit log. */
export function decisionIn(outcome: Outcome): unknown {
  if ("error" in outcome) return "refused";
  const { result } = outcome;
  if (!isRecord(result)) return null;
  if (result["decision"] !== undefined) return result["decision"];
  if (result["action"] !== undefined) return result["action"];
  if (result["permissions"] !== undefined)
    return Object.keys(isRecord(result["permissions"]) ? result["permissions"] : {}).length === 0 ? "decline" : (result["scope"] ?? "turn");
  if (result["success"] !== undefined) return result["success"] === true ? "success" : "failure";
  return "answered";
}

/** The same for one request: approval for a tool of an MCP server is requested as a question with options. */
export function decisionOn({ details }: Pick<PendingRequest, "details">, outcome: Outcome): unknown {
  const isToolCall = isRecord(details) && isRecord(details["mcpToolCall"]);
  if (!isToolCall || "error" in outcome || !isRecord(outcome.result) || !isRecord(outcome.result["answers"])) return decisionIn(outcome);
  const [first] = Object.values(outcome.result["answers"]);
  const [choice] = isRecord(first) && Array.isArray(first["answers"]) ? first["answers"] : [];
  return chosenFor[String(choice)] ?? "decline";
}

const longestAnswer = 2000;
const mostAnswers = 20;
/** Answers to form fields with such a name are not recorded. */
const secretName = /pass(?:word|phrase|code)|secret|token|key|\bpin\b|cvv|card/i;

/** The answers to the questions of a request; undefined if it has none or was not answered. */
export function answersIn(
  { method, details }: Pick<PendingRequest, "method" | "details">,
  outcome: Outcome,
): AnsweredQuestion[] | undefined {
  if ("error" in outcome || !isRecord(outcome.result) || !isRecord(details)) return undefined;
  const { answers, content } = outcome.result;
  const kind = kindOf(method);
  if (kind === "elicitation")
    return isRecord(content)
      ? Object.entries(content)
          .slice(0, mostAnswers)
          .map(([name, value]) => ({ question: name, answers: secretName.test(name) ? null : [shown(value)] }))
      : undefined;
  if (kind !== "question" || !isRecord(answers) || isRecord(details["mcpToolCall"])) return undefined;
  const questions = Array.isArray(details["questions"]) ? details["questions"].filter(isRecord) : [];
  return questions.slice(0, mostAnswers).map((question) => {
    const given = answers[String(question["id"])];
    const list = isRecord(given) && Array.isArray(given["answers"]) ? given["answers"] : [];
    const text = String(question["question"] ?? question["text"] ?? "");
    return {
      question: text.slice(0, longestAnswer),
      answers: question["isSecret"] === true ? null : list.slice(0, mostAnswers).map(shown),
    };
  });
}

const shown = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? "")).slice(0, longestAnswer);

/** The decision for the option that was chosen when asked whether a tool may run. */
const chosenFor: Readonly<Record<string, string>> = {
  Accept: "accept",
  "Accept for this session": "acceptForSession",
  Decline: "decline",
  Cancel: "cancel",
};

/** A one-line summary of the request. */
export function summaryOf(method: string, params: Readonly<Record<string, unknown>>): string {
  const text = (key: string): string | undefined => (typeof params[key] === "string" && params[key] !== "" ? params[key] : undefined);
  const command = Array.isArray(params["command"]) ? params["command"].join(" ") : text("command");
  switch (kindOf(method)) {
    case "command":
      return command ?? text("reason") ?? "Run a command";
    case "fileChange":
      return text("reason") ?? "Change files";
    case "permissions":
      return text("reason") ?? "Grant permissions";
    case "question": {
      const [first] = Array.isArray(params["questions"]) ? params["questions"] : [];
      const asked = isRecord(first) ? (first["question"] ?? first["text"]) : params["prompt"];
      return typeof asked === "string" && asked !== "" ? asked : "A question";
    }
    case "toolCall":
      return `Tool ${text("tool") ?? "call"}`;
    case "elicitation":
      return text("message") ?? text("title") ?? "An MCP server asks";
    default:
      return method;
  }
}
