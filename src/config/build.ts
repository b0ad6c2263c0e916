/** Turns merged settings into the typed config that the rest of the server reads. */
import type { CommandLimits } from "../core/ports/command-runner.ts";
import type { Config, EnvironmentPolicy, ProviderAuth, ProviderConfig } from "../core/ports/config.ts";
import { parse } from "../lib/schema.ts";
import { isTable, setOwn, type TomlTable } from "../lib/toml.ts";
import { invalidRequest } from "../protocol/errors.ts";
import { ApprovalsReviewer, AskForApproval, permissionProfiles, SandboxMode } from "../protocol/policy.ts";
import { type PlainSetting, plainSettings, type SettingDefaults, settingRows } from "../protocol/settings.ts";
import { featureAliases } from "./features.ts";
import { openNetworkOf } from "./network-profile.ts";
import { defaultProfile, type ProfilesContext, profilesFrom, profileWarnings } from "./permissions.ts";
import type { Project } from "./project.ts";
import { bool, count, flags, list, tableAt, text, texts } from "./read-value.ts";

export interface BuildInput {
  readonly codexHome: string;
  readonly raw: TomlTable;
  readonly project: Project;
  readonly mcpServers: Config["mcpServers"];
  readonly warnings: readonly string[];
  readonly hooks: Config["hooks"];
  readonly plugins: Config["plugins"];
  readonly roles: Config["agents"]["roles"];
  /** What the paths of permission profiles refer to. */
  readonly place: ProfilesContext;
  readonly requested: readonly string[];
  readonly accepted: Config["accepted"];
  readonly unacceptedRules: readonly string[];
  readonly builtInProviders: Readonly<Record<string, ProviderConfig>>;
  /** The provider when nothing is configured. */
  readonly fallback: { readonly modelProvider: string; readonly model: string | undefined };
  /** Features switched for this process; lower precedence than the settings. */
  readonly features: Readonly<Record<string, boolean>>;
  /** The content of a file that a key names; throws when it cannot be read. */
  readonly readFile: (file: string, key: string) => string;
}

const noRequirements: Config["requirements"] = {
  file: "",
  allowedApprovalPolicies: undefined,
  allowedApprovalsReviewers: undefined,
  allowedSandboxModes: undefined,
  allowedProfiles: undefined,
  allowedLoginMethods: undefined,
  developerInstructions: undefined,
};

export function buildConfig(input: BuildInput): Config {
  const { raw, project } = input;
  const provider = text(raw, "model_provider");
  const providers = providersFrom(raw, input.builtInProviders);
  const profiles = profilesFrom(raw, input.place);
  const openNetwork = openNetworkOf(raw);
  const modelProvider = provider ?? input.fallback.modelProvider;
  if (!Object.hasOwn(providers, modelProvider))
    throw invalidRequest(`model_provider: no provider is named \`${modelProvider}\`; known are ${Object.keys(providers).join(", ")}`);
  return {
    codexHome: input.codexHome,
    model: text(raw, "model") ?? (provider === undefined ? input.fallback.model : undefined),
    modelProvider,
    providers,
    ...policiesFrom(raw, project),
    ...{ permissionProfiles: profiles, openNetwork: openNetwork.rules, defaultProfile: defaultProfile(raw, profiles) },
    ...modelSettingsFrom(raw, input.readFile),
    toolOutputTokenLimit: count(raw, "tool_output_token_limit") ?? 10_000,
    projectDocMaxBytes: count(raw, "project_doc_max_bytes") ?? 32_768,
    projectDocFallbackFilenames: list(raw, "project_doc_fallback_filenames") ?? [],
    projectRootMarkers: list(raw, "project_root_markers") ?? [".git"],
    webSearch: webSearchFrom(raw, modelProvider),
    webSearchOptions: searchOptionsFrom(tableAt(tableAt(raw, "tools"), "web_search")),
    features: { ...input.features, ...featuresFrom(raw) },
    shellEnvironment: environmentFrom(tableAt(raw, "shell_environment_policy")),
    mcpServers: input.mcpServers,
    trusted: project.trust === "trusted",
    trustLevel: project.trust,
    projectRoot: project.root,
    repository: project.repository,
    notify: list(raw, "notify") ?? [],
    hooks: input.hooks,
    plugins: input.plugins,
    mostGoalTokens: count(tableAt(raw, "goals"), "max_goal_token_budget"),
    onLoss: text(tableAt(raw, "fleet"), "on_loss") === "continue" ? "continue" : "interrupt",
    threadUnloadMs: (count(raw, "thread_unload_delay_secs") ?? 1800) * 1000,
    agents: {
      maxDepth: count(tableAt(raw, "agents"), "max_depth") ?? 1,
      maxThreads: count(tableAt(raw, "agents"), "max_concurrent_threads_per_session") ?? count(tableAt(raw, "agents"), "max_threads") ?? 6,
      isEnabled: bool(tableAt(raw, "agents"), "enabled") ?? true,
      model: text(tableAt(raw, "agents"), "default_subagent_model"),
      effort: text(tableAt(raw, "agents"), "default_subagent_reasoning_effort"),
      developerInstructions: text(tableAt(tableAt(raw, "features"), "multi_agent_v2"), "subagent_developer_instructions")?.trim(),
      roles: input.roles,
    },
    autoReview: {
      policy: text(tableAt(raw, "auto_review"), "policy"),
      model: text(tableAt(tableAt(raw, "parley"), "auto_review"), "model"),
      timeoutMs: count(tableAt(tableAt(raw, "parley"), "auto_review"), "timeout_ms") ?? 90_000,
    },
    ...loopSettingsFrom(tableAt(raw, "parley")),
    syncTurns: bool(tableAt(raw, "parley"), "sync_turns") ?? false,
    diagnostics: checkersFrom(list(tableAt(raw, "parley"), "diagnostics")),
    protectedNames: namesFrom(list(tableAt(raw, "parley"), "protected_names") ?? []),
    commandLimits: limitsFrom(tableAt(tableAt(raw, "parley"), "command_limits")),
    sandboxEngine: text(tableAt(raw, "parley"), "sandbox_engine") ?? "auto",
    askTimeouts: timeoutsFrom(tableAt(tableAt(raw, "parley"), "ask_timeouts")),
    requirements: noRequirements,
    raw,
    requested: input.requested,
    accepted: input.accepted,
    unacceptedRules: input.unacceptedRules,
    warnings: [...input.warnings, ...openNetwork.warnings, ...profileWarnings(raw, profiles)],
  };
}

