/** One answer of a thread's model beside the thread: its history and a question are sent, and nothing is stored or announced. */
import { History, userMessage } from "../context/history.ts";
import { overBudget } from "../model/budget.ts";
import { offeredTools, requestFor } from "../model/request.ts";
import { threadRun } from "../model/run.ts";
import type { ModelEvent, TokenUsage } from "../ports/model-client.ts";
import { LiveTurn } from "../turn/live-turn.ts";
import type { LiveThread } from "./thread.ts";

export interface BesideQuestion {
  readonly prompt: string;
  readonly effort: string | undefined;
  /** Leaves the tools of MCP servers out of the request. */
  readonly withoutMcp: boolean;
  /** What the provider is to record with it. */
  readonly metadata: Readonly<Record<string, string>>;
}
export interface BesideAnswer {
  readonly responseId: string;
  /** Null if the model wrote none. */
  readonly text: string | null;
  readonly usage: TokenUsage | undefined;
}

/** Throws an Error with the provider's message if there is no answer. The tokens count for the budget. */
export async function sampleBeside(thread: LiveThread, question: BesideQuestion, signal: AbortSignal): Promise<BesideAnswer> {
  const turn = new LiveTurn(thread, { id: "", startedAtMs: thread.ports.clock.now() }); // never begun: building a request needs a turn
  turn.clientMetadata = question.metadata;
  const abort = (): void => turn.interrupt();
  signal.addEventListener("abort", abort, { once: true });
  try {
    const refused = await overBudget(turn);
    if (refused !== undefined) throw new Error(refused.message);
    const run = {
      ...threadRun(turn),
      offers: ({ namespace }: { readonly namespace?: string | undefined }) => !question.withoutMcp || namespace === undefined,
    };
    const input = [...new History(thread.history.items).forRequest(), userMessage(question.prompt)];
    const request = requestFor({ ...run, history: new History(thread.history.items) }, await offeredTools(run), input);
    const stream = thread.ports.models
      .clientFor(thread.provider())
      .stream({ ...request, effort: question.effort ?? request.effort, toolChoice: "none" }, turn.signal);
    return await answerOf(stream, (usage) => {
      const { model, modelProvider: provider } = thread.settings;
      thread.ports.usage?.spent(thread.id, "", { model, provider }, usage);
    });
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

async function answerOf(stream: AsyncIterable<readonly ModelEvent[]>, spent: (usage: TokenUsage) => void): Promise<BesideAnswer> {
  let text = "";
  for await (const batch of stream)
    for (const event of batch) {
      if (event.type === "failed") throw new Error(event.failure.message);
      if (event.type === "itemDone" && event.item.type === "message")
        text += event.item.content.map((part) => ("text" in part ? part.text : "")).join("");
      if (event.type !== "completed") continue;
      if (event.usage !== undefined) spent(event.usage);
      return { responseId: event.responseId, text: text === "" ? null : text, usage: event.usage };
    }
  throw new Error("a model stream ended without its last event");
}
