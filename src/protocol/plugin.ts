/** Plugins: folders that contain skills, MCP servers and hooks, and the marketplaces that list them. Implemented in server/plugin.ts. */
import { array, boolean, type Infer, integer, literals, maybe, named, natural, object, optional, string, union } from "../lib/schema.ts";
import { byConfig, request } from "./define.ts";
import { HookEventName } from "./hooks.ts";
import { LegacyAppPathString } from "./item.ts";
import { limitAbsolutePath } from "./limits.ts";
import { AbsolutePathBuf } from "./policy.ts";
import { SkillInterface } from "./skills.ts";

export const PluginListParams = named("PluginListParams", () =>
  object({
    cwds: maybe(array(AbsolutePathBuf())),
    forceRefetch: optional(boolean()),
    marketplaceKinds: maybe(array(PluginListMarketplaceKind())),
  }),
);
export type PluginListParams = Infer<typeof PluginListParams>;

export const PluginListResponse = named("PluginListResponse", () =>
  object({
    marketplaces: array(PluginMarketplaceEntry()),
    featuredPluginIds: optional(array(string())),
    marketplaceLoadErrors: optional(array(MarketplaceLoadErrorInfo())),
  }),
);
export type PluginListResponse = Infer<typeof PluginListResponse>;

export const PluginListMarketplaceKind = named("PluginListMarketplaceKind", () =>
  literals("local", "vertical", "workspace-directory", "shared-with-me", "created-by-me-remote"),
);
export type PluginListMarketplaceKind = Infer<typeof PluginListMarketplaceKind>;

export const MarketplaceLoadErrorInfo = named("MarketplaceLoadErrorInfo", () =>
  object({ marketplacePath: AbsolutePathBuf(), message: string() }),
);
export type MarketplaceLoadErrorInfo = Infer<typeof MarketplaceLoadErrorInfo>;

export const PluginMarketplaceEntry = named("PluginMarketplaceEntry", () =>
  object({ name: string(), plugins: array(PluginSummary()), interface: maybe(MarketplaceInterface()), path: maybe(AbsolutePathBuf()) }),
);
export type PluginMarketplaceEntry = Infer<typeof PluginMarketplaceEntry>;

export const MarketplaceInterface = named("MarketplaceInterface", () => object({ displayName: maybe(string()) }));
export type MarketplaceInterface = Infer<typeof MarketplaceInterface>;

export const PluginSummary = named("PluginSummary", () =>
  object({
    authPolicy: PluginAuthPolicy(),
    enabled: boolean(),
    id: string(),
    installPolicy: PluginInstallPolicy(),
    installed: boolean(),
    name: string(),
    source: PluginSource(),
    availability: optional(PluginAvailability()),
    disabledReason: maybe(PluginDisabledReason()),
    eligiblePlanTypes: maybe(array(string())),
    installPolicySource: maybe(PluginInstallPolicySource()),
    installedAt: maybe(integer()),
    interface: maybe(PluginInterface()),
    keywords: optional(array(string())),
    localVersion: maybe(string()),
    mustShowInstallationInterstitial: maybe(boolean()),
    remotePluginId: maybe(string()),
    shareContext: maybe(PluginShareContext()),
    version: maybe(string()),
  }),
);
export type PluginSummary = Infer<typeof PluginSummary>;

export const PluginAuthPolicy = named("PluginAuthPolicy", () => literals("ON_INSTALL", "ON_USE"));
export type PluginAuthPolicy = Infer<typeof PluginAuthPolicy>;

export const PluginAvailability = named("PluginAvailability", () => literals("DISABLED_BY_ADMIN", "AVAILABLE"));
export type PluginAvailability = Infer<typeof PluginAvailability>;

export const PluginDisabledReason = named("PluginDisabledReason", () =>
  literals("disabled_by_admin", "plan_not_eligible", "required_app_unavailable", "unknown"),
);
export type PluginDisabledReason = Infer<typeof PluginDisabledReason>;

