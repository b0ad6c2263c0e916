import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, it } from "node:test";
import type { Key, Keys } from "./key.ts";
import { configKeys, foreignKeys } from "./keys.ts";

/** The keys of the shared file's older generation, which this server must still read. */
const promised = `agents analytics approval_policy chatgpt_base_url check_for_update_on_startup cli_auth_credentials_store compact_prompt
developer_instructions disable_paste_burst features feedback file_opener forced_chatgpt_workspace_id forced_login_method ghost_snapshot
hide_agent_reasoning history instructions mcp_oauth_callback_port mcp_oauth_credentials_store mcp_servers model model_auto_compact_token_limit
model_context_window model_instructions_file model_personality model_provider model_providers model_reasoning_effort model_reasoning_summary
model_supports_reasoning_summaries model_verbosity notice notify oss_provider otel profile profiles project_doc_fallback_filenames
project_doc_max_bytes project_root_markers projects review_model sandbox_mode sandbox_workspace_write shell_environment_policy
show_raw_agent_reasoning skills suppress_unstable_features_warning tool_output_token_limit tools tui web_search windows_wsl_setup_acknowledged
experimental_compact_prompt_file experimental_instructions_file experimental_use_freeform_apply_patch experimental_use_unified_exec_tool`.split(
  /\s+/,
);

function* unusedKeys(keys: Keys): Generator<Key> {
  for (const key of Object.values(keys)) {
    if (key.unused !== undefined) yield key;
    else if (key.kind === "table") yield* unusedKeys(key.keys);
    else if (key.kind === "named" && key.of.kind === "table" && key.of.keys["model"] === undefined) yield* unusedKeys(key.of.keys);
  }
}

function* usedNames(keys: Keys): Generator<string> {
  for (const [name, key] of Object.entries(keys)) {
    if (key.unused !== undefined || key.foreign === true) continue;
    yield name;
    const inner = key.kind === "named" ? key.of : key;
    if (inner.kind === "table") yield* usedNames(inner.keys);
  }
}

describe("the table of keys", () => {
  it("knows every promised key", () => {
    assert.deepEqual(
      promised.filter((name) => !Object.hasOwn(configKeys, name)),
      [],
    );
  });

  it("has at most ten keys without effect, each with its reason", () => {
    const unused = [...unusedKeys(configKeys)];
    assert.ok(unused.length <= 10, `${unused.length} keys are not honoured`);
    for (const key of unused) assert.ok((key.unused ?? "").length > 10, key.text);
  });

  it("has no unread key that is not marked as such", () => {
    const sources = path.resolve(import.meta.dirname, "..");
    const silent = /(^|[/\\])(config[/\\](key|keys|key-tables|read)|protocol[/\\](?!settings\.ts$).*|store[/\\].*|.*\.test)\.ts$/;
    const code = globSync("**/*.ts", { cwd: sources })
      .filter((file) => !silent.test(file))
      .map((file) => readFileSync(path.join(sources, file), "utf8").replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, ""))
      .join("\n");
    const isRead = (name: string): boolean => new RegExp(`["'.]${name}\\b|\\b${name}\\??:`).test(code);
    assert.deepEqual(
      [...usedNames(configKeys)].filter((name) => !isRead(name)),
      [],
    );
  });

  it("does not list a key as both ours and foreign", () => {
    assert.deepEqual(
      Object.keys(configKeys).filter((name) => foreignKeys.has(name)),
      [],
    );
  });
});
