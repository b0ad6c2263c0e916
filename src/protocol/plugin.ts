/** Plugins: folders that bring skills, MCP servers and hooks along, and the marketplaces that list them. Mirrored by server/plugin.ts. */
import { array, boolean, type Infer, integer, literals, maybe, named, object, optional, string, union } from "../lib/schema.ts";
import { request } from "./define.ts";
import { AbsolutePathBuf } from "./policy.ts";

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

export const pluginRequests = {
  /** The plugins at hand, by marketplace. */
  "plugin/list": request({ params: PluginListParams, result: PluginListResponse }),
};
