/** Keys of config.toml whose only effect is a value that other rooms use: each arrives there. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import type { Config } from "../core/ports/config.ts";
import { createConfigStore } from "./load.ts";

function configOf(text: string): Config {
  const home = realpathSync(mkdtempSync(path.join(tmpdir(), "parley-values-")));
  try {
    mkdirSync(path.join(home, "etc"));
    writeFileSync(path.join(home, "config.toml"), `${text}\n[model_providers.mine]\nbase_url = "http://127.0.0.1:1"\n`);
    const fallback = () => ({ modelProvider: "mine", model: "m" });
    return createConfigStore({ codexHome: home, env: {}, systemDir: path.join(home, "etc"), fallback, builtInProviders: {} }).effective(
      home,
    );
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

test("a provider's address, key, headers and timeouts", () => {
  const { providers, warnings } = configOf(`
[model_providers.own]
base_url = "http://127.0.0.1:1"
env_key = "MINE"
env_key_instructions = "ask Ada"
query_params = { version = "2" }
env_http_headers = { "X-Team" = "TEAM" }
websocket_connect_timeout_ms = 250
[model_providers.fixed]
base_url = "http://127.0.0.1:1"
experimental_bearer_token = "t0"
[model_providers.vault]
base_url = "http://127.0.0.1:1"
[model_providers.vault.auth]
command = "vault"
refresh_interval_ms = 7
`);
  const { own, fixed, vault } = providers;
  assert.deepEqual(warnings, []);
  assert.deepEqual(
    [own?.envKeyInstructions, own?.queryParams, own?.envHttpHeaders, own?.websocketConnectTimeoutMs],
    ["ask Ada", { version: "2" }, { "X-Team": "TEAM" }, 250],
  );
  assert.deepEqual([fixed?.bearerToken, vault?.auth?.refreshIntervalMs], ["t0", 7]);
});

test("what an MCP server is started with, asks for and may do unasked", () => {
  const { mcpServers } = configOf(`
[mcp_servers.local]
command = "x"
env_vars = ["PATH", { name = "LANG" }]
default_tools_approval_mode = "approve"
[mcp_servers.web]
url = "https://127.0.0.1/mcp"
env_http_headers = { "X-Team" = "TEAM" }
scopes = ["read", "write"]
`);
  const { local, web } = mcpServers;
  assert.deepEqual(local?.transport, { type: "stdio", command: "x", args: [], env: {}, envVars: ["PATH", "LANG"], cwd: undefined });
  assert.deepEqual([local?.approval, web?.approval], ["allow", "ask"]);
  assert.deepEqual(web?.scopes, ["read", "write"]);
  assert.ok(web?.transport.type === "http");
  assert.deepEqual(web.transport.envHttpHeaders, { "X-Team": "TEAM" });
});

test("what commands see of the environment and may use up", () => {
  const { shellEnvironment: environment, commandLimits } = configOf(`
[shell_environment_policy]
ignore_default_excludes = true
include_only = ["PATH", "LC_*"]
[parley.command_limits]
open_files = 64
file_mb = 3
`);
  assert.deepEqual([environment.ignoreDefaultExcludes, environment.includeOnly], [true, ["PATH", "LC_*"]]);
  assert.deepEqual([commandLimits.openFiles, commandLimits.fileMegabytes], [64, 3]);
});

test("how long questions wait, whether turns wait for the disk, and the older name of web search", () => {
  const config = configOf(`
[parley]
sync_turns = true
[parley.ask_timeouts]
"item/tool/requestUserInput" = 5
[features]
web_search_request = true
`);
  assert.deepEqual([config.syncTurns, config.askTimeouts, config.webSearch], [true, { "item/tool/requestUserInput": 5 }, "live"]);
});