function loopSettingsFrom(
  parley: TomlTable,
): Pick<Config, "maxRequestsPerTurn" | "fallbackModel" | "fallbackModelProvider" | "clearOldResults"> {
  return {
    maxRequestsPerTurn: Math.max(1, count(parley, "max_requests_per_turn") ?? 200),
    fallbackModel: text(parley, "fallback_model"),
    fallbackModelProvider: text(parley, "fallback_model_provider"),
    clearOldResults: bool(parley, "clear_old_results") ?? true,
  };
}

const limitsFrom = (entry: TomlTable): CommandLimits => ({
  processes: count(entry, "processes"),
  openFiles: count(entry, "open_files"),
  fileMegabytes: count(entry, "file_mb"),
  memoryMegabytes: count(entry, "memory_mb"),
});

/** A name is one path component: anything else would seem to protect and would not. */
function checkersFrom(named: readonly string[] | undefined): Config["diagnostics"] {
  const known = ["ruff", "tsc", "cargo"] as const;
  return named === undefined ? ["ruff", "tsc"] : known.filter((checker) => named.includes(checker));
}

function namesFrom(names: readonly string[]): readonly string[] {
  const wrong = names.find((name) => name === "" || name === "." || name === ".." || /[/\\\0]/.test(name));
  if (wrong === undefined) return names;
  throw invalidRequest(`parley.protected_names: ${JSON.stringify(wrong)} is no name; give that of a file or folder, such as ".vscode"`);
}

function policiesFrom(
  raw: TomlTable,
  project: Project,
): Pick<Config, "approvalPolicy" | "approvalsReviewer" | "sandboxMode" | "sandboxWorkspaceWrite"> {
  const workspace = tableAt(raw, "sandbox_workspace_write");
  return {
    approvalPolicy: parse(AskForApproval, raw["approval_policy"]) ?? (project.trust === "untrusted" ? "untrusted" : "on-request"),
    approvalsReviewer: parse(ApprovalsReviewer, raw["approvals_reviewer"]) ?? "user",
    sandboxMode:
      parse(SandboxMode, raw["sandbox_mode"]) ?? modeOfProfile(raw) ?? (project.trust === undefined ? "read-only" : "workspace-write"),
    sandboxWorkspaceWrite: {
      writableRoots: list(workspace, "writable_roots") ?? [],
      networkAccess: bool(workspace, "network_access") ?? false,
      excludeTmpdirEnvVar: bool(workspace, "exclude_tmpdir_env_var") ?? false,
      excludeSlashTmp: bool(workspace, "exclude_slash_tmp") ?? false,
    },
  };
}

