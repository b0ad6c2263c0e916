/** Compaction by the provider: it answers `compaction_trigger` with the history in an encrypted form that only it can read. */
import type { TurnError } from "../../protocol/turn.ts";
import { History } from "../context/history.ts";
import { isSealedHistory } from "../context/replay.ts";
import { ask, errorFrom } from "../model/attempts.ts";
import { requestFor } from "../model/request.ts";
import type { Run } from "../model/run.ts";
import { countUsage, isNotice, takeNotice } from "../model/sample.ts";
import { canUnseal } from "../model/unseal-history.ts";
import type { ModelFailure, ModelItem } from "../ports/model-client.ts";
import type { Tool } from "../ports/tool.ts";

interface Answer {
  readonly item?: ModelItem | undefined;
  readonly failure?: ModelFailure;
}

/** The sealed history; or why the compaction failed; or undefined when a written summary must be requested instead. */
export async function compactAtProvider(
  run: Run,
  past: readonly ModelItem[],
  tools: readonly Tool[],
): Promise<{ readonly item: ModelItem } | { readonly failed: TurnError } | undefined> {
  const { thread } = run.turn;
  // A user-defined prompt needs a model to follow it; the provider's compaction takes none.
  if (!canUnseal(run) || thread.config.compactPrompt !== undefined) return undefined;
  const input = [...new History(past).forRequest(), { type: "compaction_trigger" } as const];
  const { attempt, retries } = await ask(run, { once: () => once(run, tools, input), abandon: () => {} });
  const { item, failure } = attempt;
  if (item !== undefined) return { item };
  if (failure !== undefined && !isRefusal(failure)) return { failed: errorFrom(failure, retries) };
  const why = failure?.message ?? "the answer holds no compaction";
  thread.ports.log.info("the provider did not compact the history; a written summary is requested instead", { thread: thread.id, why });
  return undefined;
}

/** This kind of request was rejected; another kind may be accepted. */
const isRefusal = ({ kind, retry }: ModelFailure): boolean =>
  retry === false && kind !== "usageLimitExceeded" && kind !== "unauthorized" && kind !== "httpConnectionFailed";

async function once(run: Run, tools: readonly Tool[], input: readonly ModelItem[]): Promise<Answer> {
  const { turn, settings } = run;
  const client = turn.thread.ports.models.clientFor(turn.thread.provider(settings));
  const request = { ...requestFor(run, tools, input, "compaction"), outputSchema: undefined };
  let item: ModelItem | undefined;
  for await (const batch of client.stream(request, turn.signal)) {
    for (const event of batch) {
      if (isNotice(event)) takeNotice(run, event);
      else if (event.type === "failed") return { failure: event.failure };
      else if (event.type === "completed") {
        if (event.usage !== undefined) await countUsage(run, event.usage);
        turn.items.notifyAnswered(event.responseId, event.usage);
      } else if (event.type === "itemDone" && isSealedHistory(event.item)) item ??= event.item;
    }
  }
  return { item };
}
