/** Every key of config.toml: the names of the shared file, their effect here, and why some have none. */
import { array, boolean, filledString, integer, literals, natural, object, positive, string, union } from "../lib/schema.ts";
import { ApprovalsReviewer, AskForApproval, ReasoningSummary, SandboxMode } from "../protocol/policy.ts";
import { free, type Keys, named, table, value } from "./key.ts";
import {
  agents,
  autoReview,
  environment,
  history,
  hookEvents,
  marketplace,
  mcpServer,
  modelProvider,
  otel,
  parley,
  permissionProfile,
  plugin,
  tui,
} from "./key-tables.ts";

const strings = () => array(string());

/** Keys that profiles accept too. */
const profileKeys: Keys = {
  model: value(string, "The model to ask."),
  model_provider: value(string, "Which provider of `model_providers` serves it.", {
    standard: "the first built-in provider whose key is at hand, else `scripted`",
  }),
  approval_policy: value(AskForApproval, "When to ask before a command runs or a file changes.", {
    standard: "`on-request`; `untrusted` in a folder marked untrusted",
  }),
  approvals_reviewer: value(
    ApprovalsReviewer,
    "Who answers approval requests: `user`, or with `auto_review` (older: `guardian_subagent`) a model first, under the approval policies `on-request` and granular ones. What it does not approve goes to the user, where one is connected.",
    { standard: "`user`" },
  ),
  sandbox_mode: value(SandboxMode, "What commands may write.", {
    standard: "`read-only`; `workspace-write` in a folder whose trust is settled",
  }),
  model_reasoning_effort: value(filledString, "How long the model thinks: `minimal`, `low`, `medium`, `high` or a word the model knows."),
  plan_mode_reasoning_effort: value(string, "The effort in plan mode."),
  model_reasoning_summary: value(ReasoningSummary, "How much of its thinking the model tells."),
  model_verbosity: value(() => literals("low", "medium", "high"), "How long answers are, for models that take such a setting."),
  model_supports_reasoning_summaries: value(boolean, "Ask for summaries even from a model that the catalogue does not know."),
  model_instructions_file: value(string, "A file whose text replaces the base instructions. Relative to the file that names it."),
  model_personality: value(() => literals("none", "friendly", "pragmatic"), "Older name of `personality`."),
  personality: value(() => literals("none", "friendly", "pragmatic"), "The tone of answers."),
  service_tier: value(string, "The provider's service tier."),
  chatgpt_base_url: value(string, "Where account data such as rate limits is read.", { standard: "the account service's own address" }),
  web_search: value(() => literals("disabled", "cached", "indexed", "live"), "Whether the provider may search the web.", {
    standard: "`cached` for the provider `openai`, else `disabled`",
  }),
  tools: table("Switches of single tools.", {
    web_search: value(
      () => union([boolean(), object({})]),
      'true, false, or options: `{ context_size = "low", allowed_domains = ["example.org"], location = { country = "CH" } }`.',
    ),
    web_search_request: value(boolean, "Older name of `tools.web_search`."),
    web_fetch: value(boolean, "Offer the tool that reads pages of the web, where the provider does not do it itself.", {
      standard: "true",
    }),
    view_image: value(boolean, "Offer the tool that shows images to the model.", { standard: "true" }),
    experimental_request_user_input: table("The tools that put questions to the user.", {
      enabled: value(boolean, "Offer them.", { standard: "true" }),
    }),
    read_document: table("The tool that reads PDFs and notebooks.", { enabled: value(boolean, "Offer it.", { standard: "true" }) }),
    update_plan: table("The tool that keeps a plan.", { enabled: value(boolean, "Offer it.", { standard: "true" }) }),
  }),
  include_plan_tool: value(boolean, "Offer the tool that keeps a plan.", { standard: "true" }),
  features: named(
    "Feature flags; `experimentalFeature/list` names them.",
    "name",
    value(() => union([boolean(), object({})]), "On or off."),
  ),
  oss_provider: value(string, "The provider that `--oss` stands for.", { standard: "`ollama`" }),
  analytics: table(
    "Telemetry to the maker.",
    { enabled: value(boolean, "On or off.") },
    { unused: "nothing is ever sent, so there is nothing to switch", quiet: true },
  ),
  experimental_instructions_file: value(string, "Older name of `model_instructions_file`."),
  experimental_compact_prompt_file: value(string, "A file whose text replaces the compaction prompt."),
  experimental_use_unified_exec_tool: value(boolean, "Use the interactive terminal tools instead of plain `shell`."),
  experimental_use_freeform_apply_patch: value(boolean, "Offer the patch tool in its free-form shape."),
};