/** Of a built-in profile; the user's own ones are no modes. */
function modeOfProfile(raw: TomlTable): SandboxMode | undefined {
  const id = text(raw, "default_permissions") ?? "";
  return Object.hasOwn(permissionProfiles, id) ? permissionProfiles[id] : undefined;
}

type ModelSettings = Pick<
  Config,
  PlainSetting | "contextWindow" | "autoCompactTokenLimit" | "reviewModel" | "compactPrompt" | "showRawReasoning" | "hideReasoning"
>;

function modelSettingsFrom(raw: TomlTable, readFile: BuildInput["readFile"]): ModelSettings {
  const fromFile = (key: string): string | undefined => {
    const file = text(raw, key);
    return file === undefined ? undefined : readFile(file, key);
  };
  const limit = count(raw, "model_auto_compact_token_limit");
  const defaults = settingDefaults(raw);
  return {
    ...defaults,
    contextWindow: count(raw, "model_context_window"),
    autoCompactTokenLimit: limit !== undefined && limit <= 0 ? Number.MAX_SAFE_INTEGER : limit,
    reviewModel: text(raw, "review_model"),
    baseInstructions: fromFile("model_instructions_file") ?? fromFile("experimental_instructions_file") ?? defaults.baseInstructions,
    compactPrompt: text(raw, "compact_prompt") ?? fromFile("experimental_compact_prompt_file"),
    showRawReasoning: bool(raw, "show_raw_agent_reasoning") ?? false,
    hideReasoning: bool(raw, "hide_agent_reasoning") ?? false,
  };
}

/** The values of the keys that the settings' rows name. */
function settingDefaults(raw: TomlTable): SettingDefaults {
  const read = plainSettings.map((name) => {
    const { keys, value } = settingRows[name];
    const found = keys.map((key) => raw[key]).find((each) => each !== undefined);
    return [name, found === undefined ? undefined : parse(value, found)] as const;
  });
  return Object.fromEntries(read) as SettingDefaults;
}

function providersFrom(raw: TomlTable, builtIn: BuildInput["builtInProviders"]): Readonly<Record<string, ProviderConfig>> {
  const providers: Record<string, ProviderConfig> = { ...builtIn };
  const moved = text(raw, "openai_base_url");
  if (moved !== undefined && providers["openai"] !== undefined) providers["openai"] = { ...providers["openai"], baseUrl: moved };
  for (const [id, entry] of Object.entries(tableAt(raw, "model_providers")))
    if (isTable(entry)) setOwn(providers, id, providerFrom(id, entry, Object.hasOwn(providers, id) ? providers[id] : undefined));
  return providers;
}

const wireApis = ["responses", "chat", "anthropic", "scripted", "ai-sdk"] as const;

function providerFrom(id: string, entry: TomlTable, base: ProviderConfig | undefined): ProviderConfig {
  const wireApi = wireApis.find((api) => api === entry["wire_api"]) ?? base?.wireApi ?? "responses";
  const baseUrl = text(entry, "base_url") ?? inRegionOf(entry, base?.baseUrl);
  if (baseUrl === undefined && wireApi !== "scripted" && wireApi !== "ai-sdk")
    throw invalidRequest(`model_providers.${id}.base_url: missing; give the address in front of the provider's own paths`);
  const auth = authFrom(id, entry, wireApi);
  return {
    id,
    name: text(entry, "name") ?? base?.name ?? id,
    baseUrl: baseUrl ?? "",
    wireApi,
    envKey: text(entry, "env_key") ?? (auth === undefined ? base?.envKey : undefined),
    requiresEnvKey: text(entry, "env_key") !== undefined,
    envKeyInstructions: text(entry, "env_key_instructions") ?? base?.envKeyInstructions,
    bearerToken: text(entry, "experimental_bearer_token") ?? (auth === undefined ? base?.bearerToken : undefined),
    ...(auth === undefined ? {} : { auth }),
    httpHeaders: texts(entry, "http_headers") ?? base?.httpHeaders ?? {},
    envHttpHeaders: texts(entry, "env_http_headers") ?? base?.envHttpHeaders ?? {},
    queryParams: texts(entry, "query_params") ?? base?.queryParams ?? {},
    requestMaxRetries: count(entry, "request_max_retries") ?? base?.requestMaxRetries ?? 4,
    streamMaxRetries: count(entry, "stream_max_retries") ?? base?.streamMaxRetries ?? 5,
    streamIdleTimeoutMs: count(entry, "stream_idle_timeout_ms") ?? base?.streamIdleTimeoutMs ?? 300_000,
    requiresOpenaiAuth: auth === undefined && (bool(entry, "requires_openai_auth") ?? base?.requiresOpenaiAuth ?? false),
    supportsWebsockets: bool(entry, "supports_websockets") ?? base?.supportsWebsockets,
    websocketConnectTimeoutMs: count(entry, "websocket_connect_timeout_ms") ?? base?.websocketConnectTimeoutMs,
    options: { ...base?.options, ...(isTable(entry["options"]) ? entry["options"] : {}) },
  };
}