export const PluginInstallPolicy = named("PluginInstallPolicy", () => literals("NOT_AVAILABLE", "AVAILABLE", "INSTALLED_BY_DEFAULT"));
export type PluginInstallPolicy = Infer<typeof PluginInstallPolicy>;

export const PluginInstallPolicySource = named("PluginInstallPolicySource", () => literals("WORKSPACE_SETTING", "IMPLICIT_CANONICAL_APP"));
export type PluginInstallPolicySource = Infer<typeof PluginInstallPolicySource>;

export const PluginInterface = named("PluginInterface", () =>
  object({
    capabilities: array(string()),
    screenshotUrls: array(string()),
    screenshots: array(AbsolutePathBuf()),
    brandColor: maybe(string()),
    category: maybe(string()),
    composerIcon: maybe(AbsolutePathBuf()),
    composerIconUrl: maybe(string()),
    defaultPrompt: maybe(array(string())),
    developerName: maybe(string()),
    displayName: maybe(string()),
    logo: maybe(AbsolutePathBuf()),
    logoDark: maybe(AbsolutePathBuf()),
    logoUrl: maybe(string()),
    logoUrlDark: maybe(string()),
    longDescription: maybe(string()),
    privacyPolicyUrl: maybe(string()),
    shortDescription: maybe(string()),
    termsOfServiceUrl: maybe(string()),
    websiteUrl: maybe(string()),
  }),
);
export type PluginInterface = Infer<typeof PluginInterface>;

export const PluginShareContext = named("PluginShareContext", () =>
  object({
    remotePluginId: string(),
    canPublishToWorkspace: maybe(boolean()),
    creatorAccountUserId: maybe(string()),
    creatorName: maybe(string()),
    discoverability: maybe(PluginShareDiscoverability()),
    remoteVersion: maybe(string()),
    sharePrincipals: maybe(array(PluginSharePrincipal())),
    shareUrl: maybe(string()),
  }),
);
export type PluginShareContext = Infer<typeof PluginShareContext>;

export const PluginSource = named("PluginSource", () =>
  union([
    object({ type: literals("local"), path: AbsolutePathBuf() }),
    object({ type: literals("git"), url: string(), path: maybe(string()), refName: maybe(string()), sha: maybe(string()) }),
    object({ type: literals("npm"), package: string(), registry: maybe(string()), version: maybe(string()) }),
    object({ type: literals("remote") }),
  ]),
);
export type PluginSource = Infer<typeof PluginSource>;

export const PluginShareDiscoverability = named("PluginShareDiscoverability", () => literals("LISTED", "UNLISTED", "PRIVATE"));
export type PluginShareDiscoverability = Infer<typeof PluginShareDiscoverability>;

export const PluginSharePrincipal = named("PluginSharePrincipal", () =>
  object({ name: string(), principalId: string(), principalType: PluginSharePrincipalType(), role: PluginSharePrincipalRole() }),
);
export type PluginSharePrincipal = Infer<typeof PluginSharePrincipal>;

export const PluginSharePrincipalType = named("PluginSharePrincipalType", () => literals("user", "group", "workspace"));
export type PluginSharePrincipalType = Infer<typeof PluginSharePrincipalType>;

export const PluginSharePrincipalRole = named("PluginSharePrincipalRole", () => literals("reader", "editor", "owner"));
export type PluginSharePrincipalRole = Infer<typeof PluginSharePrincipalRole>;

export const PluginInstalledParams = named("PluginInstalledParams", () =>
  object({ cwds: maybe(array(AbsolutePathBuf())), installSuggestionPluginNames: maybe(array(string())) }),
);
export type PluginInstalledParams = Infer<typeof PluginInstalledParams>;

export const PluginInstalledResponse = named("PluginInstalledResponse", () =>
  object({ marketplaces: array(PluginMarketplaceEntry()), marketplaceLoadErrors: optional(array(MarketplaceLoadErrorInfo())) }),
);
export type PluginInstalledResponse = Infer<typeof PluginInstalledResponse>;

export const PluginReadParams = named("PluginReadParams", () =>
  object({ pluginName: string(), marketplacePath: maybe(AbsolutePathBuf()), remoteMarketplaceName: maybe(string()) }),
);
export type PluginReadParams = Infer<typeof PluginReadParams>;

