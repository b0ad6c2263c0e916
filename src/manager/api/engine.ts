/** The routes that forward a request to the engine: models, skills, MCP servers, account, settings, one-off commands. */
import { array, boolean, integer, literals, maybe, named, object, optional, record, string, union, unknown } from "../../lib/schema.ts";
import {
  CancelLoginAccountResponse,
  FeedbackUploadResponse,
  GetAccountRateLimitsResponse,
  GetAccountResponse,
  LoginAccountResponse,
  LogoutAccountResponse,
  ProviderListResponse,
} from "../../protocol/account.ts";
import { AppsListResponse } from "../../protocol/app.ts";
import { CommandExecResponse } from "../../protocol/command.ts";
import {
  ConfigReadResponse,
  ConfigRequirementsReadResponse,
  ConfigWriteResponse,
  ExperimentalFeatureListResponse,
} from "../../protocol/config.ts";
import { Empty } from "../../protocol/define.ts";
import { HooksListResponse } from "../../protocol/hooks.ts";
import { ListMcpServerStatusResponse, McpServerOauthLoginResponse } from "../../protocol/mcp.ts";
import { CollaborationModeListResponse, ModelListResponse } from "../../protocol/model.ts";
import { SandboxReadResponse } from "../../protocol/sandbox.ts";
import { SkillsConfigWriteResponse, SkillsListResponse } from "../../protocol/skills.ts";
import { UsageBreakdownResponse } from "../../protocol/spending.ts";
import { bounded, route } from "./define.ts";
import { Failure, InvalidRequest } from "./records.ts";

const limit = () => optional(bounded(integer(), { minimum: 1, maximum: 200 }));
const page = named("PageQuery", () => object({ cursor: optional(string()), limit: limit() }));
const refused = { 400: InvalidRequest, 501: Failure } as const;

