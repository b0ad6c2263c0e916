/** The tables inside config.toml: providers, MCP servers, environment, hooks, the terminal UI and our own additions. */
import { hookEventNames } from "../core/ports/hooks.ts";
import { array, boolean, literals, natural, number, object, positive, record, string, union } from "../lib/schema.ts";
import { free, type Key, type Keys, named, table, value } from "./key.ts";

const strings = () => array(string());
const texts = () => record(string());

export const modelProvider = table("One provider.", {
  name: value(string, "Shown to people.", { standard: "the id" }),
  base_url: value(string, "The address in front of `/responses`, `/chat/completions` or `/messages`."),
  wire_api: value(() => literals("responses", "chat", "anthropic", "scripted", "ai-sdk"), "The language it speaks.", {
    standard: "`responses`",
  }),
  env_key: value(string, "The environment variable that holds its key."),
  env_key_instructions: value(string, "Shown when that variable is not set."),
  experimental_bearer_token: value(string, "The key itself; better kept out of this file."),
  auth: table("A program whose output is the bearer token. Not together with the keys above, nor with `requires_openai_auth`.", {
    command: value(string, "The program; a bare name is looked up in `PATH`."),
    args: value(strings, "Its arguments."),
    cwd: value(string, "The folder it runs in.", { standard: "the server's own" }),
    timeout_ms: value(positive, "How long it may take.", { standard: "5000" }),
    refresh_interval_ms: value(natural, "The age at which a token is fetched anew; 0 waits until the provider refuses it.", {
      standard: "300000",
    }),
  }),
  http_headers: value(texts, "Further headers."),
  env_http_headers: value(texts, "Header name → environment variable that holds its value."),
  query_params: value(texts, "Added to every address."),
  request_max_retries: value(natural, "Tries after a request that failed.", { standard: "4" }),
  stream_max_retries: value(natural, "Tries after a stream that broke.", { standard: "5" }),
  stream_idle_timeout_ms: value(natural, "Silence after which a stream counts as broken.", { standard: "300000" }),
  requires_openai_auth: value(boolean, "Send the user's signed-in account as the key.", { standard: "false" }),
  supports_websockets: value(boolean, "Speak the Responses wire over a websocket, which is sent only what is new.", {
    standard: "true at api.openai.com, false elsewhere",
  }),
  websocket_connect_timeout_ms: value(natural, "How long such a connection may take to open.", { standard: "15000" }),
  options: free("Settings of the adapter: the scenario file of `scripted`, the package of `ai-sdk`."),
  aws: table("Of `amazon-bedrock` alone.", {
    region: value(string, "The region it is reached in.", { standard: "that of the sign-in, else `$AWS_REGION`, else `us-east-1`" }),
    ...foreign("profile"),
  }),
  ...foreign("capabilities credential_file gateway_oauth location model_catalog_url project_id supports_standalone_web_search"),
});

const seconds = () => number();

export const mcpServer = table("One server: `command` for a program, `url` for an HTTP server.", {
  command: value(string, "The program to start."),
  args: value(strings, "Its arguments."),
  env: value(texts, "Variables set for it."),
  env_vars: value(() => array(union([string(), object({ name: string() })])), "Names of variables copied from our own environment."),
  cwd: value(string, "The folder it starts in."),
  url: value(string, "The address of an HTTP server."),
  bearer_token_env_var: value(string, "The environment variable that contains its token."),
  http_headers: value(texts, "Further headers."),
  env_http_headers: value(texts, "Header name → environment variable that holds its value."),
  http_headers_helper: value(
    string,
    'A shell command that prints further headers as JSON (`{"X-Key": "…"}`), run for each connection and sign-in.',
  ),
  enabled: value(boolean, "Off keeps the entry and starts nothing.", { standard: "true" }),
  required: value(boolean, "Refuse to start a thread without it.", { standard: "false" }),
  startup_timeout_sec: value(seconds, "Seconds to wait until it answers.", { standard: "10" }),
  startup_timeout_ms: value(natural, "The same in milliseconds."),
  tool_timeout_sec: value(seconds, "Seconds a tool may take.", { standard: "60" }),
  enabled_tools: value(strings, "Offer only these tools."),
  disabled_tools: value(strings, "Never offer these."),
  approval: value(() => literals("ask", "allow"), "`allow` runs tools with side effects unasked.", { standard: "`ask`" }),
  default_tools_approval_mode: value(
    () => literals("auto", "prompt", "writes", "approve"),
    '`approve` means `approval = "allow"`, the others `ask`.',
  ),
  tools: named(
    "Settings of single tools.",
    "tool",
    table("One tool.", {
      approval_mode: value(() => literals("auto", "prompt", "writes", "approve"), "`approve` runs it unasked, whatever `approval` says."),
      ...foreign("enabled"),
    }),
  ),
  scopes: value(strings, "OAuth scopes to ask for."),
  oauth_resource: value(string, "The OAuth resource to name."),
  oauth: table("A client that was registered with the server's maker by hand.", {
    client_id: value(string, "Its id; without one Parley registers itself."),
    client_secret: value(string, "Its secret, where it has one."),
    callback_url: value(string, "The address that was registered for it: `http://127.0.0.1[:PORT]/PATH`; without a port any free one.", {
      standard: "`http://127.0.0.1/callback`",
    }),
  }),
  ...foreign("experimental_environment environment_id supports_parallel_tool_calls name auth protocol_version"),
});