export const configKeys: Keys = {
  ...profileKeys,
  profile: value(string, "The profile in use: a table of `profiles`, or the file `<name>.config.toml` beside config.toml."),
  profiles: named("Sets of settings that `profile` chooses from.", "name", table("One profile.", profileKeys)),
  model_providers: named("Model servers beside the built-in ones; a built-in id changes that one.", "id", modelProvider),
  openai_base_url: value(string, "The address of the built-in provider `openai`."),
  model_context_window: value(natural, "Tokens that fit, when the catalogue does not know the model."),
  model_auto_compact_token_limit: value(integer, "Compact the history above this many tokens; 0 or less never does."),
  tool_output_token_limit: value(natural, "Tokens of a tool's output that the model gets to see.", { standard: "10000" }),
  instructions: value(string, "Text that replaces the base instructions."),
  developer_instructions: value(string, "Text added as a developer message."),
  compact_prompt: value(string, "Text that replaces the compaction prompt."),
  review_model: value(string, "The model of `review/start`."),
  hide_agent_reasoning: value(boolean, "Send no reasoning items to clients.", { standard: "false" }),
  show_raw_agent_reasoning: value(
    boolean,
    "Raw reasoning text goes to clients where the provider sends it; `false` keeps it back. `true` sends it also beside `hide_agent_reasoning`.",
  ),
  sandbox_workspace_write: table("The fine print of `workspace-write`.", {
    writable_roots: value(strings, "Further folders that commands may write."),
    network_access: value(boolean, "Let commands reach the network.", { standard: "false" }),
    exclude_tmpdir_env_var: value(boolean, "Keep `$TMPDIR` read-only.", { standard: "false" }),
    exclude_slash_tmp: value(boolean, "Keep `/tmp` read-only.", { standard: "false" }),
  }),
  default_permissions: value(
    string,
    "The permission profile of new threads: `:read-only`, `:workspace`, `:danger-full-access`, or one of `permissions`. Where `sandbox_mode` is set too, the later file counts, and in one file the profile.",
  ),
  permissions: named("Permission profiles of your own, by name.", "name", permissionProfile),
  shell_environment_policy: environment,
  projects: named(
    "What the user decided about folders.",
    "path",
    table("One folder.", {
      trust_level: value(() => literals("trusted", "untrusted"), "Only a trusted folder's own config, rules, hooks and skills count."),
    }),
  ),
  project_root_markers: value(strings, "Names that mark the root of a project.", { standard: '[".git"]' }),
  project_doc_max_bytes: value(natural, "How much of the AGENTS.md files the model gets.", { standard: "32768" }),
  project_doc_fallback_filenames: value(strings, "Read where there is no AGENTS.md."),
  mcp_servers: named("MCP servers whose tools the model may use.", "name", mcpServer),
  mcp_oauth_callback_port: value(natural, "The port of the login callback of MCP servers.", { standard: "any free one" }),
  mcp_oauth_credentials_store: value(() => literals("auto", "file", "keyring"), "Where tokens of MCP servers are kept.", {
    standard: "`auto`",
  }),
  cli_auth_credentials_store: value(() => literals("file", "keyring", "auto", "ephemeral"), "Where the user's account is kept.", {
    standard: "`file`",
  }),
  forced_login_method: value(() => literals("chatgpt", "api"), "Allow only this way to sign in."),
  forced_chatgpt_workspace_id: value(() => union([string(), strings()]), "Allow only accounts of this workspace."),
  skills: table("Skills.", {
    config: value(() => array(object({ enabled: boolean() })), "Entries `{ path | name, enabled }` that switch single skills."),
    bundled: table("The skills that come along.", { enabled: value(boolean, "On or off.", { standard: "true" }) }),
    include_instructions: value(boolean, "Tell the model which skills there are.", { standard: "true" }),
  }),
  plugins: named("Installed plugins, by `name@marketplace`; docs/plugins.md tells about them.", "plugin", plugin),
  marketplaces: named("Where plugins come from.", "marketplace", marketplace),
  hooks: table("Programs and MCP tools that run at certain moments, where the user trusts them; docs/hooks.md has the events.", hookEvents),
  notify: value(strings, "A program that is run when a turn has finished; a JSON text is added as the last argument."),
  history: history,
  agents: agents,
  ghost_snapshot: free("Options of git snapshots.", {
    unused: "undo keeps the earlier text of each touched file and needs no git",
    quiet: true,
  }),
  otel: otel,
  log_dir: value(string, "The folder of the log files.", { standard: "`$CODEX_HOME/parley/log`" }),
  tui: tui,
  notice: free("Notices that shall not be shown again.", {
    unused: "they silence notices of another terminal UI; this one has none of them",
    quiet: true,
  }),
  disable_paste_burst: value(boolean, "Take fast typing for typing.", {
    unused: "the terminal tells us about pastes, nothing is guessed from speed",
    quiet: true,
  }),
  file_opener: value(() => literals("vscode", "vscode-insiders", "windsurf", "cursor", "none"), "The editor that links to files open.", {
    standard: "`vscode`",
  }),
  check_for_update_on_startup: value(boolean, "Look for a newer version.", { unused: "no version is ever looked up", quiet: true }),
  feedback: table("Reports.", { enabled: value(boolean, "Refuse `feedback/upload` when false.", { standard: "true" }) }),
  fleet: table("Threads of a fleet, as a client asks for them with the config of `thread/start`; only a worker reads it.", {
    labels: value(() => array(string()), "Only a worker with all of these labels may run the thread."),
    git: value(string, "The repository that is checked out for the thread: `https://…`, `ssh://…`, `USER@HOST:PATH` or a path."),
    ref: value(string, "Its branch, tag or commit.", { standard: "the default branch" }),
    snapshots: value(string, "Where the files are saved at the end of each turn.", {
      standard: "the repository itself, in `refs/parley/…`",
    }),
    on_loss: value(
      () => literals("interrupt", "continue"),
      "What becomes of a turn whose worker is lost: it ends, or the model is told of it and goes on at another worker. Without it in `thread/start` the file of the worker that takes the thread over counts.",
      { standard: "`interrupt`" },
    ),
    git_protocols: value(() => array(literals("https", "ssh", "file")), "In a worker's own file: the addresses that clients may name.", {
      standard: '`["https", "ssh", "file"]`',
    }),
  }),
  goals: table("Goals of threads.", {
    max_goal_token_budget: value(positive, "The largest token budget of a goal, and the budget of one that names none."),
  }),
  thread_unload_delay_secs: value(natural, "Seconds after which a thread that nobody watches leaves memory, with its MCP servers.", {
    standard: "1800",
  }),
  suppress_unstable_features_warning: value(boolean, "No warning about features under development.", { standard: "false" }),
  windows_wsl_setup_acknowledged: value(boolean, "The notice about WSL was read.", { unused: "there is no such notice", quiet: true }),
  auto_review: autoReview,
  parley: parley,
};

