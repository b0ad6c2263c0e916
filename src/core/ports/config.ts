/** Port: the settings of the user, the project and the request, as one frozen plain value. Data, not a place to hang services. */
import type {
  ConfigEdit,
  ConfigReadResponse,
  ConfigWriteResponse,
  ExperimentalFeature,
  PermissionProfileSummary,
} from "../../protocol/config.ts";
import type { ConfigRequirements } from "../../protocol/config-requirements.ts";
import type { HooksListEntry } from "../../protocol/hooks.ts";
import type { ApprovalsReviewer, AskForApproval, Personality, ReasoningSummary, SandboxMode } from "../../protocol/policy.ts";
import type { SettingDefaults } from "../../protocol/settings.ts";
import type { CommandLimits } from "./command-runner.ts";
import type { Hook } from "./hooks.ts";
import type { InstalledPlugin } from "./plugins.ts";
import type { Digests } from "./project-trust.ts";

/** A program of the user's that prints a provider's bearer token. */
export interface ProviderAuth {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string | undefined;
  readonly timeoutMs: number;
  /** The age at which a token is fetched anew; 0: only when the provider refuses it. */
  readonly refreshIntervalMs: number;
}

export interface ProviderConfig {
  readonly id: string;
  readonly name: string;
  readonly baseUrl: string;
  readonly wireApi: "responses" | "chat" | "anthropic" | "scripted" | "ai-sdk";
  /** Name of the environment variable that holds the key. */
  readonly envKey: string | undefined;
  /** Set where the user's settings name the variable: then no request goes out without it, not even to this machine. */
  readonly requiresEnvKey?: boolean;
  /** What to tell a person who has not set it. */
  readonly envKeyInstructions?: string | undefined;
  readonly bearerToken: string | undefined;
  readonly auth?: ProviderAuth | undefined;
  readonly httpHeaders: Readonly<Record<string, string>>;
  /** Header name → environment variable. */
  readonly envHttpHeaders: Readonly<Record<string, string>>;
  readonly queryParams: Readonly<Record<string, string>>;
  readonly requestMaxRetries: number;
  readonly streamMaxRetries: number;
  readonly streamIdleTimeoutMs: number;
  readonly requiresOpenaiAuth: boolean;
  /** Whether the Responses wire may use a websocket; undefined: where the provider is known to have it. */
  readonly supportsWebsockets?: boolean | undefined;
  readonly websocketConnectTimeoutMs?: number | undefined;
  /** Free-form settings of the provider (scenario file of the scripted model, package of an ai-sdk adapter). */
  readonly options: Readonly<Record<string, unknown>>;
}

export interface McpServerConfig {
  readonly name: string;
  readonly transport:
    | {
        readonly type: "stdio";
        readonly command: string;
        readonly args: readonly string[];
        readonly env: Readonly<Record<string, string>>;
        /** Names copied from the server's own environment. */
        readonly envVars: readonly string[];
        readonly cwd: string | undefined;
      }
    | {
        readonly type: "http";
        readonly url: string;
        readonly bearerTokenEnvVar: string | undefined;
        readonly httpHeaders: Readonly<Record<string, string>>;
        readonly envHttpHeaders: Readonly<Record<string, string>>;
      };
  readonly enabled: boolean;
  readonly required: boolean;
  readonly startupTimeoutMs: number;
  readonly toolTimeoutMs: number;
  readonly enabledTools: readonly string[] | undefined;
  readonly disabledTools: readonly string[];
  /** "allow" runs tools with side effects unasked. */
  readonly approval: "ask" | "allow";
  /** Tools that run unasked whatever `approval` says. */
  readonly allowedTools: readonly string[];
  readonly scopes: readonly string[];
  /** The resource to name when signing in, where it is not the server's own address. */
  readonly oauthResource: string | undefined;
  /** The client that was registered by hand; `callbackUrl` is the address that was registered for it. */
  readonly oauthClient: { readonly id: string; readonly secret: string | undefined; readonly callbackUrl: string | undefined } | undefined;
  /**
   * Set when a project's file says something of it. `redefines`: the user has a server of that name, which says something else; `isBelow`: a
   * file below the project's root has a hand in it.
   */
  readonly fromProject: { readonly root: string; readonly redefines: boolean; readonly isBelow: boolean } | undefined;
  /** The plugin that brings it along. */
  readonly pluginId: string | undefined;
}

