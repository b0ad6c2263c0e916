/** The result of config/read: the merged settings, which layer each came from, and the layers themselves. */
import type { TomlTable } from "../lib/toml.ts";
import { isTable } from "../lib/toml.ts";
import type { ConfigLayer, ConfigLayerMetadata, ConfigReadResponse } from "../protocol/config.ts";
import { configKeys } from "./keys.ts";
import type { Layer } from "./layers.ts";
import { leaves, mergeStack, mergeTables } from "./merge.ts";
import { tableAt } from "./read-value.ts";

/** Keys that clients expect in every result although only other programs use them. */
const alwaysThere =
  "analytics approvals_reviewer apps browser_use computer_use desktop forced_chatgpt_workspace_id model_auto_compact_token_limit_scope".split(
    " ",
  );

/** Values in force without a line in any file, as current clients expect them. */
const standardValues: TomlTable = {
  allow_login_shell: true,
  background_terminal_max_timeout: 300_000,
  chatgpt_base_url: "https://chatgpt.com/backend-api/",
  cli_auth_credentials_store: "file",
  file_opener: "vscode",
  hide_agent_reasoning: false,
  history: { persistence: "save-all", max_bytes: null },
  include_apps_instructions: false,
  include_collaboration_mode_instructions: true,
  include_environment_context: true,
  include_environment_context_time: true,
  include_permissions_instructions: true,
  marketplaces: {},
  mcp_oauth_credentials_store: "auto",
  mcp_servers: {},
  plugins: {},
  profiles: {},
  project_doc_fallback_filenames: [],
  project_doc_max_bytes: 32_768,
  project_root_markers: [".git"],
  shell_environment_policy: { inherit: null, ignore_default_excludes: null, exclude: null, set: null, include_only: null, filters: null },
};

/** Features of other programs that clients look for; they are off here. */
const featuresOff = Object.fromEntries(
  `api_key_cyber_access_programs api_key_model_discovery auth_elicitation background_paginated_rollout_migration codex_apps_mcp_2026_07_28
  mcp_2026_07_28 mcp_connection_sharing memories mentions_v2 remote_control remote_plugin tool_suggest windows_sandbox_service`
    .split(/\s+/)
    .map((name) => [name, false]),
);

const workspaceDefaults = { writable_roots: [], network_access: false, exclude_tmpdir_env_var: false, exclude_slash_tmp: false };
const providerDefaults = {
  wire_api: "responses",
  requires_openai_auth: false,
  supports_websockets: false,
  supports_standalone_web_search: false,
};

/** Every key of the protocol, null where nothing is set, and all others that a file contains; origins by dotted path; layers strongest first. */
export function readConfig(layers: readonly Layer[], features: Readonly<Record<string, boolean>>): Required<ConfigReadResponse> {
  const merged = mergeStack(layers);
  const empty = Object.fromEntries([...Object.keys(configKeys), ...alwaysThere].map((key) => [key, null]));
  const config = mergeTables({ ...empty, ...standardValues, features: { ...featuresOff, ...features } }, merged);
  if (isTable(config["sandbox_workspace_write"]))
    config["sandbox_workspace_write"] = { ...workspaceDefaults, ...config["sandbox_workspace_write"] };
  const providers = Object.entries(tableAt(merged, "model_providers"));
  config["model_providers"] = Object.fromEntries(
    providers.map(([id, entry]) => [id, isTable(entry) ? { ...providerDefaults, ...entry } : entry]),
  );
  return { config, origins: originsOf(layers, merged), layers: layers.toReversed().map(wireLayer) };
}

function originsOf(layers: readonly Layer[], merged: TomlTable): Record<string, ConfigLayerMetadata> {
  const strongestFirst = layers.filter((layer) => layer.disabledReason === undefined).toReversed();
  const origins: [string, ConfigLayerMetadata][] = [];
  for (const [path] of leaves(merged)) {
    const layer = strongestFirst.find((candidate) => hasAt(candidate.config, path));
    if (layer !== undefined) origins.push([path.join("."), metadataOf(layer)]);
  }
  return Object.fromEntries(origins);
}

function hasAt(root: unknown, path: readonly string[]): boolean {
  let here = root;
  for (const part of path) {
    if (typeof here !== "object" || here === null || !Object.hasOwn(here, part)) return false;
    here = Reflect.get(here, part);
  }
  return true;
}

export const metadataOf = (layer: Layer): ConfigLayerMetadata => ({ name: layer.source, version: layer.version() });

const wireLayer = (layer: Layer): ConfigLayer => ({
  ...metadataOf(layer),
  config: layer.config,
  ...(layer.disabledReason === undefined ? {} : { disabledReason: layer.disabledReason }),
});