export const PluginReadResponse = named("PluginReadResponse", () => object({ plugin: PluginDetail() }));
export type PluginReadResponse = Infer<typeof PluginReadResponse>;

export const PluginDetail = named("PluginDetail", () =>
  object({
    appTemplates: array(AppTemplateSummary()),
    apps: array(AppSummary()),
    hooks: array(PluginHookSummary()),
    marketplaceName: string(),
    mcpServers: array(string()),
    skills: array(SkillSummary()),
    summary: PluginSummary(),
    description: maybe(string()),
    marketplacePath: maybe(AbsolutePathBuf()),
    onboardingSkill: maybe(SkillSummary()),
    scheduledTasks: maybe(array(ScheduledTaskSummary())),
    shareUrl: maybe(string()),
  }),
);
export type PluginDetail = Infer<typeof PluginDetail>;

export const PluginHookSummary = named("PluginHookSummary", () => object({ eventName: HookEventName(), key: string() }));
export type PluginHookSummary = Infer<typeof PluginHookSummary>;

export const SkillSummary = named("SkillSummary", () =>
  object({
    description: string(),
    enabled: boolean(),
    name: string(),
    interface: maybe(SkillInterface()),
    path: maybe(LegacyAppPathString()),
    shortDescription: maybe(string()),
  }),
);
export type SkillSummary = Infer<typeof SkillSummary>;

export const AppSummary = named("AppSummary", () =>
  object({ id: string(), name: string(), category: maybe(string()), description: maybe(string()), installUrl: maybe(string()) }),
);
export type AppSummary = Infer<typeof AppSummary>;

export const AppTemplateSummary = named("AppTemplateSummary", () =>
  object({
    materializedAppIds: array(string()),
    name: string(),
    templateId: string(),
    canonicalConnectorId: maybe(string()),
    category: maybe(string()),
    description: maybe(string()),
    logoUrl: maybe(string()),
    logoUrlDark: maybe(string()),
    reason: maybe(AppTemplateUnavailableReason()),
  }),
);
export type AppTemplateSummary = Infer<typeof AppTemplateSummary>;

export const AppTemplateUnavailableReason = named("AppTemplateUnavailableReason", () =>
  literals("NOT_CONFIGURED_FOR_WORKSPACE", "NO_ACTIVE_WORKSPACE"),
);
export type AppTemplateUnavailableReason = Infer<typeof AppTemplateUnavailableReason>;

export const ScheduledTaskSummary = named("ScheduledTaskSummary", () =>
  object({ key: string(), name: string(), prompt: string(), schedule: ScheduledTaskSchedule() }),
);
export type ScheduledTaskSummary = Infer<typeof ScheduledTaskSummary>;

export const ScheduledTaskSchedule = named("ScheduledTaskSchedule", () =>
  union([
    object({ type: literals("hourly"), intervalHours: natural(), days: maybe(array(ScheduledTaskWeekday())) }),
    object({ type: literals("daily"), time: string() }),
    object({ type: literals("weekdays"), time: string() }),
    object({ type: literals("weekly"), days: array(ScheduledTaskWeekday()), time: string() }),
  ]),
);
export type ScheduledTaskSchedule = Infer<typeof ScheduledTaskSchedule>;

export const ScheduledTaskWeekday = named("ScheduledTaskWeekday", () => literals("MO", "TU", "WE", "TH", "FR", "SA", "SU"));
export type ScheduledTaskWeekday = Infer<typeof ScheduledTaskWeekday>;

export const PluginReconcileParams = named("PluginReconcileParams", () => object({ reason: maybe(string()) }));
export type PluginReconcileParams = Infer<typeof PluginReconcileParams>;

export const PluginReconcileResponse = named("PluginReconcileResponse", () =>
  object({
    changedPlugins: array(PluginReconcileChangedPlugin()),
    failedMaterializationRemotePluginIds: array(string()),
    failedRemotePluginIds: array(string()),
  }),
);
export type PluginReconcileResponse = Infer<typeof PluginReconcileResponse>;