export const environment = table("Which variables commands get.", {
  inherit: value(() => literals("all", "core", "none"), "What to begin with.", { standard: "`all`" }),
  ignore_default_excludes: value(boolean, "Keep names with KEY, SECRET or TOKEN in them.", { standard: "false" }),
  exclude: value(strings, "Patterns of names to drop."),
  set: value(texts, "Variables to set."),
  include_only: value(strings, "When given, only names that match one of these patterns remain."),
  experimental_use_profile: value(boolean, "Run commands in a login shell.", {
    unused: "the model says with each command whether it wants a login shell",
  }),
  ...foreign("filters"),
});

export const agents: Key = table(
  "Sub-agents, which the model starts when it is asked to. `[agents.<kind>]` with `description` and `config_file` describes a kind of them, as files in `agents/` of the home and in `.codex/agents/` of a trusted project do.",
  {
    enabled: value(boolean, "Whether there are any; `features.multi_agent = false` is the same.", { standard: "true" }),
    max_threads: value(natural, "How many of them one session may have open at a time, on all levels together.", { standard: "6" }),
    max_concurrent_threads_per_session: value(natural, "Another name of `max_threads`, which counts more."),
    max_depth: value(natural, "How deep agents may start agents: with 1 they start none.", { standard: "1" }),
    default_subagent_model: value(string, "The model of agents, unless their kind or the call names one.", {
      standard: "that of their parent",
    }),
    default_subagent_reasoning_effort: value(string, "Their reasoning effort, in the same way.", { standard: "that of their parent" }),
    ...foreign("interrupt_message job_max_runtime_seconds"),
  },
);

export const history = table("The prompt history of the terminal UI.", {
  persistence: value(() => literals("save-all", "none"), "Whether to keep it.", { standard: "`save-all`" }),
  max_bytes: value(natural, "Drop the oldest lines when the file grows above this size."),
});

const exporter = () => union([string(), object({})]);
export const otel = table("OpenTelemetry: traces of turns and figures, as OTLP over HTTP in JSON. Nothing is sent without it.", {
  exporter: value(
    exporter,
    'Where to: `{ otlp-http = { endpoint = "http://127.0.0.1:4318", headers = { … } } }` or `"none"`. The endpoint may end in `/v1/traces` or `/v1/metrics` or not.',
    { standard: "`none`" },
  ),
  trace_exporter: value(exporter, "For traces alone.", { standard: "`exporter`" }),
  metrics_exporter: value(exporter, "For figures alone.", { standard: "`exporter`" }),
  environment: value(string, "Said with everything, as `deployment.environment.name`.", { standard: "`dev`" }),
  span_attributes: value(texts, "Added to the span of each turn."),
  log_user_prompt: value(boolean, "Put the text of the user into the span of the turn.", { standard: "false" }),
  ...foreign("tracestate log_agent_responses log_guardian_assessments"),
});

const matcherGroups = () => array(object({ hooks: array(object({ type: string() })) }));
/** The user's settings of a plugin's server; the plugin decides how it is started. */
const pluginServer = table("One of its MCP servers.", {
  enabled: mcpServer.keys["enabled"] ?? free("On or off."),
  approval: mcpServer.keys["approval"] ?? free("Asked about or not."),
  default_tools_approval_mode: mcpServer.keys["default_tools_approval_mode"] ?? free("Asked about or not."),
  enabled_tools: value(strings, "Offer only these tools."),
  disabled_tools: value(strings, "Never offer these."),
  tools: mcpServer.keys["tools"] ?? free("Settings of single tools."),
});

export const plugin = table("One plugin.", {
  enabled: value(boolean, "Off keeps it installed and uses nothing of it.", { standard: "true" }),
  mcp_servers: named("What holds for the MCP servers that it brings along.", "name", pluginServer),
});

export const marketplace = table("One marketplace.", {
  source_type: value(() => literals("local", "git"), "A folder, or a git repository of which a copy is kept."),
  source: value(string, "The folder, or the repository's address."),
  ref: value(string, "The branch, tag or commit that is taken.", { standard: "the repository's own choice" }),
  sparse_paths: value(strings, "Only these folders of the repository are taken."),
  ...foreign("last_revision last_updated"),
});