export interface EnvironmentPolicy {
  readonly inherit: "all" | "core" | "none";
  /** Keep names with KEY, SECRET or TOKEN in them; off by default. */
  readonly ignoreDefaultExcludes: boolean;
  readonly exclude: readonly string[];
  readonly set: Readonly<Record<string, string>>;
  readonly includeOnly: readonly string[];
}

/** A kind of sub-agent. What it leaves open is as in the thread that starts it. */
export interface AgentRole {
  readonly name: string;
  /** For the model that chooses among them. */
  readonly description: string;
  readonly developerInstructions: string | undefined;
  readonly model: string | undefined;
  readonly effort: string | undefined;
  readonly summary: ReasoningSummary | undefined;
  readonly verbosity: string | undefined;
  readonly personality: Personality | undefined;
  readonly serviceTier: string | undefined;
  /** It may look and not change anything, whatever its parent may. */
  readonly isReadOnly: boolean;
}

/** Beside the defaults of a thread's plain settings. */
export interface Config extends SettingDefaults {
  readonly codexHome: string;
  readonly model: string | undefined;
  readonly modelProvider: string;
  readonly providers: Readonly<Record<string, ProviderConfig>>;
  readonly approvalPolicy: AskForApproval;
  readonly approvalsReviewer: ApprovalsReviewer;
  readonly sandboxMode: SandboxMode;
  readonly sandboxWorkspaceWrite: {
    readonly writableRoots: readonly string[];
    readonly networkAccess: boolean;
    readonly excludeTmpdirEnvVar: boolean;
    readonly excludeSlashTmp: boolean;
  };
  readonly contextWindow: number | undefined;
  readonly autoCompactTokenLimit: number | undefined;
  readonly toolOutputTokenLimit: number;
  /** Model requests in one turn after which it asks, or stops. */
  readonly maxRequestsPerTurn: number;
  /** Asked for the rest of a turn when the model in use is overloaded. */
  readonly fallbackModel: string | undefined;
  readonly fallbackModelProvider: string | undefined;
  /** Old tool results leave the history before it has to be compacted. */
  readonly clearOldResults: boolean;
  readonly compactPrompt: string | undefined;
  readonly reviewModel: string | undefined;
  readonly showRawReasoning: boolean;
  readonly hideReasoning: boolean;
  readonly projectDocMaxBytes: number;
  readonly projectDocFallbackFilenames: readonly string[];
  readonly projectRootMarkers: readonly string[];
  readonly webSearch: "disabled" | "cached" | "live";
  /** Options of the search, as the wire names them. */
  readonly webSearchOptions: Readonly<Record<string, unknown>>;
  /** Feature flags as the user set them; absent means the default. */
  readonly features: Readonly<Record<string, boolean>>;
  readonly shellEnvironment: EnvironmentPolicy;
  readonly mcpServers: Readonly<Record<string, McpServerConfig>>;
  /** Whether the user trusts the folder (its project root) that this value was made for. */
  readonly trusted: boolean;
  /** What the user said about it; undefined: nothing yet. */
  readonly trustLevel: "trusted" | "untrusted" | undefined;
  readonly projectRoot: string;
  /** The project root, or the main checkout of a linked worktree. */
  readonly repository: string;
  readonly notify: readonly string[];
  /** How long a thread stays loaded that nobody watches. */
  readonly threadUnloadMs: number;
  /** Those that may run, in the order of their places. */
  readonly hooks: readonly Hook[];
  /** Those in use; what they bring along is among the MCP servers and the hooks already. */
  readonly plugins: readonly InstalledPlugin[];
  /** How deep agents may start agents, how many one thread may have at a time, and the kinds of them that the user has described. */
  readonly agents: { readonly maxDepth: number; readonly maxThreads: number; readonly roles: readonly AgentRole[] };
  /** fsync at the end of each turn. */
  readonly syncTurns: boolean;
  /** Names that stay read-only in a workspace, beside those that always do. */
  readonly protectedNames: readonly string[];
  /** The checkers whose findings on an edited file follow the edit's result, in trusted folders. */
  readonly diagnostics: readonly ("ruff" | "tsc" | "cargo")[];
  /** What a confined command may use up. */
  readonly commandLimits: CommandLimits;
  /** What confines commands on Linux: `auto`, or the name of an engine. */
  readonly sandboxEngine: string;
  /** Seconds until an unanswered request counts as a no, by kind; undefined waits for ever. */
  readonly askTimeouts: Readonly<Record<string, number>>;
  /** What the administrator allows; undefined allows everything. What requests ask for must be held against it too. */
  readonly requirements: {
    /** Where it stands, for those who are refused something. */
    readonly file: string;
    readonly allowedApprovalPolicies: readonly AskForApproval[] | undefined;
    readonly allowedApprovalsReviewers: readonly ApprovalsReviewer[] | undefined;
    /** By name and by permission profile. */
    readonly allowedSandboxModes: readonly SandboxMode[] | undefined;
    readonly allowedLoginMethods: readonly ("chatgpt" | "api")[] | undefined;
    /** Added to every thread's developer instructions, whoever wrote those. */
    readonly developerInstructions: string | undefined;
  };
  /** The merged TOML value itself, for config/read and for keys that only one part reads. */
  readonly raw: Readonly<Record<string, unknown>>;
  /** Keys, at most two steps deep, that the request itself sets: in its `config`, by a profile that it names, or by the flags of a one-client command. */
  readonly requested: readonly string[];
  /** What the user has agreed to of this trusted project; empty elsewhere. */
  readonly accepted: Digests;
  /** Rules files of the project that are not what the user agreed to: what they allow does not count. */
  readonly unacceptedRules: readonly string[];
  /** Problems worth a configWarning: unknown keys, values that were ignored. */
  readonly warnings: readonly string[];
}

