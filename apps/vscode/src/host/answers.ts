/** Converts the page's answers to the form that the requesting method expects on the wire. */

import { isRecord } from "../../../../src/lib/is-record.ts";
import type { Outcome } from "../../../../src/sessions/answers.ts";
import type { RequestAnswer } from "../../../web/src/connection/connection.ts";
import { questionFields } from "../../../web/src/parts/requests/forms.ts";
import type { PendingRequest } from "../../../web/src/state/model.ts";

/** The response for a cancelled request, with the document's code and message. */
export const cancelled = { code: -32_000, message: "User cancelled input" } as const;

/** The page's answer, in the form that the requesting method expects. */
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
    const given = isRecord(value) && Array.isArray(value["answers"]) ? value["answers"].map(String) : [];
    return [id, given] as const;
  });
  return read.length === 0 ? undefined : Object.fromEntries(read);
}

/** The editor document's forms: one text, or a list of selections for each question. */
function seedResult(request: PendingRequest, answers: Answers): unknown {
  const fields = questionFields(request);
  if (request.method === "agent/requestUserInput") return { userInput: (answers[fields[0]?.id ?? ""] ?? []).join("\n") };
  return {
    answers: fields.flatMap((field, questionIndex) => {
      const given = answers[field.id] ?? [];
      if (given.length === 0) return [];
      return [{ questionIndex, selected: field.input === "many" ? given : given[0] }];
    }),
  };
}