export const PluginReconcileChangedPlugin = named("PluginReconcileChangedPlugin", () =>
  object({ hasApps: boolean(), hasHooks: boolean(), hasMcps: boolean(), hasSkills: boolean(), id: string() }),
);
export type PluginReconcileChangedPlugin = Infer<typeof PluginReconcileChangedPlugin>;

export const PluginSearchParams = named("PluginSearchParams", () =>
  object({
    searchTerm: string(),
    cursor: maybe(string()),
    cwds: maybe(array(AbsolutePathBuf())),
    limit: maybe(natural()),
    scope: maybe(PluginSearchScope()),
  }),
);
export type PluginSearchParams = Infer<typeof PluginSearchParams>;

export const PluginSearchResponse = named("PluginSearchResponse", () =>
  object({ data: array(PluginSearchResult()), nextCursor: maybe(string()) }),
);
export type PluginSearchResponse = Infer<typeof PluginSearchResponse>;

export const PluginSearchResult = named("PluginSearchResult", () =>
  object({ marketplaceName: string(), plugin: PluginSummary(), marketplacePath: maybe(AbsolutePathBuf()) }),
);
export type PluginSearchResult = Infer<typeof PluginSearchResult>;

export const PluginSearchScope = named("PluginSearchScope", () => literals("global", "workspace", "personal"));
export type PluginSearchScope = Infer<typeof PluginSearchScope>;

export const PluginInstallParams = named("PluginInstallParams", () =>
  object({
    pluginName: string(),
    installAttemptId: maybe(string()),
    marketplacePath: maybe(AbsolutePathBuf()),
    remoteMarketplaceName: maybe(string()),
  }),
);
export type PluginInstallParams = Infer<typeof PluginInstallParams>;

export const PluginInstallResponse = named("PluginInstallResponse", () =>
  object({ appsNeedingAuth: array(AppSummary()), authPolicy: PluginAuthPolicy() }),
);
export type PluginInstallResponse = Infer<typeof PluginInstallResponse>;

export const PluginUninstallParams = named("PluginUninstallParams", () => object({ pluginId: string() }));
export type PluginUninstallParams = Infer<typeof PluginUninstallParams>;

export const PluginUninstallResponse = named("PluginUninstallResponse", () => object({}));
export type PluginUninstallResponse = Infer<typeof PluginUninstallResponse>;

export const pluginRequests = {
  /** Lists the available plugins, by marketplace. */
  "plugin/list": request({ params: PluginListParams, result: PluginListResponse, limits: absoluteFolders }),
  /** Lists the installed plugins. */
  "plugin/installed": request({ params: PluginInstalledParams, result: PluginInstalledResponse, limits: absoluteFolders }),
  /** Returns what one plugin contains. */
  "plugin/read": request({ params: PluginReadParams, result: PluginReadResponse }),
  /** Installs a plugin of a marketplace, enables it and accepts its content. */
  "plugin/install": request({
    params: PluginInstallParams,
    result: PluginInstallResponse,
    order: byConfig,
    noEffect: { installAttemptId: "no statistics are kept of attempts" },
  }),
  /** Synchronizes installed plugins with the vendor's service, which this server does not have: nothing changes. */
  "plugin/reconcile": request({
    params: PluginReconcileParams,
    result: PluginReconcileResponse,
    order: byConfig,
    noEffect: { reason: "there is no vendor's service to bring plugins in step with" },
  }),
  /** Finds plugins of the available marketplaces by name, title, description or keywords. */
  "plugin/search": request({ params: PluginSearchParams, result: PluginSearchResponse, experimental: true, limits: absoluteFolders }),
  /** Removes a plugin from the home and the settings. */
  "plugin/uninstall": request({ params: PluginUninstallParams, result: PluginUninstallResponse, order: byConfig }),
};

function absoluteFolders({ cwds }: { readonly cwds?: readonly string[] | null | undefined }): void {
  for (const cwd of cwds ?? []) limitAbsolutePath("cwds", cwd);
}
