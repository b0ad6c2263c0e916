/** `model/list`, `collaborationMode/list` and `modelProvider/capabilities/read`. */
import { setTimeout as delay } from "node:timers/promises";
import type { ModelInfo } from "../core/ports/model-client.ts";
import type { Model, modelRequests } from "../protocol/model.ts";
import { type HandlersFor, isOlder, type Session } from "./app.ts";
import { page } from "./page.ts";

/** The models of a provider that takes longer are listed the next time. */
const patienceMs = 300;

export const modelHandlers: HandlersFor<typeof modelRequests> = {
  async "model/list"({ cursor, limit, includeHidden }, { app, session }) {
    await Promise.race([app.catalog.refresh(), delay(patienceMs, undefined, { ref: false })]);
    const models = app.catalog.list().filter((model) => includeHidden === true || !model.hidden);
    return page(
      models.map((model) => wireModel(model, hasClosedEfforts(session))),
      cursor,
      limit,
    );
  },
  /** Older clients' modes (code, pair_programming, execute, custom) are accepted by `turn/start` and mean Default; pairing may also ask questions. */
  "collaborationMode/list"(_params, { app }) {
    const effort = app.config.effective(process.cwd()).raw["plan_mode_reasoning_effort"];
    return {
      data: [
        { name: "Plan", mode: "plan", model: null, reasoning_effort: typeof effort === "string" ? effort : "medium" },
        { name: "Default", mode: "default", model: null, reasoning_effort: null },
      ],
    };
  },
  "modelProvider/capabilities/read"(_params, { app }) {
    const { providers, modelProvider } = app.config.effective(process.cwd());
    return { imageGeneration: false, webSearch: providers[modelProvider]?.wireApi === "responses" };
  },
};

/** A model without configurable effort is listed with the one it always uses. */
const fixedEffort = { effort: "none", description: "Answers without a thinking phase that could be set." };

/** Until recently, Codex's own clients read efforts as a closed list: an unknown one makes them crash at startup. */
function hasClosedEfforts(session: Session): boolean {
  const { name, version } = session.client;
  const [, minor] = /^0\.(\d+)\./.exec(version) ?? [];
  return isOlder(session) || (name.startsWith("codex") && minor !== undefined && Number(minor) < 166);
}

/** The efforts that the documents' generation knows. */
const olderEfforts = new Set(["none", "minimal", "low", "medium", "high", "xhigh"]);

function wireModel(model: ModelInfo, forOlder: boolean): Model {
  const known = model.efforts.filter(({ effort }) => !forOlder || olderEfforts.has(effort));
  const efforts = known.length > 0 ? known : [fixedEffort];
  return {
    id: model.id,
    model: model.id,
    upgrade: model.upgrade ?? null,
    upgradeInfo: model.upgrade === undefined ? null : { model: model.upgrade },
    displayName: model.displayName,
    description: model.description,
    hidden: model.hidden,
    supportedReasoningEfforts: efforts.map(({ effort, description }) => ({ reasoningEffort: effort, description })),
    defaultReasoningEffort:
      efforts.find(({ effort }) => effort === model.defaultEffort)?.effort ?? efforts[0]?.effort ?? fixedEffort.effort,
    inputModalities: model.supportsImages ? ["text", "image"] : ["text"],
    supportsPersonality: true,
    additionalSpeedTiers: [],
    serviceTiers: (model.serviceTiers ?? []).map((tier) => ({ ...tier })),
    defaultServiceTier: model.defaultServiceTier ?? null,
    isDefault: model.isDefault,
  };
}
