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
import type { ApprovalsReviewer, AskForApproval, FileRules, Personality, ReasoningSummary, SandboxMode } from "../../protocol/policy.ts";
import type { SettingDefaults } from "../../protocol/settings.ts";
import type { CommandLimits } from "./command-runner.ts";
import type { Hook } from "./hooks.ts";
import type { NetworkRules } from "./network-access.ts";
import type { InstalledPlugin } from "./plugins.ts";
import type { Digests } from "./project-trust.ts";
import type { OnLoss } from "./thread-store.ts";

/** A user's program that prints a provider's bearer token. */
export interface ProviderAuth {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string | undefined;
  readonly timeoutMs: number;
  /** The age at which a token is renewed; 0: only when the provider rejects it. */
  readonly refreshIntervalMs: number;
}

export interface ProviderConfig {
  readonly id: string;
  readonly name: string;
  readonly baseUrl: string;
  readonly wireApi: "responses" | "chat" | "anthropic" | "scripted" | "ai-sdk";
  /** Name of the environment variable that holds the key. */
  readonly envKey: string | undefined;
  /** Set where the user's settings name the variable: no request is sent without it then, not even to this machine. */
  readonly requiresEnvKey?: boolean;
  /** Instructions for a person who has not set it. */
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
  /** Whether the Responses wire may use a websocket; undefined: only where the provider is known to support it. */
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
        /** Variables copied from the server's own environment. */
        readonly envVars: readonly string[];
        readonly cwd: string | undefined;
      }
    | {
        readonly type: "http";
        readonly url: string;
        readonly bearerTokenEnvVar: string | undefined;
        readonly httpHeaders: Readonly<Record<string, string>>;
        readonly envHttpHeaders: Readonly<Record<string, string>>;
        /** A shell command that prints further headers as JSON. */
        readonly httpHeadersHelper?: string | undefined;
      };
  readonly enabled: boolean;
  readonly required: boolean;
  readonly startupTimeoutMs: number;
  readonly toolTimeoutMs: number;
  readonly enabledTools: readonly string[] | undefined;
  readonly disabledTools: readonly string[];
  /** "allow" runs tools with side effects without asking. */
  readonly approval: "ask" | "allow";
  /** Tools that run without asking, whatever `approval` says. */
  readonly allowedTools: readonly string[];
  readonly scopes: readonly string[];
  /** The OAuth resource for sign-in, where it is not the server's own address. */
  readonly oauthResource: string | undefined;
  /** The manually registered client; `callbackUrl` is its registered address. */
  readonly oauthClient: { readonly id: string; readonly secret: string | undefined; readonly callbackUrl: string | undefined } | undefined;
  /**
   * Set when a project's file configures it. `redefines`: the user has a server of that name with other settings; `isBelow`: a file below
   * the project's root is involved.
   */
  readonly fromProject: { readonly root: string; readonly redefines: boolean; readonly isBelow: boolean } | undefined;
  /** The plugin that provides it. */
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

/** A kind of sub-agent. Anything unset is inherited from the thread that starts it. */
export interface AgentRole {
  readonly name: string;
  /** Shown to the model that chooses a role. */
  readonly description: string;
  readonly developerInstructions: string | undefined;
  readonly model: string | undefined;
  readonly effort: string | undefined;
  readonly summary: ReasoningSummary | undefined;
  readonly verbosity: string | undefined;
  readonly personality: Personality | undefined;
  readonly serviceTier: string | undefined;
  /** Read-only, whatever its parent may do. */
  readonly isReadOnly: boolean;
  /** Names for its agents; empty: any. */
  readonly nicknames: readonly string[];
}

export interface AgentSettings {
  readonly isEnabled: boolean;
  readonly maxDepth: number;
  /** Open agents of one session, on all levels together. */
  readonly maxThreads: number;
  /** Of agents for which neither their role nor the call chooses one; undefined: their parent's. */
  readonly model: string | undefined;
  readonly effort: string | undefined;
  /** Of agents with paths whose role has none, in place of their parent's; empty: none at all. */
  readonly developerInstructions: string | undefined;
  readonly roles: readonly AgentRole[];
}

/** A permission profile of the user's settings, with everything that it extends. */
export interface PermissionProfile {
  readonly description: string | null;
  /** The profile that it names as its parent. */
  readonly extends: string | null;
  readonly rules: FileRules;
  /** Whether commands reach every host. */
  readonly network: boolean;
  /** The hosts that they reach otherwise; undefined for none. */
  readonly networkRules: NetworkRules | undefined;
  /** `$TMPDIR` where the rules were read: they name it by its path. */
  readonly tmpdir: string | undefined;
  /** What of it has no effect, or less than it seems. */
  readonly warnings: readonly string[];
}

/** A profile that cannot be used, and why. */
export interface BrokenProfile {
  readonly problem: string;
}

