/** `ask_user_question`: a questionnaire with single and multiple choice, as in older clients. Accepted, not offered. */

import { failed, type Tool } from "../core/ports/tool.ts";
import { array, boolean, described, literals, maybe, named, object, string } from "../lib/schema.ts";
import type { ToolRequestUserInputQuestion } from "../protocol/user-input.ts";
import { functionTool } from "./define.ts";
import { ask, type QuestionRule } from "./request-user-input.ts";

const Args = named("AskUserQuestionArgs", () =>
  object({
    questions: array(
      object({
        type: literals("single_choice", "multi_choice"),
        text: string(),
        options: array(string()),
        allowOther: maybe(described(boolean(), "Whether the person may write another answer.")),
      }),
    ),
  }),
);

export const askUserQuestion = (mayAsk: QuestionRule): Tool =>
  functionTool({
    name: "ask_user_question",
    description: "Shows the person a questionnaire of single-choice and multiple-choice questions and returns the answers.",
    args: Args,
    plan({ questions }, settings) {
      if (!mayAsk(settings)) return failed("ask_user_question is unavailable in Default mode");
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
      return { kind: "direct", run: (context) => ask(asked, context, settings) };
    },
  });