export const hookEvents: Keys = {
  ...Object.fromEntries(Object.values(hookEventNames).map((event) => [event, value(matcherGroups, `Run at ${event}.`)])),
  state: free("Which hooks the user has agreed to."),
};

export const tui = table("The terminal UI.", {
  notifications: value(
    () => union([boolean(), strings()]),
    "Notices of the terminal: true, false, or the kinds wanted of `agent-turn-complete` and `approval-requested` (questions included).",
    { standard: "true" },
  ),
  notification_method: value(() => literals("auto", "osc9", "bel"), "How the terminal is asked for a notice."),
  animations: value(boolean, "Moving parts.", { standard: "true" }),
  alternate_screen: value(() => literals("auto", "always", "never"), "Use the terminal's second screen."),
  theme: value(string, "The colours: a name with `light` or `dark` in it; with `ansi` in it, the sixteen that the terminal defines.", {
    standard: "as the terminal's background",
  }),
  keymap: value(
    () => record(record(union([string(), strings()]))),
    'Keys of your own: `global.open_transcript = "ctrl-x"`; `/keymap` lists the actions, `[]` leaves one without a key.',
  ),
  status_line: value(strings, "What the line below the message shows, in this order; `/statusline` lists what there is.", {
    standard: "model, access, folder and context",
  }),
  vim_mode_default: value(boolean, "Vim keys in the message; `/vim` changes it for the session.", { standard: "false" }),
  ...ofOtherScreens("show_tooltips scroll_events_per_tick scroll_wheel_lines scroll_mode scroll_invert scroll_trackpad_lines"),
  ...ofOtherScreens(
    "scroll_wheel_tick_detect_max_ms scroll_wheel_like_max_duration_ms experimental_mode terminal_title model_availability_nux",
  ),
  ...ofOtherScreens("status_line_use_colors session_picker_view notification_condition raw_output_mode pet resume_cwd"),
});

const price = table("Money for one million tokens.", {
  input: value(number, "Fresh input."),
  cached_input: value(number, "Input that the provider had in its cache.", { standard: "the price of `input`" }),
  cache_write: value(number, "Input that the provider wrote to its cache.", { standard: "the price of `input`" }),
  output: value(number, "Output, thinking included."),
});

const model = table("What the catalogue has wrong, or cannot know.", {
  context_window: value(natural, "Tokens that fit."),
  max_output_tokens: value(natural, "The longest answer."),
  images: value(boolean, "Whether it sees images."),
  pdf: value(boolean, "Whether it reads PDFs."),
  tools: value(boolean, "Whether it calls tools; without, they are described to it as text."),
  parallel_tool_calls: value(boolean, "Whether it may call several tools at once."),
  efforts: value(strings, "The reasoning efforts it knows."),
  default_effort: value(string, "The effort that is asked for when nobody says one."),
  verbosity: value(() => literals("low", "medium", "high"), "How long its answers are when `model_verbosity` is not set."),
  edit: value(() => literals("patch", "replace"), "How it edits files: by patches, or by replacing one text with another."),
  shell_tool: value(() => literals("exec_command", "shell_command", "shell"), "Which tool it runs commands with."),
});

export const autoReview = table("The automatic review of approvals (`approvals_reviewer`).", {
  policy: value(string, "Rules of yours for the reviewer, in addition to its own."),
});