/** In addition to the defaults of a thread's plain settings. */
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
  /** The user's own permission profiles; the built-in ones are sandbox modes. */
  readonly permissionProfiles: Readonly<Record<string, PermissionProfile | BrokenProfile>>;
  /**
   * The hosts of sandboxed commands whose policy opens the network, by `features.network_proxy` and by the administrator's rules; undefined:
   * every host.
   */
  readonly openNetwork: NetworkRules | undefined;
  /** Which of them new threads get, in place of the sandbox mode. */
  readonly defaultProfile: string | undefined;
  readonly contextWindow: number | undefined;
  readonly autoCompactTokenLimit: number | undefined;
  readonly toolOutputTokenLimit: number;
  /** Model requests in one turn after which it asks, or stops. */
  readonly maxRequestsPerTurn: number;
  /** Used for the rest of a turn when the model in use is overloaded. */
  readonly fallbackModel: string | undefined;
  readonly fallbackModelProvider: string | undefined;
  /** Old tool results are cleared before the history has to be compacted. */
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
  /** Whether the user trusts the folder (its project root) that this config is for. */
  readonly trusted: boolean;
  /** The user's decision about it; undefined: none yet. */
  readonly trustLevel: "trusted" | "untrusted" | undefined;
  readonly projectRoot: string;
  /** The project root, or the main checkout of a linked worktree. */
  readonly repository: string;
  readonly notify: readonly string[];
  /** The largest token budget of a goal, and the budget of one that names none. */
  readonly mostGoalTokens: number | undefined;
  /** What becomes of a turn of a fleet whose worker is lost, unless the thread's client has said it. */
  readonly onLoss: OnLoss;
  /** How long a thread without subscribers stays loaded. */
  readonly threadUnloadMs: number;
  /** Hooks that may run, in the order of their sources. */
  readonly hooks: readonly Hook[];
  /** Plugins in use; their MCP servers and hooks are already included above. */
  readonly plugins: readonly InstalledPlugin[];
  /** How deeply agents may nest, how many one thread may have at a time, and the roles that the user has defined. */
  readonly agents: AgentSettings;
  /** How approvals are reviewed by a model, where `approvalsReviewer` says so. */
  readonly autoReview: { readonly policy: string | undefined; readonly model: string | undefined; readonly timeoutMs: number };
  /** fsync at the end of each turn. */
  readonly syncTurns: boolean;
  /** Names that are read-only in a workspace, in addition to those that always are. */
  readonly protectedNames: readonly string[];
  /** The checkers whose findings on an edited file are appended to the edit's result, in trusted folders. */
  readonly diagnostics: readonly ("ruff" | "tsc" | "cargo")[];
  /** Resource limits of a sandboxed command. */
  readonly commandLimits: CommandLimits;
  /** The sandbox engine on Linux: `auto`, or an engine's name. */
  readonly sandboxEngine: string;
  /** Seconds until an unanswered request counts as a no, by kind; undefined waits for ever. */
  readonly askTimeouts: Readonly<Record<string, number>>;
  /** What the administrator allows; undefined allows everything. Requests must be checked against it too. */
  readonly requirements: {
    /** Its location, for error messages. */
    readonly file: string;
    readonly allowedApprovalPolicies: readonly AskForApproval[] | undefined;
    readonly allowedApprovalsReviewers: readonly ApprovalsReviewer[] | undefined;
    /** By name and by permission profile. */
    readonly allowedSandboxModes: readonly SandboxMode[] | undefined;
    /** The user's own profiles among the allowed ones; undefined allows all of them. */
    readonly allowedProfiles: readonly string[] | undefined;
    readonly allowedLoginMethods: readonly ("chatgpt" | "api")[] | undefined;
    /** Added to every thread's developer instructions, wherever those come from. */
    readonly developerInstructions: string | undefined;
  };
  /** The merged TOML value itself, for config/read and for keys that only one module reads. */
  readonly raw: Readonly<Record<string, unknown>>;
  /** Keys, at most two steps deep, that the request itself sets: in its `config`, by a profile that it names, or by the flags of a one-client command. */
  readonly requested: readonly string[];
  /** What the user has accepted in this trusted project; empty elsewhere. */
  readonly accepted: Digests;
  /** The project's rules files that differ from what the user accepted: their allow rules are ignored. */
  readonly unacceptedRules: readonly string[];
  /** Problems worth a configWarning: unknown keys, values that were ignored. */
  readonly warnings: readonly string[];
}

/** All that most modules need; the smallest interface to fake. */
export interface ConfigSource {
  /**
   * The config for a folder. `overrides` are dotted keys (`model_providers.x.base_url`) or nested objects, strongest last.
   * Contract: throws RpcError (invalidRequest) with the file, key and expected value when the config is broken; never falls back to defaults.
   */
  effective(cwd: string, overrides?: Readonly<Record<string, unknown>>): Config;
}

/** The settings as the app-server's own methods see and change them. */
export interface ConfigStore extends ConfigSource {
  /**
   * The response to config/read, layers included, strongest first. Without a folder: no project layers.
   * Contract: throws as `effective` does.
   */
  read(cwd: string | undefined): Required<ConfigReadResponse>;
  /**
   * Writes to the user's file: all edits or none, comments and order kept.
   * Contract: throws RpcError whose data contains `config_write_error_code`; the file is then unchanged.
   */
  write(
    edits: readonly ConfigEdit[],
    options?: { readonly expectedVersion?: string | undefined; readonly filePath?: string | undefined },
  ): ConfigWriteResponse;
  /** Called after each write by this process, with the folders that it marked as trusted. Returns an unsubscribe function. */
  onChange(listener: (trusted: readonly string[]) => void): () => void;
  /** The administrator's requirements, null when there are none. */
  requirements(): ConfigRequirements | null;
  features(cwd?: string): readonly ExperimentalFeature[];
  /** Switches features for this process, with lower priority than files and flags. Returns what was applied; unknown names are not. */
  setFeatures(enablement: Readonly<Record<string, boolean>>): Readonly<Record<string, boolean>>;
  /** The profiles that threads in a folder can be given. */
  permissionProfiles(cwd?: string): readonly PermissionProfileSummary[];
  /** The parts of a folder's project that are ignored because the user has not accepted them, and the project. */
  waiting(cwd: string): WaitingInProject;
  /** Accepts all of it. Throws when that cannot be stored. */
  acceptWaiting(cwd: string): void;
  hooks(cwd: string): HooksListEntry;
}

export interface WaitingInProject {
  readonly root: string;
  readonly repository: string;
  readonly trust: "trusted" | "untrusted" | undefined;
  readonly waiting: readonly { readonly file: string; readonly what: readonly string[] }[];
}
