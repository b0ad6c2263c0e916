/** Reading and writing settings, and the origin of each. Implemented in server/config.ts. */
import {
  array,
  boolean,
  type Infer,
  literals,
  maybe,
  named,
  natural,
  object,
  optional,
  record,
  string,
  union,
  unknown,
} from "../lib/schema.ts";
import { ConfigRequirements } from "./config-requirements.ts";
import { Config } from "./config-value.ts";
import { byConfig, Empty, notification, request } from "./define.ts";
import { limitPath } from "./limits.ts";
import { AbsolutePathBuf } from "./policy.ts";

export const ConfigReadParams = named("ConfigReadParams", () => object({ cwd: maybe(string()), includeLayers: optional(boolean()) }));
export type ConfigReadParams = Infer<typeof ConfigReadParams>;

export const ConfigReadResponse = named("ConfigReadResponse", () =>
  object({ config: Config(), origins: record(ConfigLayerMetadata()), layers: maybe(array(ConfigLayer())) }),
);
export type ConfigReadResponse = Infer<typeof ConfigReadResponse>;

export const ConfigValueWriteParams = named("ConfigValueWriteParams", () =>
  object({
    keyPath: string(),
    mergeStrategy: MergeStrategy(),
    value: unknown(),
    expectedVersion: maybe(string()),
    filePath: maybe(string()),
  }),
);
export type ConfigValueWriteParams = Infer<typeof ConfigValueWriteParams>;

export const ConfigWriteResponse = named("ConfigWriteResponse", () =>
  object({ filePath: AbsolutePathBuf(), status: WriteStatus(), version: string(), overriddenMetadata: maybe(OverriddenMetadata()) }),
);
export type ConfigWriteResponse = Infer<typeof ConfigWriteResponse>;

export const ConfigBatchWriteParams = named("ConfigBatchWriteParams", () =>
  object({
    edits: array(ConfigEdit()),
    expectedVersion: maybe(string()),
    filePath: maybe(string()),
    reloadUserConfig: optional(boolean()),
  }),
);
export type ConfigBatchWriteParams = Infer<typeof ConfigBatchWriteParams>;

export const ConfigRequirementsReadResponse = named("ConfigRequirementsReadResponse", () =>
  object({ requirements: maybe(ConfigRequirements()), supportsIndependentSpeedModes: maybe(boolean()) }),
);
export type ConfigRequirementsReadResponse = Infer<typeof ConfigRequirementsReadResponse>;

export const McpServerRefreshResponse = named("McpServerRefreshResponse", () => object({}));
export type McpServerRefreshResponse = Infer<typeof McpServerRefreshResponse>;

export const ExperimentalFeatureListParams = named("ExperimentalFeatureListParams", () =>
  object({ cursor: maybe(string()), limit: maybe(natural()), threadId: maybe(string()) }),
);
export type ExperimentalFeatureListParams = Infer<typeof ExperimentalFeatureListParams>;

export const ExperimentalFeatureListResponse = named("ExperimentalFeatureListResponse", () =>
  object({ data: array(ExperimentalFeature()), nextCursor: maybe(string()) }),
);
export type ExperimentalFeatureListResponse = Infer<typeof ExperimentalFeatureListResponse>;

export const ExperimentalFeatureEnablementSetParams = named("ExperimentalFeatureEnablementSetParams", () =>
  object({ enablement: record(boolean()) }),
);
export type ExperimentalFeatureEnablementSetParams = Infer<typeof ExperimentalFeatureEnablementSetParams>;

export const ExperimentalFeatureEnablementSetResponse = named("ExperimentalFeatureEnablementSetResponse", () =>
  object({ enablement: record(boolean()) }),
);
export type ExperimentalFeatureEnablementSetResponse = Infer<typeof ExperimentalFeatureEnablementSetResponse>;

export const PermissionProfileListParams = named("PermissionProfileListParams", () =>
  object({ cursor: maybe(string()), cwd: maybe(string()), limit: maybe(natural()) }),
);
export type PermissionProfileListParams = Infer<typeof PermissionProfileListParams>;

export const PermissionProfileListResponse = named("PermissionProfileListResponse", () =>
  object({ data: array(PermissionProfileSummary()), nextCursor: maybe(string()) }),
);
export type PermissionProfileListResponse = Infer<typeof PermissionProfileListResponse>;

export const ConfigWarningNotification = named("ConfigWarningNotification", () =>
  object({ summary: string(), details: maybe(string()), path: maybe(string()), range: maybe(TextRange()) }),
);
export type ConfigWarningNotification = Infer<typeof ConfigWarningNotification>;

export const ConfigLayer = named("ConfigLayer", () =>
  object({ config: unknown(), name: ConfigLayerSource(), version: string(), disabledReason: maybe(string()) }),
);
export type ConfigLayer = Infer<typeof ConfigLayer>;

