/** Questions from the model to the person: parses every form of answer. */
import type { Answer } from "../core/ports/audience.ts";
import { type Answers, readAnswers } from "../protocol/answers.ts";
import type { ToolRequestUserInputQuestion } from "../protocol/user-input.ts";

/** The answers by question id. Undefined: the person cancelled, or the answer is unreadable. */
export function answersFrom(answer: Answer, questions: readonly ToolRequestUserInputQuestion[]): Answers | undefined {
  return answer.kind === "answered" ? readAnswers(answer.result, questions) : undefined;
}
