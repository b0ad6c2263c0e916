/** Accounts: who is signed in, and their usage. Implemented in server/account.ts and auth/. */
import {
  array,
  boolean,
  type Infer,
  integer,
  literals,
  maybe,
  named,
  nullable,
  object,
  optional,
  parse,
  record,
  string,
  union,
  unknown,
} from "../lib/schema.ts";
import { byAccount, Empty, notification, request } from "./define.ts";
import { renamed } from "./spellings.ts";

export const GetAccountParams = named("GetAccountParams", () => object({ refreshToken: optional(boolean()) }));
export type GetAccountParams = Infer<typeof GetAccountParams>;

export const GetAccountResponse = named("GetAccountResponse", () =>
  object({ requiresOpenaiAuth: boolean(), account: maybe(Account()), workspaceRouting: maybe(WorkspaceRouting()) }),
);
export type GetAccountResponse = Infer<typeof GetAccountResponse>;

export const LoginAccountParams = named("LoginAccountParams", () =>
  union([
    /**
     * With `check`, which Codex does not have, a key that the provider rejects is not stored. `provider`, an id of `account/provider/list`,
     * sets up that provider: with its key (empty if it needs none) and a default model, its usual one unless `model` names another.
     */
    object({
      type: literals("apiKey"),
      apiKey: string(),
      check: optional(boolean()),
      provider: optional(string()),
      model: optional(string()),
    }),
    object({
      type: literals("chatgpt"),
      appBrand: maybe(LoginAppBrand()),
      codexStreamlinedLogin: optional(boolean()),
      useHostedLoginSuccessPage: optional(boolean()),
    }),
    object({ type: literals("chatgptDeviceCode") }),
    object({ type: literals("chatgptAuthTokens"), accessToken: string(), chatgptAccountId: string(), chatgptPlanType: maybe(string()) }),
    object({ type: literals("amazonBedrock"), apiKey: string(), region: string() }),
    object({
      type: literals("amazonBedrockAccessKeys"),
      accessKeyId: string(),
      region: string(),
      secretAccessKey: string(),
      sessionToken: maybe(string()),
    }),
  ]),
);
export type LoginAccountParams = Infer<typeof LoginAccountParams>;

export const LoginAccountResponse = named("LoginAccountResponse", () =>
  union([
    /** `checked` is set if `check` was requested and done; engines that do not know it store the key unchecked. */
    object({ type: literals("apiKey"), checked: optional(boolean()), /** What was set up with `provider`. */ model: optional(string()) }),
    object({ type: literals("chatgpt"), authUrl: string(), loginId: string() }),
    object({ type: literals("chatgptDeviceCode"), loginId: string(), userCode: string(), verificationUrl: string() }),
    object({ type: literals("chatgptAuthTokens") }),
    object({ type: literals("amazonBedrock") }),
  ]),
);
export type LoginAccountResponse = Infer<typeof LoginAccountResponse>;

export const CancelLoginAccountParams = named("CancelLoginAccountParams", () => object({ loginId: string() }));
export type CancelLoginAccountParams = Infer<typeof CancelLoginAccountParams>;

export const CancelLoginAccountResponse = named("CancelLoginAccountResponse", () => object({ status: CancelLoginAccountStatus() }));
export type CancelLoginAccountResponse = Infer<typeof CancelLoginAccountResponse>;

export const LogoutAccountResponse = named("LogoutAccountResponse", () => object({}));
export type LogoutAccountResponse = Infer<typeof LogoutAccountResponse>;

export const GetAccountRateLimitsResponse = named("GetAccountRateLimitsResponse", () =>
  object({
    rateLimits: RateLimitSnapshot(),
    accountId: maybe(string()),
    ordinaryUsageAllowed: maybe(boolean()),
    rateLimitResetCredits: maybe(RateLimitResetCreditsSummary()),
    rateLimitUpsell: optional(unknown()),
    rateLimitsByLimitId: maybe(record(RateLimitSnapshot())),
  }),
);
export type GetAccountRateLimitsResponse = Infer<typeof GetAccountRateLimitsResponse>;

export const GetAccountTokenUsageParams = named("GetAccountTokenUsageParams", () => object({ threadId: maybe(string()) }));
export type GetAccountTokenUsageParams = Infer<typeof GetAccountTokenUsageParams>;

export const GetAccountTokenUsageResponse = named("GetAccountTokenUsageResponse", () =>
  object({
    summary: AccountTokenUsageSummary(),
    dailyUsageBuckets: maybe(array(AccountTokenUsageDailyBucket())),
    threadUsage: maybe(ThreadUsage()),
  }),
);
export type GetAccountTokenUsageResponse = Infer<typeof GetAccountTokenUsageResponse>;