/** Keys of other programs that share the file, for features this server does not have: kept without a warning. An unknown key gets one. */
export const foreignKeys: ReadonlySet<string> = new Set(
  `allow_symlinked_codex_home apps_mcp_product_sku audio browser_use cloud computer_use daybreak debug desktop windows sqlite_home tool_suggest js_repl_node_module_dirs js_repl_node_path experimental_realtime_start_instructions experimental_realtime_webrtc_call_base_url experimental_realtime_ws_backend_prompt experimental_realtime_ws_base_url experimental_realtime_ws_model experimental_realtime_ws_startup_context realtime experimental_thread_store experimental_thread_store_endpoint experimental_thread_config_endpoint experimental_use_exec_command_tool experimental_use_rmcp_client`.split(
    /\s+/,
  ),
);

/** Keys of the shared file that have no effect here although the user may rely on them: kept, with a warning. */
export const keysNotHonoured: ReadonlySet<string> = new Set(
  `model_catalog_json include_apply_patch_tool model_auto_compact_token_limit_scope background_terminal_max_timeout allow_login_shell mcp_oauth_callback_url apps include_apps_instructions include_collaboration_mode_instructions include_environment_context include_environment_context_time include_permissions_instructions mcp_enterprise_managed_auth mcp_optional_startup_grace_ms memories model_post_turn_compact_threshold_percent orchestrator responses_api_metadata experimental_sandbox_command_assessment zsh_path`.split(
    /\s+/,
  ),
);

/** A repository must not decide where credentials go, which programs run beside the agent, or what the user trusts. */
export const notFromProjects: ReadonlySet<string> = new Set([
  ...["openai_base_url", "chatgpt_base_url", "model_provider", "model_providers", "notify", "profile", "profiles", "projects", "otel"],
  ...["cli_auth_credentials_store", "mcp_oauth_credentials_store", "forced_login_method", "forced_chatgpt_workspace_id"],
  ...["experimental_realtime_ws_base_url", "experimental_realtime_webrtc_call_base_url", "apps_mcp_product_sku", "parley", "log_dir"],
  ...["project_root_markers", "plugins", "marketplaces", "approvals_reviewer", "auto_review", "agents", "fleet"],
]);
