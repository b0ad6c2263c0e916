/** `request_user_input`: one to three short questions to the person, in Plan mode or wherever the config opens it. */

import { failed, said, type Tool, type ToolContext, type ToolOutput } from "../core/ports/tool.ts";
import { array, boolean, maybe, named, object, string } from "../lib/schema.ts";
import type { ToolRequestUserInputQuestion } from "../protocol/user-input.ts";
import { checked, parameters } from "./arguments.ts";
import { answersFrom } from "./questions.ts";

const Args = named("RequestUserInputArgs", () =>
  object({
    questions: array(
      object({
        id: string(),
        header: maybe(string()),
        question: string(),
        options: maybe(array(object({ label: string(), description: maybe(string()) }))),
        isOther: maybe(boolean()),
        isSecret: maybe(boolean()),
        multiple: maybe(boolean()),
      }),
    ),
  }),
);

export const requestUserInput = (everyMode: boolean): Tool => ({
  name: "request_user_input",
  spec: {
    type: "function",
    name: "request_user_input",
    description: everyMode
      ? "Puts one to three short questions to the person and waits for the answers."
      : "Puts one to three short questions to the person and waits for the answers. Works in Plan mode only.",
    strict: false,
    parameters: parameters({ questions: { type: "array", description: "One to three questions.", items: questionSchema } }, ["questions"]),
  },
  plan(call, settings) {
    if (!everyMode && settings.mode !== "plan" && settings.isPairing !== true)
      return failed("request_user_input is unavailable in Default mode");
    const read = checked(Args, call.args);
    if ("failure" in read) return read.failure;
    const { questions } = read.args;
    if (questions.length < 1 || questions.length > 3) return failed("request_user_input takes one to three questions");
    if (new Set(questions.map((q) => q.id)).size !== questions.length) return failed("request_user_input: question ids must differ");
    const asked = questions.map(
      (q): ToolRequestUserInputQuestion => ({
        id: q.id,
        header: q.header ?? "",
        question: q.question,
        isOther: q.isOther ?? true,
        isSecret: q.isSecret ?? false,
        options: q.options?.map((o) => ({ label: o.label, description: o.description ?? "" })) ?? null,
        text: q.question,
        allowOther: q.isOther ?? true,
        ...(q.multiple === true ? { multiple: true } : {}),
      }),
    );
    return { kind: "direct", run: (context) => ask(asked, context) };
  },
});

const questionSchema = {
  type: "object",
  properties: {
    id: { type: "string", description: "A short name for the answer, in snake_case." },
    header: { type: "string", description: "A label of at most 12 characters." },
    question: { type: "string", description: "One sentence." },
    options: {
      type: "array",
      description: 'Two or three choices, your recommendation first with "(Recommended)" behind it; leave out for a free answer.',
      items: {
        type: "object",
        properties: { label: { type: "string" }, description: { type: "string", description: "What it means, in one sentence." } },
        required: ["label", "description"],
        additionalProperties: false,
      },
    },
    multiple: { type: "boolean", description: "Whether several options may be chosen." },
    isSecret: { type: "boolean", description: "Whether the answer must not be shown while it is typed." },
  },
  required: ["id", "header", "question"],
  additionalProperties: false,
};

/** Puts the questions to everybody who watches; a cancel ends the tool call with an error, not the turn. */
export async function ask(questions: readonly ToolRequestUserInputQuestion[], context: ToolContext): Promise<ToolOutput> {
  const only = questions.length === 1 ? questions[0] : undefined;
  const answer = await context.ask("item/tool/requestUserInput", {
    threadId: context.threadId,
    turnId: context.turnId,
    itemId: context.callId,
    questions: [...questions],
    isBlocking: true,
    autoResolutionMs: null,
    toolCallId: context.callId,
    ...(only === undefined ? {} : { prompt: only.question }),
  });
  const answers = answersFrom(answer, questions);
  if (answers === undefined) return failed("the user cancelled: no answers were given");
  return said(JSON.stringify({ answers }));
}
