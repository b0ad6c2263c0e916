/** Parses answers to questions in every form that a document or a version uses (docs/from-codex.md), recognized by their content. */
import type { ToolRequestUserInputQuestion } from "./user-input.ts";

export type Answers = Readonly<Record<string, { readonly answers: readonly string[] }>>;

/** By question id. Undefined: the person cancelled, or the answer cannot be read. */
export function readAnswers(given: unknown, questions: readonly ToolRequestUserInputQuestion[]): Answers | undefined {
  if (typeof given !== "object" || given === null) return undefined;
  const result = given as Record<string, unknown>;
  if (result["cancelled"] === true || result["canceled"] === true) return undefined;
  const free = result["userInput"] ?? result["text"];
  const only = questions[0];
  if (typeof free === "string" && only !== undefined) return { [only.id]: { answers: [free] } };
  const read = Array.isArray(result["answers"]) ? fromList(result["answers"], questions) : fromMap(result["answers"], questions);
  return Object.keys(read).length === 0 ? undefined : read;
}

function fromMap(given: unknown, questions: readonly ToolRequestUserInputQuestion[]): Answers {
  if (typeof given !== "object" || given === null) return {};
  const read: Record<string, { answers: string[] }> = {};
  for (const { id } of questions) {
    const texts = Object.hasOwn(given, id) ? textsOf((given as Record<string, unknown>)[id]) : undefined;
    if (texts !== undefined) read[id] = { answers: texts };
  }
  return read;
}

function fromList(given: readonly unknown[], questions: readonly ToolRequestUserInputQuestion[]): Answers {
  const read: Record<string, { answers: string[] }> = {};
  for (const [i, entry] of given.entries()) {
    const { questionIndex, id } = (typeof entry === "object" && entry !== null ? entry : {}) as Record<string, unknown>;
    const question =
      typeof id === "string" ? questions.find((q) => q.id === id) : questions[typeof questionIndex === "number" ? questionIndex : i];
    const texts = textsOf(entry);
    if (question !== undefined && texts !== undefined) read[question.id] = { answers: texts };
  }
  return read;
}

/** `"a"`, `["a"]`, `{answers: […]}`, `{selected: "a" | […], other: "b"}`, `{answer: "a"}`. */
function textsOf(value: unknown): string[] | undefined {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.filter((text) => typeof text === "string");
  if (typeof value !== "object" || value === null) return undefined;
  const { answers, selected, answer, other } = value as Record<string, unknown>;
  const main = textsOf(answers) ?? textsOf(selected) ?? textsOf(answer);
  const more = typeof other === "string" && other !== "" ? [other] : [];
  return main === undefined && more.length === 0 ? undefined : [...(main ?? []), ...more];
}
