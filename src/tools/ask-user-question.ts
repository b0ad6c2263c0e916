/** `ask_user_question`: a questionnaire with single and multiple choice. */

import { failed, type Tool } from "../core/ports/tool.ts";
import { array, boolean, literals, maybe, named, object, string } from "../lib/schema.ts";
import type { ToolRequestUserInputQuestion } from "../protocol/user-input.ts";
import { checked, parameters } from "./arguments.ts";
import { ask } from "./request-user-input.ts";

const Args = named("AskUserQuestionArgs", () =>
  object({
    questions: array(
      object({
        type: literals("single_choice", "multi_choice"),
        text: string(),
        options: array(string()),
        allowOther: maybe(boolean()),
      }),
    ),
  }),
);

export const askUserQuestion = (everyMode: boolean): Tool => ({
  name: "ask_user_question",
  spec: {
    type: "function",
    name: "ask_user_question",
    description: "Shows the person a questionnaire of single-choice and multiple-choice questions and returns the answers.",
    strict: false,
    parameters: parameters(
      {
        questions: {
          type: "array",
          items: {
            type: "object",
            properties: {
              type: { type: "string", enum: ["single_choice", "multi_choice"] },
              text: { type: "string" },
              options: { type: "array", items: { type: "string" } },
              allowOther: { type: "boolean", description: "Whether the person may write another answer." },
            },
            required: ["type", "text", "options"],
            additionalProperties: false,
          },
        },
      },
      ["questions"],
    ),
  },
  plan(call, settings) {
    if (!everyMode && settings.mode !== "plan" && settings.isPairing !== true)
      return failed("ask_user_question is unavailable in Default mode");
    const read = checked(Args, call.args);
    if ("failure" in read) return read.failure;
    const { questions } = read.args;
    if (questions.length === 0 || questions.length > 8) return failed("ask_user_question takes one to eight questions");
    const asked = questions.map(
      (q, i): ToolRequestUserInputQuestion => ({
        id: `q${i + 1}`,
        header: "",
        question: q.text,
        isOther: q.allowOther === true,
        isSecret: false,
        options: q.options.map((label) => ({ label, description: "" })),
        text: q.text,
        allowOther: q.allowOther === true,
        type: q.type,
        multiple: q.type === "multi_choice",
      }),
    );
    return { kind: "direct", run: (context) => ask(asked, context) };
  },
});
