/** `request_user_input`: one to three short questions to the person, wherever somebody can answer them. */

import type { ThreadSettings } from "../core/ports/settings.ts";
import { failed, succeeded, type Tool, type ToolContext, type ToolOutput } from "../core/ports/tool.ts";
import { array, boolean, described, maybe, named, object, string } from "../lib/schema.ts";
import type { ToolRequestUserInputQuestion } from "../protocol/user-input.ts";
import { functionTool } from "./define.ts";
import { answersFrom } from "./questions.ts";

const Args = named("RequestUserInputArgs", () =>
  object({
    questions: described(
      array(
        object({
          id: described(string(), "A short name for the answer, in snake_case."),
          header: maybe(described(string(), "A label of at most 12 characters.")),
          question: described(string(), "One sentence."),
          options: maybe(
            described(
              array(object({ label: string(), description: maybe(described(string(), "What it means, in one sentence.")) })),
              'Two or three choices, your recommendation first with "(Recommended)" behind it; leave out for a free answer.',
            ),
          ),
          isOther: maybe(described(boolean(), "Whether the person may write another answer; true when left out.")),
          multiple: maybe(described(boolean(), "Whether several options may be chosen.")),
          isSecret: maybe(described(boolean(), "Whether the answer must not be shown while it is typed.")),
        }),
      ),
      "One to three questions.",
    ),
  }),
);

/** A person can be asked. */
export type QuestionRule = (settings: ThreadSettings) => boolean;

export const requestUserInput = (mayAsk: QuestionRule): Tool =>
  functionTool({
    name: "request_user_input",
    description: "Puts one to three short questions to the person and waits for the answers.",
    args: Args,
    plan({ questions }, settings) {
      if (!mayAsk(settings)) return failed("request_user_input is unavailable in Default mode");
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
      return { kind: "direct", run: (context) => ask(asked, context, settings) };
    },
  });

/** Asks all subscribers; a cancel ends the tool call with an error, not the turn. */
export async function ask(
  questions: readonly ToolRequestUserInputQuestion[],
  context: ToolContext,
  { mode }: Pick<ThreadSettings, "mode">,
): Promise<ToolOutput> {
  const only = questions.length === 1 ? questions[0] : undefined;
  const answer = await context.ask("item/tool/requestUserInput", {
    threadId: context.threadId,
    turnId: context.turnId,
    itemId: context.callId,
    questions: [...questions],
    isBlocking: mode === "plan", // a plan consists of its answers; elsewhere clients may show the question beside the work
    autoResolutionMs: null,
    toolCallId: context.callId,
    ...(only === undefined ? {} : { prompt: only.question }),
  });
  const answers = answersFrom(answer, questions);
  if (answers === undefined) return failed("the user cancelled: no answers were given");
  return succeeded(JSON.stringify({ answers }));
}