export const ConfigLayerMetadata = named("ConfigLayerMetadata", () => object({ name: ConfigLayerSource(), version: string() }));
export type ConfigLayerMetadata = Infer<typeof ConfigLayerMetadata>;

export const MergeStrategy = named("MergeStrategy", () => literals("replace", "upsert"));
export type MergeStrategy = Infer<typeof MergeStrategy>;

export const OverriddenMetadata = named("OverriddenMetadata", () =>
  object({ effectiveValue: unknown(), message: string(), overridingLayer: ConfigLayerMetadata() }),
);
export type OverriddenMetadata = Infer<typeof OverriddenMetadata>;

export const WriteStatus = named("WriteStatus", () => literals("ok", "okOverridden"));
export type WriteStatus = Infer<typeof WriteStatus>;

export const ConfigEdit = named("ConfigEdit", () => object({ keyPath: string(), mergeStrategy: MergeStrategy(), value: unknown() }));
export type ConfigEdit = Infer<typeof ConfigEdit>;

export const ExperimentalFeature = named("ExperimentalFeature", () =>
  object({
    defaultEnabled: boolean(),
    enabled: boolean(),
    name: string(),
    stage: ExperimentalFeatureStage(),
    announcement: maybe(string()),
    description: maybe(string()),
    displayName: maybe(string()),
  }),
);
export type ExperimentalFeature = Infer<typeof ExperimentalFeature>;

export const PermissionProfileSummary = named("PermissionProfileSummary", () =>
  object({ allowed: boolean(), id: string(), description: maybe(string()) }),
);
export type PermissionProfileSummary = Infer<typeof PermissionProfileSummary>;

export const TextRange = named("TextRange", () => object({ end: TextPosition(), start: TextPosition() }));
export type TextRange = Infer<typeof TextRange>;

export const ConfigLayerSource = named("ConfigLayerSource", () =>
  union([
    object({ type: literals("packagedDefaults"), file: AbsolutePathBuf() }),
    object({ type: literals("mdm"), domain: string(), key: string() }),
    object({ type: literals("system"), file: AbsolutePathBuf() }),
    object({ type: literals("enterpriseManaged"), id: string(), name: string() }),
    object({ type: literals("user"), file: AbsolutePathBuf(), profile: maybe(string()) }),
    object({ type: literals("project"), dotCodexFolder: AbsolutePathBuf() }),
    object({ type: literals("sessionFlags") }),
    object({ type: literals("legacyManagedConfigTomlFromFile"), file: AbsolutePathBuf() }),
    object({ type: literals("legacyManagedConfigTomlFromMdm") }),
  ]),
);
export type ConfigLayerSource = Infer<typeof ConfigLayerSource>;

export const ExperimentalFeatureStage = named("ExperimentalFeatureStage", () =>
  literals("beta", "underDevelopment", "stable", "deprecated", "removed"),
);
export type ExperimentalFeatureStage = Infer<typeof ExperimentalFeatureStage>;

export const TextPosition = named("TextPosition", () => object({ column: natural(), line: natural() }));
export type TextPosition = Infer<typeof TextPosition>;

export const configRequests = {
  /** Returns the current settings, on request with their origins and layers. */
  "config/read": request({ params: ConfigReadParams, result: ConfigReadResponse, limits: ({ cwd }) => limitPath("cwd", cwd) }),
  /** Writes one setting to the user's file. */
  "config/value/write": request({
    params: ConfigValueWriteParams,
    result: ConfigWriteResponse,
    order: byConfig,
    limits: ({ filePath }) => limitPath("filePath", filePath),
  }),
  /** Writes several settings at once, all or none. */
  "config/batchWrite": request({
    params: ConfigBatchWriteParams,
    result: ConfigWriteResponse,
    order: byConfig,
    limits: ({ filePath }) => limitPath("filePath", filePath),
  }),
  /** Returns what an administrator allows. */
  "configRequirements/read": request({ params: Empty, result: ConfigRequirementsReadResponse }),
  /** Reloads the MCP servers' settings; each thread uses them from its next turn on. */
  "config/mcpServer/reload": request({ params: Empty, result: McpServerRefreshResponse, order: byConfig }),
  /** Lists the features that can be enabled and disabled. */
  "experimentalFeature/list": request({ params: ExperimentalFeatureListParams, result: ExperimentalFeatureListResponse }),
  /** Enables and disables features in this server, until it exits. */
  "experimentalFeature/enablement/set": request({
    params: ExperimentalFeatureEnablementSetParams,
    result: ExperimentalFeatureEnablementSetResponse,
    order: byConfig,
  }),
  /** Lists the named permission profiles. */
  "permissionProfile/list": request({ params: PermissionProfileListParams, result: PermissionProfileListResponse }),
};

export const configNotifications = {
  /** A settings file contains something that cannot be used. */
  configWarning: notification(ConfigWarningNotification),
};
