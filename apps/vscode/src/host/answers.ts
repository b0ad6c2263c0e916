/** The protocol's own answers: which kind a question is, and what goes over the wire for what a person decided, in each dialect. */

import { isRecord } from "../../../../src/lib/is-record.ts";
import type { RequestAnswer } from "../../../web/src/connection/connection.ts";
import { questionFields } from "../../../web/src/parts/requests/forms.ts";
import type { PendingRequest } from "../../../web/src/state/model.ts";

const kinds: Readonly<Record<string, PendingRequest["kind"]>> = {
  "item/commandExecution/requestApproval": "command",
  "item/fileChange/requestApproval": "fileChange",
  "item/permissions/requestApproval": "permissions",
  "item/tool/requestUserInput": "question",
  "tool/requestUserInput": "question",
  "agent/requestUserInput": "question",
  "agent/askUserQuestion": "question",
  "item/tool/call": "toolCall",
  "mcpServer/elicitation/request": "elicitation",
};
export const kindOf = (method: string): PendingRequest["kind"] => kinds[method] ?? "other";

/** What a person gives up with; the document's own code and words. */
export const cancelled = { code: -32_000, message: "User cancelled input" } as const;

export type Outcome = { readonly result: unknown } | { readonly error: { readonly code: number; readonly message: string } };

/** An answer as the page makes it, in the form that the asking method reads. */
export function outcomeOf(request: PendingRequest, answer: RequestAnswer): Outcome {
  if ("error" in answer) return { error: { ...cancelled, message: answer.error.message } };
  const { response } = answer;
  if (request.kind !== "question" || request.method === "item/tool/requestUserInput") return { result: response };
  const answers = answersIn(response);
  if (answers === undefined) return { error: cancelled };
  return { result: seedResult(request, answers) };
}

type Answers = Readonly<Record<string, readonly string[]>>;

function answersIn(response: unknown): Answers | undefined {
  if (!isRecord(response) || !isRecord(response["answers"])) return undefined;
  const read = Object.entries(response["answers"]).map(([id, value]) => {
    const words = isRecord(value) && Array.isArray(value["answers"]) ? value["answers"].map(String) : [];
    return [id, words] as const;
  });
  return read.length === 0 ? undefined : Object.fromEntries(read);
}

/** The editor document's forms: one text, or a list of what was selected for each question. */
function seedResult(request: PendingRequest, answers: Answers): unknown {
  const fields = questionFields(request);
  if (request.method === "agent/requestUserInput") return { userInput: (answers[fields[0]?.id ?? ""] ?? []).join("\n") };
  return {
    answers: fields.flatMap((field, questionIndex) => {
      const words = answers[field.id] ?? [];
      if (words.length === 0) return [];
      return [{ questionIndex, selected: field.input === "many" ? words : words[0] }];
    }),
  };
}

/** The decision inside an outcome, for people. */
export function decisionIn(outcome: Outcome): unknown {
  if ("error" in outcome) return "cancel";
  const { result } = outcome;
  if (!isRecord(result)) return "answered";
  if (result["permissions"] !== undefined)
    return Object.keys(isRecord(result["permissions"]) ? result["permissions"] : {}).length === 0 ? "decline" : (result["scope"] ?? "turn");
  return result["decision"] ?? result["action"] ?? "answered";
}

/** One line that names what is asked. */
export function summaryOf(method: string, params: Readonly<Record<string, unknown>>): string {
  const text = (key: string): string | undefined => (typeof params[key] === "string" && params[key] !== "" ? params[key] : undefined);
  switch (kindOf(method)) {
    case "command":
      return text("command") ?? text("reason") ?? "Run a command";
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