function authFrom(id: string, entry: TomlTable, wireApi: ProviderConfig["wireApi"]): ProviderAuth | undefined {
  if (!isTable(entry["auth"])) return undefined;
  const auth = entry["auth"];
  const name = `model_providers.${id}.auth`;
  const command = text(auth, "command")?.trim();
  if (command === undefined || command === "") throw invalidRequest(`${name}.command: missing; name the program that prints the token`);
  const other = ["env_key", "experimental_bearer_token"].find((key) => entry[key] !== undefined);
  const also = other ?? (entry["requires_openai_auth"] === true ? "requires_openai_auth" : undefined);
  if (also !== undefined) throw invalidRequest(`${name}: cannot be combined with ${also}; keep one of them`);
  if (wireApi === "scripted" || wireApi === "ai-sdk")
    throw invalidRequest(`${name}: has no effect with wire_api = "${wireApi}"; take it away, or use responses, chat or anthropic`);
  return {
    command,
    args: list(auth, "args") ?? [],
    cwd: text(auth, "cwd"),
    timeoutMs: count(auth, "timeout_ms") ?? 5000,
    refreshIntervalMs: count(auth, "refresh_interval_ms") ?? 300_000,
  };
}

/** `aws.region` changes Amazon Bedrock's URL; no other built-in provider has a region in it. */
function inRegionOf(entry: TomlTable, baseUrl: string | undefined): string | undefined {
  const region = text(tableAt(entry, "aws"), "region");
  return region === undefined
    ? baseUrl
    : baseUrl?.replace(/^(https:\/\/bedrock-mantle\.)[a-z0-9-]+(\.api\.aws\/)/, `$1${encodeURIComponent(region)}$2`);
}

/** The feature switches under their current names, wherever in the file they are. */
export function featuresFrom(raw: TomlTable): Readonly<Record<string, boolean>> {
  const named = flags({ ...elsewhere(raw), ...tableAt(raw, "features") });
  const older = Object.entries(named).map(
    ([name, on]) => [Object.hasOwn(featureAliases, name) ? (featureAliases[name] ?? name) : name, on] as const,
  );
  return { ...Object.fromEntries(older), ...named };
}

function elsewhere(raw: TomlTable): TomlTable {
  const keys = ["experimental_use_unified_exec_tool", "experimental_use_freeform_apply_patch"];
  const found: TomlTable = Object.fromEntries(keys.flatMap((key) => (typeof raw[key] === "boolean" ? [[key, raw[key]]] : [])));
  const image = bool(tableAt(raw, "tools"), "view_image");
  return image === undefined ? found : { ...found, view_image: image };
}

function webSearchFrom(raw: TomlTable, modelProvider: string): Config["webSearch"] {
  const mode = text(raw, "web_search");
  if (mode === "disabled" || mode === "cached" || mode === "live") return mode;
  if (mode === "indexed") return "cached";
  const tools = tableAt(raw, "tools");
  const older = tools["web_search"] ?? tools["web_search_request"] ?? tableAt(raw, "features")["web_search_request"];
  if (older === true) return "live";
  if (older === false) return "disabled";
  return modelProvider === "openai" ? "cached" : "disabled";
}

function searchOptionsFrom(table: TomlTable): Readonly<Record<string, unknown>> {
  const size = text(table, "context_size");
  const domains = list(table, "allowed_domains") ?? [];
  const place = Object.entries(texts(table, "location") ?? {});
  return {
    ...(size === undefined ? {} : { search_context_size: size }),
    ...(domains.length === 0 ? {} : { filters: { allowed_domains: domains } }),
    ...(place.length === 0 ? {} : { user_location: { type: "approximate", ...Object.fromEntries(place) } }),
  };
}

function environmentFrom(policy: TomlTable): EnvironmentPolicy {
  const inherit = policy["inherit"];
  return {
    inherit: inherit === "core" || inherit === "none" ? inherit : "all",
    ignoreDefaultExcludes: bool(policy, "ignore_default_excludes") ?? false,
    exclude: list(policy, "exclude") ?? [],
    set: texts(policy, "set") ?? {},
    includeOnly: list(policy, "include_only") ?? [],
  };
}

function timeoutsFrom(entries: TomlTable): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries(entries).filter((entry): entry is [string, number] => typeof entry[1] === "number" && entry[1] > 0),
  );
}
