/** `model/list`, `collaborationMode/list` and `modelProvider/capabilities/read`. */
import type { ModelInfo } from "../core/ports/model-client.ts";
import type { Model, modelRequests } from "../protocol/model.ts";
import type { HandlersFor } from "./app.ts";
import { page } from "./page.ts";

export const modelHandlers: HandlersFor<typeof modelRequests> = {
  "model/list"({ cursor, limit, includeHidden }, { app }) {
    const models = app.catalog.list().filter((model) => includeHidden === true || !model.hidden);
    return page(models.map(wireModel), cursor, limit);
  },
  /** Older clients' modes (code, pair_programming, execute, custom) are accepted by `turn/start` and mean Default. */
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

/** A model that takes no effort is listed with the one it always uses. */
const fixedEffort = { effort: "none", description: "Answers without a thinking phase that could be set." };

function wireModel(model: ModelInfo): Model {
  const efforts = model.efforts.length > 0 ? model.efforts : [fixedEffort];
  return {
    id: model.id,
    model: model.id,
    upgrade: model.upgrade ?? null,
    upgradeInfo: model.upgrade === undefined ? null : { model: model.upgrade },
    displayName: model.displayName,
    description: model.description,
    hidden: model.hidden,
    supportedReasoningEfforts: efforts.map(({ effort, description }) => ({ reasoningEffort: effort, description })),
    defaultReasoningEffort: model.defaultEffort ?? efforts[0]?.effort ?? fixedEffort.effort,
    inputModalities: model.supportsImages ? ["text", "image"] : ["text"],
    supportsPersonality: true,
    additionalSpeedTiers: [],
    serviceTiers: (model.serviceTiers ?? []).map((tier) => ({ ...tier })),
    defaultServiceTier: model.defaultServiceTier ?? null,
    isDefault: model.isDefault,
  };
}