export const engineRoutes = {
  "GET /api/capabilities": route({
    summary: "What the engine behind the manager can do",
    scope: "read",
    query: named("CapabilitiesQuery", () => object({ refresh: optional(boolean()) })),
    answers: {
      200: named("Capabilities", () =>
        object({
          status: literals("ok"),
          runtime: object({
            userAgent: string(),
            codexHome: maybe(string()),
            /** True while no model is configured and the built-in tour answers. */
            offlineTour: boolean(),
            /** The model for new sessions, if the settings name one. */
            model: maybe(string()),
            remote: boolean(),
            platform: maybe(string()),
            cwd: string(),
            /** How commands are sandboxed; null if the engine does not report it. */
            sandbox: maybe(SandboxReadResponse()),
            /** Whether the manager can show the fleet that the engine belongs to. */
            fleet: optional(boolean()),
          }),
          methods: record(literals("available", "disabled", "unknown")),
          details: record(string()),
          features: record(boolean()),
        }),
      ),
      400: InvalidRequest,
    },
  }),
  "GET /api/features/experimental": route({
    summary: "Features that can be enabled",
    scope: "read",
    query: page,
    answers: { 200: ExperimentalFeatureListResponse, ...refused },
  }),
  "GET /api/collaboration/modes": route({
    summary: "Collaboration modes (plan, default …)",
    scope: "read",
    query: page,
    answers: { 200: CollaborationModeListResponse, ...refused },
  }),
  "GET /api/apps": route({
    summary: "Connected apps",
    scope: "read",
    query: named("AppsQuery", () =>
      object({ cursor: optional(string()), limit: limit(), threadId: optional(string()), forceRefetch: optional(boolean()) }),
    ),
    answers: { 200: AppsListResponse, ...refused },
  }),
  "GET /api/skills": route({
    summary: "Skills of a folder",
    scope: "read",
    query: named("SkillsQuery", () => object({ forceReload: optional(boolean()), cwd: optional(string()) })),
    answers: { 200: SkillsListResponse, ...refused },
  }),
  "GET /api/hooks": route({
    summary: "Hooks of the folders in use: the engine's own, those of projects and of the newest sessions",
    scope: "read",
    answers: { 200: HooksListResponse, 501: Failure },
  }),
  "POST /api/skills": route({
    summary: "Add a skill of the user: a folder with instructions that the agent reads when it needs them",
    scope: "admin",
    body: named("SkillWrite", () =>
      object({
        /** Letters, digits and hyphens; the folder's name. */
        name: bounded(string(), { minLength: 1, maxLength: 64 }),
        description: bounded(string(), { minLength: 1, maxLength: 1024 }),
        instructions: bounded(string(), { minLength: 1, maxLength: 200_000 }),
      }),
    ),
    answers: { 200: named("SkillAdded", () => object({ status: literals("ok"), path: string() })), 409: Failure, ...refused },
  }),
  "POST /api/skills/config": route({
    summary: "Enable or disable a skill",
    scope: "admin",
    body: named("SkillSwitch", () => object({ path: bounded(string(), { minLength: 1 }), enabled: boolean() })),
    answers: { 200: SkillsConfigWriteResponse, ...refused },
  }),
  "POST /api/mcp/reload": route({
    summary: "Reload the MCP servers' settings",
    scope: "admin",
    answers: { 200: Empty, 501: Failure },
  }),
  "POST /api/mcp/servers/:serverName/oauth/login": route({
    summary: "Sign in to an MCP server",
    scope: "admin",
    body: named("McpLogin", () => object({ scopes: optional(array(string())), timeoutSecs: optional(integer()) })),
    answers: { 200: McpServerOauthLoginResponse, 409: Failure, ...refused },
  }),
  "GET /api/mcp/servers": route({
    summary: "MCP servers and their state",
    scope: "read",
    query: page,
    answers: { 200: ListMcpServerStatusResponse, ...refused },
  }),
  "GET /api/models": route({
    summary: "Available models",
    scope: "read",
    query: page,
    answers: { 200: ModelListResponse, ...refused },
  }),
  "GET /api/account": route({
    summary: "The current account",
    scope: "read",
    answers: { 200: GetAccountResponse, 401: Failure, 501: Failure },
  }),
  "GET /api/account/providers": route({
    summary: "The available model providers, which of them are set up and, if wanted, which local ones run",
    scope: "read",
    query: named("ProvidersQuery", () => object({ findLocal: optional(boolean()) })),
    answers: { 200: ProviderListResponse, 400: InvalidRequest, 501: Failure },
  }),
  "POST /api/account/login/start": route({
    summary: "Sign the engine in",
    scope: "admin",
    body: named("AccountLogin", () =>
      union([
        /** With `check`, a key that the provider rejects is not stored; `provider` and `model` set up a provider, as in account/login/start. */
        object({
          type: literals("apiKey"),
          apiKey: string(),
          check: optional(boolean()),
          provider: optional(bounded(string(), { minLength: 1 })),
          model: optional(bounded(string(), { minLength: 1 })),
        }),
        object({ type: literals("chatgpt") }),
        object({ type: literals("chatgptDeviceCode") }),
        object({
          type: literals("chatgptAuthTokens"),
          accessToken: string(),
          chatgptAccountId: string(),
          chatgptPlanType: maybe(string()),
        }),
      ]),
    ),
    answers: { 200: LoginAccountResponse, 409: Failure, ...refused },
  }),
  "POST /api/account/login/cancel": route({
    summary: "Cancel a sign-in",
    scope: "admin",
    body: named("AccountLoginCancel", () => object({ loginId: bounded(string(), { minLength: 1 }) })),
    answers: { 200: CancelLoginAccountResponse, 404: Failure, ...refused },
  }),
  "POST /api/account/logout": route({
    summary: "Sign the engine out",
    scope: "admin",
    answers: { 200: LogoutAccountResponse, 501: Failure },
  }),
  "GET /api/usage": route({
    summary: "Tokens and money by day, folder and model, and the budget",
    scope: "read",
    query: named("UsageQuery", () => object({ days: optional(bounded(integer(), { minimum: 1, maximum: 366 })) })),
    answers: { 200: UsageBreakdownResponse, ...refused },
  }),
  "GET /api/account/rate-limits": route({
    summary: "What remains of the account's limits",
    scope: "read",
    answers: { 200: GetAccountRateLimitsResponse, 401: Failure, 501: Failure },
  }),
  "GET /api/config": route({
    summary: "Current settings",
    scope: "admin",
    query: named("ConfigQuery", () => object({ cwd: optional(string()), includeLayers: optional(boolean()) })),
    answers: { 200: ConfigReadResponse, ...refused },
  }),
  "GET /api/config/requirements": route({
    summary: "Settings that an administrator has fixed",
    scope: "read",
    answers: { 200: ConfigRequirementsReadResponse, 501: Failure },
  }),
  "POST /api/config/value": route({
    summary: "Change one setting",
    scope: "admin",
    body: named("ConfigValue", () =>
      object({
        keyPath: bounded(string(), { minLength: 1 }),
        mergeStrategy: literals("replace", "upsert"),
        value: unknown(),
        expectedVersion: maybe(string()),
        filePath: maybe(string()),
      }),
    ),
    answers: { 200: ConfigWriteResponse, 409: Failure, ...refused },
  }),
  "POST /api/config/batch": route({
    summary: "Change several settings at once",
    scope: "admin",
    body: named("ConfigBatch", () =>
      object({
        edits: bounded(array(object({ keyPath: string(), mergeStrategy: literals("replace", "upsert"), value: unknown() })), {
          minItems: 1,
        }),
        expectedVersion: maybe(string()),
        filePath: maybe(string()),
      }),
    ),
    answers: { 200: ConfigWriteResponse, 409: Failure, ...refused },
  }),
  "POST /api/commands/exec": route({
    summary: "Run one command outside any session",
    scope: "admin",
    body: named("CommandRun", () =>
      object({ command: bounded(array(string()), { minItems: 1 }), cwd: maybe(string()), timeoutMs: maybe(integer()) }),
    ),
    answers: { 200: CommandExecResponse, ...refused },
  }),
  "POST /api/feedback": route({
    summary: "Send feedback",
    scope: "drive",
    body: named("Feedback", () =>
      object({
        classification: bounded(string(), { minLength: 1 }),
        includeLogs: boolean(),
        reason: maybe(string()),
        threadId: maybe(string()),
      }),
    ),
    answers: { 200: FeedbackUploadResponse, ...refused },
  }),
} as const;