/** All that most parts need; the smallest thing to fake. */
export interface ConfigSource {
  /**
   * The value for a folder. `overrides` are dotted keys (`model_providers.x.base_url`) or nested objects, strongest last.
   * Contract: throws RpcError (invalidRequest) with the file, key and expected value when the config is broken; never falls back to defaults.
   */
  effective(cwd: string, overrides?: Readonly<Record<string, unknown>>): Config;
}

/** The settings as the app-server's own methods see and change them. */
export interface ConfigStore extends ConfigSource {
  /**
   * What config/read answers, layers included, strongest first. Without a folder: no project's layers.
   * Contract: throws as `effective` does.
   */
  read(cwd: string | undefined): Required<ConfigReadResponse>;
  /**
   * Writes to the user's file: all edits or none, comments and order kept.
   * Contract: throws RpcError whose data holds `config_write_error_code`; the file is then as it was.
   */
  write(
    edits: readonly ConfigEdit[],
    options?: { readonly expectedVersion?: string | undefined; readonly filePath?: string | undefined },
  ): ConfigWriteResponse;
  /** Called after each write of this process, with the folders that it said are trusted. Returns what ends the calls. */
  onChange(listener: (trusted: readonly string[]) => void): () => void;
  /** The administrator's requirements, null when there are none. */
  requirements(): ConfigRequirements | null;
  features(cwd?: string): readonly ExperimentalFeature[];
  /** Switches features for this process, below what files and flags say. Returns what was taken over; unknown names are not. */
  setFeatures(enablement: Readonly<Record<string, boolean>>): Readonly<Record<string, boolean>>;
  permissionProfiles(): readonly PermissionProfileSummary[];
  /** What of a folder's project is void because the user has not agreed to it, and whose project that is. */
  waiting(cwd: string): WaitingInProject;
  /** Agrees to all of it. Throws when that cannot be kept. */
  acceptWaiting(cwd: string): void;
  hooks(cwd: string): HooksListEntry;
}

export interface WaitingInProject {
  readonly root: string;
  readonly repository: string;
  readonly trust: "trusted" | "untrusted" | undefined;
  readonly waiting: readonly { readonly file: string; readonly what: readonly string[] }[];
}
