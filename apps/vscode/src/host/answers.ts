/** What goes over the wire for an answer as the page makes it, in the form that the asking method reads. */

import { isRecord } from "../../../../src/lib/is-record.ts";
import type { Outcome } from "../../../../src/sessions/answers.ts";
import type { RequestAnswer } from "../../../web/src/connection/connection.ts";
import { questionFields } from "../../../web/src/parts/requests/forms.ts";
import type { PendingRequest } from "../../../web/src/state/model.ts";

/** What a person gives up with; the document's own code and words. */
export const cancelled = { code: -32_000, message: "User cancelled input" } as const;

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