export const parley = table("What only this server knows.", {
  auto_review: table("The automatic review of approvals.", {
    model: value(string, "The model that reviews.", { standard: "that of the thread" }),
    timeout_ms: value(natural, "Milliseconds after which a review counts as none.", { standard: "90000" }),
  }),
  sync_turns: value(boolean, "Wait for the disk at the end of each turn.", { standard: "false" }),
  diagnostics: value(
    () => array(literals("ruff", "tsc", "cargo")),
    "Checkers that look at the files of an edit in a trusted folder, confined, within 8 seconds; the model reads what they find. `[]` is none.",
    { standard: '`["ruff", "tsc"]`, where the project has them' },
  ),
  protected_names: value(
    strings,
    'Further names that commands and unasked patches may not write in a workspace, beside `.git`, `.codex` and `.agents`: `[".vscode", ".idea", ".envrc"]`.',
  ),
  command_limits: table("What a sandboxed command may use up; 0 is no limit.", {
    processes: value(natural, "Processes and threads of the whole command. One that starts more is ended, with a word that says so.", {
      standard: "2048, or 256 for each processor where that is more",
    }),
    open_files: value(natural, "Files that each process may have open.", { standard: "the server's own limit" }),
    file_mb: value(natural, "The size of each file that it writes.", { standard: "no limit" }),
    memory_mb: value(natural, "Memory of each process. Without it, the kernel ends the command first when memory runs out.", {
      standard: "no limit",
    }),
  }),
  sandbox_engine: value(
    () => literals("auto", "namespaces", "bubblewrap", "landlock"),
    "What confines commands on Linux; also `$PARLEY_SANDBOX_ENGINE`, which counts more. `auto` takes the first that works, in this order. One that is named and cannot be had here is refused with the reason. What each cannot do is in [security.md](security.md).",
    { standard: "`auto`" },
  ),
  ask_timeouts: value(
    () => record(number()),
    'Seconds until an unanswered question counts as a no, by method: `"item/commandExecution/requestApproval" = 300`.',
  ),

  max_requests_per_turn: value(
    natural,
    "Model requests in one turn after which the person is asked; where nobody can be, the turn fails.",
    {
      standard: "200",
    },
  ),
  fallback_model: value(string, "Asked for the rest of a turn when the model in use is overloaded; the person is notified."),
  fallback_model_provider: value(string, "The provider of `fallback_model`.", { standard: "the one that its name belongs to" }),
  clear_old_results: value(boolean, "Clear old tool results out of a long history before it has to be compacted.", { standard: "true" }),
  models: named("What is known of models, over the built-in catalogue and the providers' own lists.", "model", model),
  prices: named(
    "What models cost, for `account/usage/read` and money budgets, over the built-in prices (USD, of the provider in use).",
    "model",
    price,
  ),
  currency: value(string, "The unit of `prices` and budgets in money.", { standard: "`USD`" }),
  budget: table("Warns at 80 %, and asks before the next model call when spent; a yes reaches a further fifth.", {
    tokens_per_day: value(natural, "Tokens in one calendar day."),
    tokens_per_thread: value(natural, "Tokens in one thread."),
    money_per_day: value(number, "Money in one calendar day; models without a known price need `prices`."),
    money_per_thread: value(number, "Money in one thread; models without a known price need `prices`."),
  }),
  auth: table("Signing in with a service other than the public one.", {
    issuer: value(string, "Its address."),
    client_id: value(string, "Our name there."),
    callback_port: value(natural, "The local port its browser flow returns to; 0 takes any.", { standard: "1455" }),
  }),
});

/** Names for the screens of another terminal UI. */
function ofOtherScreens(names: string): Keys {
  return Object.fromEntries(names.split(" ").map((name) => [name, free("Kept for other programs.", { foreign: true, quiet: true })]));
}

/** Settings of another program's proxy: a thread with the profile says what has no effect, and why. */
function warnedOfByProfiles(names: string): Keys {
  return Object.fromEntries(names.split(" ").map((name) => [name, free("Kept for other programs.", { foreign: true, quiet: true })]));
}

/** Names that other programs use in the same table. */
function foreign(names: string): Keys {
  return Object.fromEntries(names.split(" ").map((name) => [name, free("Kept for other programs.", { foreign: true })]));
}

export const permissionProfile = table("One profile. docs/security.md shows what each engine of the sandbox can enforce.", {
  description: value(string, "Shown where profiles are chosen."),
  extends: value(string, "The profile whose entries it starts from: `:read-only`, `:workspace`, or another of `permissions`."),
  workspace_roots: value(() => record(boolean()), "Further folders of the workspace, each true or false."),
  filesystem: free(
    'What commands and the agent may do with files: a path, `:root`, `:workspace_roots`, `:minimal`, `:tmpdir` or `:slash_tmp` = `"read"`, `"write"` or `"deny"`; or a table of paths below it. The longest path counts, and what none covers is denied. A denied path may have wildcards (`"**/.env"`), and `glob_scan_max_depth` limits how deep these are looked for.',
  ),
  network: table("What commands may reach over the network. docs/security.md describes the proxy that they go through.", {
    enabled: value(boolean, "Let commands reach the network: every host, unless one of the other keys is set.", { standard: "false" }),
    domains: free(
      'Hosts, each `"allow"` or `"deny"`: `example.com`, `*.example.com` (below it), `**.example.com` (it and below), `*` (all). A denial wins; hosts that no entry names are asked about.',
    ),
    mode: free('`"limited"` allows only plain HTTP requests that read (GET, HEAD, OPTIONS).', { standard: "full" }),
    allow_local_binding: value(
      boolean,
      "Treat this machine and its network like other hosts. Otherwise only addresses that `domains` allows by name can be reached there.",
      {
        standard: "false",
      },
    ),
    allow_upstream_proxy: value(boolean, "Use the proxy that Parley's own environment names (`HTTPS_PROXY` and others).", {
      standard: "true",
    }),
    enable_socks5: value(boolean, "Let programs speak SOCKS 5 too.", { standard: "true" }),
    ...warnedOfByProfiles(
      "unix_sockets proxy_url socks_url enable_socks5_udp dangerously_allow_non_loopback_proxy dangerously_allow_all_unix_sockets mitm",
    ),
  }),
});