export const BedrockCheckGovCloudRequirementsParams = named("BedrockCheckGovCloudRequirementsParams", () => object({}));
export type BedrockCheckGovCloudRequirementsParams = Infer<typeof BedrockCheckGovCloudRequirementsParams>;

export const BedrockCheckGovCloudRequirementsResponse = named("BedrockCheckGovCloudRequirementsResponse", () =>
  object({ isGovCloud: boolean(), shouldWarn: boolean() }),
);
export type BedrockCheckGovCloudRequirementsResponse = Infer<typeof BedrockCheckGovCloudRequirementsResponse>;

export const FeedbackUploadParams = named("FeedbackUploadParams", () =>
  object({
    classification: string(),
    extraLogFiles: maybe(array(string())),
    includeLogs: optional(boolean()),
    reason: maybe(string()),
    tags: maybe(record(string())),
    threadId: maybe(string()),
  }),
);
export type FeedbackUploadParams = Infer<typeof FeedbackUploadParams>;

export const FeedbackUploadResponse = named("FeedbackUploadResponse", () => object({ threadId: string(), promptHash: maybe(string()) }));
export type FeedbackUploadResponse = Infer<typeof FeedbackUploadResponse>;

export const ChatgptAuthTokensRefreshParams = named("ChatgptAuthTokensRefreshParams", () =>
  object({ reason: ChatgptAuthTokensRefreshReason(), previousAccountId: maybe(string()) }),
);
export type ChatgptAuthTokensRefreshParams = Infer<typeof ChatgptAuthTokensRefreshParams>;

export const ChatgptAuthTokensRefreshResponse = named("ChatgptAuthTokensRefreshResponse", () =>
  object({ accessToken: string(), chatgptAccountId: string(), chatgptPlanType: maybe(string()) }),
);
export type ChatgptAuthTokensRefreshResponse = Infer<typeof ChatgptAuthTokensRefreshResponse>;

export const AccountUpdatedNotification = named("AccountUpdatedNotification", () =>
  object({ authMode: maybe(AuthMode()), planType: maybe(PlanType()) }),
);
export type AccountUpdatedNotification = Infer<typeof AccountUpdatedNotification>;

export const AccountLoginCompletedNotification = named("AccountLoginCompletedNotification", () =>
  object({
    success: boolean(),
    error: maybe(string()),
    loginId: maybe(string()),
    onboardingEntrypoint: maybe(DesktopOnboardingEntrypoint()),
  }),
);
export type AccountLoginCompletedNotification = Infer<typeof AccountLoginCompletedNotification>;

export const AccountRateLimitsUpdatedNotification = named("AccountRateLimitsUpdatedNotification", () =>
  object({ rateLimits: RateLimitSnapshot() }),
);
export type AccountRateLimitsUpdatedNotification = Infer<typeof AccountRateLimitsUpdatedNotification>;

export const ProviderListParams = named("ProviderListParams", () =>
  object({
    /** The folder whose settings count for `model`; default: the server's own. */
    cwd: maybe(string()),
    /** Also look for model servers that run on this machine, which takes up to two seconds. */
    findLocal: maybe(boolean()),
  }),
);
export type ProviderListParams = Infer<typeof ProviderListParams>;

export const ProviderListResponse = named("ProviderListResponse", () =>
  object({
    data: array(ProviderChoice()),
    /** The model that a new thread runs if its start names none. */
    model: string(),
    /** Why no model would answer, and how to fix it; null if one is configured. */
    noModel: nullable(string()),
  }),
);
export type ProviderListResponse = Infer<typeof ProviderListResponse>;

/** A provider that `account/login/start` can set up. */
export const ProviderChoice = named("ProviderChoice", () =>
  object({
    id: string(),
    name: string(),
    /** Runs on this machine and is queried for its models. */
    isLocal: boolean(),
    needsKey: boolean(),
    /** The environment variable that may contain the key instead. */
    keyVariable: nullable(string()),
    /** The model it is set up with unless another is named. */
    model: nullable(string()),
    /** Has a key, stored or in the environment. */
    isSetUp: boolean(),
    /** Has a stored key, not only one in the environment. */
    hasStoredKey: boolean(),
    /** New threads use it. */
    isCurrent: boolean(),
    /** With `findLocal`: the models of a local server that answers; null for one that does not. */
    runningModels: maybe(array(string())),
  }),
);
export type ProviderChoice = Infer<typeof ProviderChoice>;

export const Account = named("Account", () =>
  union([
    object({ type: literals("apiKey") }),
    object({ type: literals("chatgpt"), email: nullable(string()), planType: PlanType(), workspaceName: maybe(string()) }),
    object({ type: literals("amazonBedrock"), usesCodexManagedCredentials: optional(boolean()) }),
    object({ type: literals("gcp") }),
  ]),
);
export type Account = Infer<typeof Account>;

