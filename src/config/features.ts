/** The feature flags of this server, for experimentalFeature/list and for code that checks whether one is on. */

import { setOf } from "../lib/set-of.ts";
import type { ExperimentalFeature } from "../protocol/config.ts";

type Row = Omit<ExperimentalFeature, "enabled" | "name" | "announcement">;
const row = (stage: Row["stage"], defaultEnabled: boolean, displayName: string, description: string): Row => ({
  stage,
  defaultEnabled,
  displayName,
  description,
});

export const featureRows: Readonly<Record<string, Row>> = {
  unified_exec: row("stable", true, "Interactive terminals", "Offers commands that stay open and take input, to models that know them."),
  view_image: row("stable", true, "Images", "Lets the model look at image files."),
  apply_patch_freeform: row("stable", true, "Free-form patches", "Offers the patch tool under its grammar, to models that know it."),
  apply_patch_streaming_events: row("beta", false, "Patch previews", "Shows a patch while the model is still writing it."),
  skills: row("stable", true, "Skills", "Tells the model which skills there are."),
  default_mode_request_user_input: row(
    "stable",
    true,
    "Questions in every mode",
    "Lets the model ask structured questions outside plan mode too; off keeps them to plan mode, as Codex does.",
  ),
  request_permissions_tool: row(
    "stable",
    false,
    "Asking for permissions",
    "Lets the model ask for more room in the sandbox before it runs a command.",
  ),
  tool_search: row(
    "stable",
    true,
    "Tool search",
    "Puts the tools of MCP servers behind a search when there are more than 20, or they take 5,000 tokens.",
  ),
  hooks: row("stable", true, "Hooks", "Runs the programs that the settings name for moments of a session, where the user trusts them."),
  plugins: row("stable", true, "Plugins", "Uses the skills, MCP servers and hooks of installed plugins."),
  goals: row("stable", true, "Goals", "Lets a thread pursue a goal over many turns, which start by themselves."),
  memories: row(
    "beta",
    false,
    "Memories",
    "Gives the model the summary of the notes that Codex keeps about earlier threads in `memories/`.",
  ),
  shell_snapshot: row(
    "stable",
    true,
    "Shell snapshots",
    "Starts the login shells of commands with the environment that their login files produce, where these files change nothing else.",
  ),
  multi_agent: row("stable", true, "Sub-agents", "Lets the model give work to agents of its own, when the user asks for that."),
  multi_agent_v2: row(
    "underDevelopment",
    false,
    "Sub-agents with paths",
    "Gives every model the tools that name agents by path and have a mailbox, not only the models that were trained on them. As a table: `enabled`, and `subagent_developer_instructions` in place of the parent's for agents whose role has none.",
  ),
  network_proxy: row(
    "beta",
    false,
    "Network of listed hosts",
    "Lets sandboxed commands that may use the network reach only the hosts that `features.network_proxy.domains` or a permission profile allows, and asks about others.",
  ),
  web_search_request: row("deprecated", false, "Web search", 'Older name of `web_search = "live"`.'),
};

/** Old and alternative names of the same flags. */
export const featureAliases: Readonly<Record<string, string>> = {
  collab: "multi_agent",
  codex_hooks: "hooks",
  view_image_tool: "view_image",
  memory_tool: "memories",
  experimental_use_unified_exec_tool: "unified_exec",
  experimental_use_freeform_apply_patch: "apply_patch_freeform",
};

/** Flags of other programs in the same table; no warning for them. */
export const foreignFeatures = setOf(
  `shell_tool steer collaboration_modes personality analytics_plan_history api_key_cyber_access_programs api_key_model_discovery app_server_websocket_compression
  apps auth_elicitation background_paginated_rollout_migration browser_use browser_use_external child_agents_md chronicle code_mode
  code_mode_only codex_git_commit computer_use connectors daemon_auto_start enable_fanout enable_mcp_apps
  enable_request_compression exec_permission_approvals experimental_windows_sandbox external_migration fast_mode guardian_approval
  image_detail_original image_generation in_app_browser include_apply_patch_tool js_repl mcp_connection_sharing
  mentions_v2 powershell_utf8 prevent_idle_sleep remote_compaction remote_control remote_models
  remote_plugin request_rule responses_websockets rmcp_client secret_auth_storage shell_zsh_fork skill_mcp_dependency_install
  sqlite streamable_shell tool_call_mcp_elicitation tool_suggest tui2 undo unified_exec_tty use_linux_sandbox_bwrap
  elevated_windows_sandbox enable_experimental_windows_sandbox web_search web_search_cached workspace_dependencies`,
);

export function listFeatures(enabled: Readonly<Record<string, boolean>>): ExperimentalFeature[] {
  return Object.entries(featureRows).map(([name, facts]) => ({
    name,
    ...facts,
    announcement: null,
    enabled: enabled[name] ?? facts.defaultEnabled,
  }));
}
