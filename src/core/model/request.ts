/** Builds one model request from a run: its settings, its history, and the tools offered to its model. */

import { usualTier } from "../../protocol/settings.ts";
import { estimateTextTokens } from "../context/tokens.ts";
import type { ModelItem, ModelRequest, ToolSpec } from "../ports/model-client.ts";
import type { Offer, Tool } from "../ports/tool.ts";
import { specsOf } from "./find-tool.ts";
import type { Run } from "./run.ts";

/** Every tool that the run's model may call; the first source of a name keeps it. Rejects with ToolsUnavailable. */
export async function offeredTools(run: Run): Promise<readonly Tool[]> {
  const { turn, settings } = run;
  const { thread } = turn;
  const offer: Offer = {
    threadId: thread.id,
    settings,
    config: thread.config,
    model: thread.ports.catalog.find(settings.model, thread.provider(settings)),
    dynamicTools: thread.clients.dynamicTools,
    interactive: thread.clients.isInteractive,
  };
  const offered = new Map<string, Tool>();
  for (const source of thread.ports.tools) {
    for (const tool of await source.tools(offer, turn.signal)) {
      const key = `${tool.namespace ?? ""}/${tool.name}`;
      if (!offered.has(key) && run.offers(tool)) offered.set(key, tool);
    }
  }
  return [...offered.values()];
}

export function requestFor(run: Run, tools: readonly Tool[], input: readonly ModelItem[]): ModelRequest {
  const { turn, settings, instructions } = run;
  const { id: threadId, config, meta, ports } = turn.thread;
  const model = ports.catalog.find(settings.model, turn.thread.provider(settings));
  const hasSummaries = config.raw["model_supports_reasoning_summaries"] === true || model.supportsReasoningSummaries;
  const specs = specsOf(tools.filter((tool) => tool.silent !== true));
  run.history.fixedTokens = fixedTokens(instructions, specs);
  const { serviceTier: tier } = settings;
  return {
    threadId,
    turnId: turn.id,
    model: settings.model,
    instructions,
    input,
    tools: specs,
    parallelToolCalls: model.supportsParallelToolCalls,
    effort: settings.effort ?? (hasSummaries ? model.defaultEffort : undefined),
    summary: hasSummaries ? (settings.summary ?? undefined) : undefined,
    verbosity: settings.verbosity ?? undefined,
    serviceTier: tier === usualTier ? undefined : (tier ?? undefined),
    outputSchema: turn.outputSchema,
    originator: meta.originator,
    userAgent: turn.thread.clients.userAgent,
  };
}

const fixedTokens = (instructions: string, specs: readonly ToolSpec[]): number =>
  specs.reduce((sum, spec) => sum + estimateTextTokens(JSON.stringify(spec)), estimateTextTokens(instructions));