export const WorkspaceRouting = named("WorkspaceRouting", () =>
  object({ accountRoutingOverride: AccountRoutingOverride(), backendOrigin: string(), chatgptAccountId: string() }),
);
export type WorkspaceRouting = Infer<typeof WorkspaceRouting>;

export const LoginAppBrand = named("LoginAppBrand", () => literals("codex", "chatgpt"));
export type LoginAppBrand = Infer<typeof LoginAppBrand>;

export const CancelLoginAccountStatus = named("CancelLoginAccountStatus", () => literals("canceled", "notFound"));
export type CancelLoginAccountStatus = Infer<typeof CancelLoginAccountStatus>;

export const RateLimitResetCreditsSummary = named("RateLimitResetCreditsSummary", () =>
  object({ availableCount: integer(), credits: maybe(array(RateLimitResetCredit())) }),
);
export type RateLimitResetCreditsSummary = Infer<typeof RateLimitResetCreditsSummary>;

export const RateLimitSnapshot = named("RateLimitSnapshot", () =>
  object({
    credits: maybe(CreditsSnapshot()),
    individualLimit: maybe(SpendControlLimitSnapshot()),
    limitId: maybe(string()),
    limitName: maybe(string()),
    normalModelSlug: maybe(string()),
    planType: maybe(PlanType()),
    primary: maybe(RateLimitWindow()),
    rateLimitReachedType: maybe(RateLimitReachedType()),
    secondary: maybe(RateLimitWindow()),
    spendControlReached: maybe(boolean()),
  }),
);
export type RateLimitSnapshot = Infer<typeof RateLimitSnapshot>;

export const AccountTokenUsageDailyBucket = named("AccountTokenUsageDailyBucket", () => object({ startDate: string(), tokens: integer() }));
export type AccountTokenUsageDailyBucket = Infer<typeof AccountTokenUsageDailyBucket>;

export const AccountTokenUsageSummary = named("AccountTokenUsageSummary", () =>
  object({
    currentStreakDays: maybe(integer()),
    lifetimeTokens: maybe(integer()),
    longestRunningTurnSec: maybe(integer()),
    longestStreakDays: maybe(integer()),
    peakDailyTokens: maybe(integer()),
  }),
);
export type AccountTokenUsageSummary = Infer<typeof AccountTokenUsageSummary>;

export const ThreadUsage = named("ThreadUsage", () =>
  object({
    estimatedUsageCreditsMicros: integer(),
    groups: array(ThreadUsageBreakdownGroup()),
    threadId: string(),
    estimatedUsageUsdMicros: maybe(integer()),
    nativeUsageUsdMicros: maybe(integer()),
  }),
);
export type ThreadUsage = Infer<typeof ThreadUsage>;

export const ChatgptAuthTokensRefreshReason = named("ChatgptAuthTokensRefreshReason", () => literals("unauthorized"));
export type ChatgptAuthTokensRefreshReason = Infer<typeof ChatgptAuthTokensRefreshReason>;

export const AuthMode = named("AuthMode", () =>
  literals(
    "apikey",
    "chatgpt",
    "chatgptAuthTokens",
    "headers",
    "agentIdentity",
    "personalAccessToken",
    "bedrockApiKey",
    "bedrockAccessKeys",
  ),
);
export type AuthMode = Infer<typeof AuthMode>;

export const PlanType = named("PlanType", () =>
  literals(
    "free",
    "go",
    "plus",
    "pro",
    "prolite",
    "promax",
    "team",
    "self_serve_business_prolite",
    "self_serve_business_usage_based",
    "business",
    "ent26",
    "enterprise_cbp_automation",
    "enterprise_cbp_usage_based",
    "enterprise",
    "edu",
    "edu_plus",
    "edu_pro",
    "sci",
    "sci_plus",
    "unknown",
  ),
);
export type PlanType = Infer<typeof PlanType>;
/** Plans come and go; one that the protocol has no name for is `unknown`. */
export const planTypeFrom = (plan: string): PlanType => parse(PlanType, plan.toLowerCase()) ?? "unknown";

export const DesktopOnboardingEntrypoint = named("DesktopOnboardingEntrypoint", () => literals("life_sciences"));
export type DesktopOnboardingEntrypoint = Infer<typeof DesktopOnboardingEntrypoint>;

export const AccountRoutingOverride = named("AccountRoutingOverride", () => literals("NO_CONSTRAINT", "us", "us_cr"));
export type AccountRoutingOverride = Infer<typeof AccountRoutingOverride>;

