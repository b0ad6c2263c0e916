/** Builds one model request from a run: its settings, its history, and the tools offered to its model. */

import type { SessionSource } from "../../protocol/policy.ts";
import { usualTier } from "../../protocol/settings.ts";
import { estimateTextTokens } from "../context/tokens.ts";
import type { ModelItem, ModelRequest, RequestMetadata, ToolSpec } from "../ports/model-client.ts";
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
    const found = source.tools(offer, turn.signal);
    for (const tool of found instanceof Promise ? await found : found) {
      const key = `${tool.namespace ?? ""}/${tool.name}`;
      if (!offered.has(key) && run.offers(tool)) offered.set(key, tool);
    }
  }
  return [...offered.values()];
}

export function requestFor(
  run: Run,
  tools: readonly Tool[],
  input: readonly ModelItem[],
  kind: RequestMetadata["kind"] = "turn",
): ModelRequest {
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
    metadata: metadataOf(run, kind),
  };
}

function metadataOf({ turn, settings, history, aside }: Run, kind: RequestMetadata["kind"]): RequestMetadata {
  const { id, meta } = turn.thread;
  return {
    kind,
    sessionId: meta.sessionId ?? id,
    threadId: aside?.id ?? id,
    parentThreadId: aside === undefined ? meta.parentThreadId : id,
    forkedFromId: aside === undefined ? meta.forkedFromId : undefined,
    subAgent: aside?.kind ?? subAgentOf(meta.source),
    threadSource: aside === undefined ? meta.threadSource : "subagent",
    window: history.window,
    sandboxMode: sandboxModes[settings.sandboxPolicy.type],
    startedAtMs: turn.startedAtMs,
    ofClient: turn.clientMetadata,
  };
}

const sandboxModes = {
  readOnly: "read-only",
  workspaceWrite: "workspace-write",
  dangerFullAccess: "danger-full-access",
  externalSandbox: "external-sandbox",
} as const;

function subAgentOf(source: SessionSource): string | undefined {
  if (typeof source === "string" || !("subAgent" in source)) return undefined;
  const { subAgent } = source;
  if (typeof subAgent === "string") return subAgent;
  return "other" in subAgent ? subAgent.other : "thread_spawn";
}

const fixedTokens = (instructions: string, specs: readonly ToolSpec[]): number =>
  specs.reduce((sum, spec) => sum + specTokens(spec), estimateTextTokens(instructions));

/** Counted once for each tool. */
const tokensOfSpecs = new WeakMap<ToolSpec, number>();

function specTokens(spec: ToolSpec): number {
  const known = tokensOfSpecs.get(spec);
  if (known !== undefined) return known;
  const tokens = estimateTextTokens(JSON.stringify(spec));
  tokensOfSpecs.set(spec, tokens);
  return tokens;
}
