/** Models and the modes they work in. Implemented in server/model.ts and models/catalog.ts. */
import { array, boolean, type Infer, integer, literals, maybe, named, natural, nullable, object, optional, string } from "../lib/schema.ts";
import { request } from "./define.ts";
import { ModeKind, ReasoningEffort } from "./policy.ts";
import { CyberAccessProgram } from "./turn.ts";

export const ModelListParams = named("ModelListParams", () =>
  object({ cursor: maybe(string()), includeHidden: maybe(boolean()), limit: maybe(natural()) }),
);
export type ModelListParams = Infer<typeof ModelListParams>;

export const ModelListResponse = named("ModelListResponse", () => object({ data: array(Model()), nextCursor: maybe(string()) }));
export type ModelListResponse = Infer<typeof ModelListResponse>;

export const CollaborationModeListParams = named("CollaborationModeListParams", () => object({}));
export type CollaborationModeListParams = Infer<typeof CollaborationModeListParams>;

export const CollaborationModeListResponse = named("CollaborationModeListResponse", () => object({ data: array(CollaborationModeMask()) }));
export type CollaborationModeListResponse = Infer<typeof CollaborationModeListResponse>;

export const ModelProviderCapabilitiesReadParams = named("ModelProviderCapabilitiesReadParams", () => object({}));
export type ModelProviderCapabilitiesReadParams = Infer<typeof ModelProviderCapabilitiesReadParams>;

export const ModelProviderCapabilitiesReadResponse = named("ModelProviderCapabilitiesReadResponse", () =>
  object({ imageGeneration: boolean(), webSearch: boolean() }),
);
export type ModelProviderCapabilitiesReadResponse = Infer<typeof ModelProviderCapabilitiesReadResponse>;

export const Model = named("Model", () =>
  object({
    defaultReasoningEffort: ReasoningEffort(),
    description: string(),
    displayName: string(),
    hidden: boolean(),
    id: string(),
    isDefault: boolean(),
    model: string(),
    supportedReasoningEfforts: array(ReasoningEffortOption()),
    additionalSpeedTiers: optional(array(string())),
    availabilityNux: maybe(ModelAvailabilityNux()),
    availableAccessPrograms: maybe(ModelAccessPrograms()),
    defaultServiceTier: maybe(string()),
    inputModalities: optional(array(InputModality())),
    modelSpecialty: maybe(string()),
    multiAgentVersion: maybe(MultiAgentVersion()),
    serviceTiers: optional(array(ModelServiceTier())),
    supportsPersonality: optional(boolean()),
    upgrade: maybe(string()),
    upgradeInfo: maybe(ModelUpgradeInfo()),
  }),
);
export type Model = Infer<typeof Model>;

export const CollaborationModeMask = named("CollaborationModeMask", () =>
  object({ name: string(), mode: maybe(ModeKind()), model: maybe(string()), reasoning_effort: maybe(nullable(ReasoningEffort())) }),
);
export type CollaborationModeMask = Infer<typeof CollaborationModeMask>;

export const ModelAvailabilityNux = named("ModelAvailabilityNux", () => object({ message: string() }));
export type ModelAvailabilityNux = Infer<typeof ModelAvailabilityNux>;

export const ModelAccessPrograms = named("ModelAccessPrograms", () => object({ cyber: array(CyberAccessProgram()) }));
export type ModelAccessPrograms = Infer<typeof ModelAccessPrograms>;

export const InputModality = named("InputModality", () => literals("text", "image", "audio"));
export type InputModality = Infer<typeof InputModality>;

export const MultiAgentVersion = named("MultiAgentVersion", () => literals("disabled", "v1", "v2"));
export type MultiAgentVersion = Infer<typeof MultiAgentVersion>;

export const ModelServiceTier = named("ModelServiceTier", () => object({ description: string(), id: string(), name: string() }));
export type ModelServiceTier = Infer<typeof ModelServiceTier>;

export const ReasoningEffortOption = named("ReasoningEffortOption", () =>
  object({ description: string(), reasoningEffort: ReasoningEffort() }),
);
export type ReasoningEffortOption = Infer<typeof ReasoningEffortOption>;

export const ModelUpgradeInfo = named("ModelUpgradeInfo", () =>
  object({
    model: string(),
    migrationMarkdown: maybe(string()),
    modelLink: maybe(string()),
    retirementAt: maybe(integer()),
    upgradeCopy: maybe(string()),
  }),
);
export type ModelUpgradeInfo = Infer<typeof ModelUpgradeInfo>;

export const modelRequests = {
  /** Lists the available models, with their efforts. */
  "model/list": request({ params: ModelListParams, result: ModelListResponse }),
  /** Lists the available collaboration modes. */
  "collaborationMode/list": request({
    params: CollaborationModeListParams,
    result: CollaborationModeListResponse,
    experimental: true,
  }),
  /** Returns what the configured provider supports in addition to text. */
  "modelProvider/capabilities/read": request({
    params: ModelProviderCapabilitiesReadParams,
    result: ModelProviderCapabilitiesReadResponse,
  }),
};