export const RateLimitResetCredit = named("RateLimitResetCredit", () =>
  object({
    grantedAt: integer(),
    id: string(),
    resetType: RateLimitResetType(),
    status: RateLimitResetCreditStatus(),
    description: maybe(string()),
    expiresAt: maybe(integer()),
    title: maybe(string()),
  }),
);
export type RateLimitResetCredit = Infer<typeof RateLimitResetCredit>;

export const CreditsSnapshot = named("CreditsSnapshot", () =>
  object({ hasCredits: boolean(), unlimited: boolean(), balance: maybe(string()) }),
);
export type CreditsSnapshot = Infer<typeof CreditsSnapshot>;

export const SpendControlLimitSnapshot = named("SpendControlLimitSnapshot", () =>
  object({ limit: string(), remainingPercent: integer(), resetsAt: integer(), used: string() }),
);
export type SpendControlLimitSnapshot = Infer<typeof SpendControlLimitSnapshot>;

export const RateLimitWindow = named("RateLimitWindow", () =>
  object({ usedPercent: integer(), resetsAt: maybe(integer()), windowDurationMins: maybe(integer()) }),
);
export type RateLimitWindow = Infer<typeof RateLimitWindow>;

export const RateLimitReachedType = named("RateLimitReachedType", () =>
  literals(
    "rate_limit_reached",
    "workspace_owner_credits_depleted",
    "workspace_member_credits_depleted",
    "workspace_owner_usage_limit_reached",
    "workspace_member_usage_limit_reached",
  ),
);
export type RateLimitReachedType = Infer<typeof RateLimitReachedType>;

export const ThreadUsageBreakdownGroup = named("ThreadUsageBreakdownGroup", () =>
  object({
    estimatedUsageCreditsMicros: integer(),
    cachedInputTokens: maybe(integer()),
    inputTokens: maybe(integer()),
    model: maybe(string()),
    netNewInputTokens: maybe(integer()),
    outputTokens: maybe(integer()),
    reasoningEffort: maybe(string()),
    speed: maybe(string()),
    totalTokens: maybe(integer()),
  }),
);
export type ThreadUsageBreakdownGroup = Infer<typeof ThreadUsageBreakdownGroup>;

export const RateLimitResetType = named("RateLimitResetType", () => literals("codexRateLimits", "unknown"));
export type RateLimitResetType = Infer<typeof RateLimitResetType>;

export const RateLimitResetCreditStatus = named("RateLimitResetCreditStatus", () =>
  literals("available", "redeeming", "redeemed", "unknown"),
);
export type RateLimitResetCreditStatus = Infer<typeof RateLimitResetCreditStatus>;

export const accountRequests = {
  /** Returns the current account, if any, and whether one is required. */
  "account/read": request({ params: GetAccountParams, result: GetAccountResponse }),
  /** Lists the model providers, and which of them are set up. */
  "account/provider/list": request({ params: ProviderListParams, result: ProviderListResponse }),
  /** Signs in: immediately with a key, or with a browser or a device code. */
  "account/login/start": request({ params: LoginAccountParams, result: LoginAccountResponse, order: byAccount }),
  /** Cancels a sign-in that is in progress. */
  "account/login/cancel": request({ params: CancelLoginAccountParams, result: CancelLoginAccountResponse, order: byAccount }),
  /** Signs out and removes the stored keys. */
  "account/logout": request({ params: Empty, result: LogoutAccountResponse, order: byAccount }),
  /** Returns how much of the plan's limits is used. */
  "account/rateLimits/read": request({ params: Empty, result: GetAccountRateLimitsResponse }),
  /** Returns the tokens used in total and by day. */
  "account/usage/read": request({ params: GetAccountTokenUsageParams, result: GetAccountTokenUsageResponse }),
  /** Returns whether the cloud in use has special requirements; it never has here. */
  "account/bedrock/checkGovCloudRequirements": request({
    params: BedrockCheckGovCloudRequirementsParams,
    result: BedrockCheckGovCloudRequirementsResponse,
    experimental: true,
  }),
  /** Stores a report on this machine; nothing is sent anywhere. */
  "feedback/upload": request({
    params: FeedbackUploadParams,
    result: FeedbackUploadResponse,
    accept: renamed("threadId", "conversation_id", "conversationId", "thread_id"),
  }),
};

export const accountServerRequests = {
  /** Requests fresh tokens from a client that manages the tokens itself. */
  "account/chatgptAuthTokens/refresh": request({ params: ChatgptAuthTokensRefreshParams, result: ChatgptAuthTokensRefreshResponse }),
};

export const accountNotifications = {
  /** Someone signed in or out. */
  "account/updated": notification(AccountUpdatedNotification),
  /** A sign-in has ended, successfully or not. */
  "account/login/completed": notification(AccountLoginCompletedNotification),
  /** The current usage of the plan's limits. */
  "account/rateLimits/updated": notification(AccountRateLimitsUpdatedNotification),
};
