/** Values that an administrator, a user or a command line sets: each comes back over the wire as itself. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Client } from "../../../src/client/client.ts";
import type { ConfigRequirements } from "../../../src/protocol/config-requirements.ts";
import { verifies } from "../../support/verifies.ts";

const requirements = `
cli_auth_credentials_store = "STORE"
enforce_residency = "us"
allowed_approval_policies = ["untrusted", "on-failure"]
allowed_approvals_reviewers = ["user", "guardian_subagent"]
allowed_windows_sandbox_implementations = ["elevated", "unelevated", "mxc"]
[computer_use]
default_app_access = "deny"
[computer_use.macos.bundle_ids]
"org.example.app" = "allow"
[[computer_use.windows.exes]]
access = "allow"
product_name = "Example"
publisher_name = "Example Ltd"
[browser_use.default_origin_policy]
access_approval_lifetime = "turn"
[browser_use.origins."https://example.test"]
access_approval_lifetime = "thread"
full_cdp_access = "deny"
[experimental_network.unix_sockets]
"/run/a" = "allow"
"/run/b" = "deny"
[otel]
exporter = "none"
metrics_exporter = "statsig"
trace_exporter = { otlp-http = { endpoint = "http://127.0.0.1:1", headers = {}, protocol = "PROTOCOL" } }
[[hooks.Stop]]
hooks = [{ type = "command", command = "true", status_message = "Looking", timeout = 5 }, { type = "mcp_tool", server = "s", tool = "t" }, { type = "prompt" }, { type = "agent" }]
`;

const expected: Partial<ConfigRequirements> = {
  enforceResidency: "us",
  allowedApprovalPolicies: ["untrusted", "on-failure"],
  allowedApprovalsReviewers: ["user", "guardian_subagent"],
  allowedWindowsSandboxImplementations: ["elevated", "unelevated", "mxc"],
  computerUse: {
    defaultAppAccess: "deny",
    macos: { bundleIds: { "org.example.app": "allow" } },
    windows: { exes: [{ access: "allow", productName: "Example", publisherName: "Example Ltd" }] },
  },
  browserUse: {
    defaultOriginPolicy: { accessApprovalLifetime: "turn" },
    origins: { "https://example.test": { accessApprovalLifetime: "thread", fullCdpAccess: "deny" } },
  },
};

verifies(
  "config.requirementValues",
  async (stage) => {
    const read = async (client: Client) =>
      (await client.call("configRequirements/read", {})).requirements ?? assert.fail("no requirements");
    for (const [store, protocol] of [
      ["file", "binary"],
      ["keyring", "json"],
      ["auto", "json"],
      ["ephemeral", "json"],
    ] as const) {
      const text = requirements.replace("STORE", store).replace("PROTOCOL", protocol);
      writeFileSync(path.join(stage.systemDir, "requirements.toml"), text);
      const found = await read(await stage.app());
      assert.equal(found.cliAuthCredentialsStore, store);
      const picked = Object.fromEntries(Object.keys(expected).map((key) => [key, Reflect.get(found, key)]));
      assert.deepEqual(picked, expected);
      assert.deepEqual(found.network?.unixSockets, { "/run/a": "allow", "/run/b": "deny" });
      const exporter = { "otlp-http": { endpoint: "http://127.0.0.1:1", headers: {}, protocol } };
      assert.deepEqual([found.otel?.exporter, found.otel?.metrics_exporter, found.otel?.trace_exporter], ["none", "statsig", exporter]);
      const [group] = found.hooks?.Stop ?? [];
      assert.deepEqual(group?.hooks[0], { type: "command", command: "true", async: false, statusMessage: "Looking", timeoutSec: 5 });
      assert.deepEqual(
        group?.hooks.map(({ type }) => type),
        ["command", "mcp_tool", "prompt", "agent"],
      );
    }
  },
  { legs: ["memory"] },
);

/** Keys whose tables other programs read; they are shown as they stand in the file. */
const foreign: Readonly<Record<string, readonly string[]>> = {
  "apps._default.default_tools_approval_mode": ["auto", "prompt", "writes", "approve"],
  "tools.web_search.context_size": ["low", "medium", "high"],
  "computer_use.default_app_access": ["allow", "deny"],
};

verifies("config.values", async (stage) => {
  const wire = await stage.wire();
  await wire.initialize({ experimentalApi: true, requestAttestation: false });
  for (const [keyPath, values] of Object.entries(foreign))
    for (const value of values) {
      const { error } = await wire.ask("config/value/write", { keyPath, value, mergeStrategy: "upsert" });
      assert.equal(error, undefined, `${keyPath} = ${value}: ${JSON.stringify(error)}`);
      const { config } = (await wire.ask("config/read", {})).result;
      assert.equal(
        keyPath.split(".").reduce((at, key) => at[key], config),
        value,
      );
    }
  for (const personality of ["friendly", "pragmatic"]) {
    const { thread } = (await wire.ask("thread/start", { cwd: stage.workspace, personality })).result;
    await wire.ask("thread/settings/update", { threadId: thread.id, personality: "none" });
    await wire.ask("thread/settings/update", { threadId: thread.id, personality });
    await wire.until(
      ({ method, params }) => method === "thread/settings/updated" && params.threadSettings.personality === personality,
      personality,
    );
  }
  const open = { type: "externalSandbox", networkAccess: "enabled" };
  const { thread } = (await wire.ask("thread/start", { cwd: stage.workspace })).result;
  await wire.ask("thread/settings/update", { threadId: thread.id, sandboxPolicy: open });
  const { params } = await wire.until(
    ({ method, params }) => method === "thread/settings/updated" && params.threadSettings.sandboxPolicy?.type === "externalSandbox",
    "the sandbox policy",
  );
  assert.deepEqual(params.threadSettings.sandboxPolicy, open);
});

verifies(
  "config.layerValues",
  async (stage) => {
    const { home, systemDir, workspace } = stage;
    const hook = (file: string): string => `[[hooks.UserPromptSubmit]]\nhooks = [{ type = "command", command = "echo ${file}" }]\n`;
    writeFileSync(path.join(systemDir, "config.toml"), hook("system"));
    writeFileSync(path.join(systemDir, "managed_config.toml"), `model_verbosity = "low"\n${hook("managed")}`);
    mkdirSync(path.join(systemDir, "skills", "tidy"), { recursive: true });
    writeFileSync(path.join(systemDir, "skills", "tidy", "SKILL.md"), "---\nname: tidy\ndescription: Tidies.\n---\nTidy.\n");
    const answer = JSON.stringify({ systemMessage: "mind the step" });
    writeFileSync(path.join(home, "hooks.json"), '{"hooks":{}}');
    const client = await stage.app({
      flags: ['hooks.Stop=[{hooks=[{type="command",command="true"}]}]', 'model_reasoning_summary="concise"'],
      config: `[mcp_servers.web]\nurl = "http://127.0.0.1:1/mcp"\nbearer_token_env_var = "NO_SUCH_TOKEN"\n
        [[hooks.SessionStart]]\nhooks = [{ type = "mcp_tool", server = "web", tool = "x" }]\n
        [[hooks.UserPromptSubmit]]\nhooks = [{ type = "command", command = '''printf '%s' '${answer}' ''' }]\n`,
    });
    const { layers } = await client.call("config/read", { includeLayers: true, cwd: workspace });
    assert.deepEqual(
      layers?.map(({ name }) => name.type),
      ["legacyManagedConfigTomlFromFile", "sessionFlags", "user", "system"],
    );
    const write = { keyPath: "model_verbosity", value: "high", mergeStrategy: "replace" } as const;
    const { status, overriddenMetadata } = await client.call("config/value/write", write);
    assert.deepEqual([status, overriddenMetadata?.effectiveValue], ["okOverridden", "low"]);
    const [{ hooks } = assert.fail()] = (await client.call("hooks/list", { cwds: [workspace] })).data;
    const rows = hooks.map(({ source, trustStatus, handlerType }) => [source, trustStatus, handlerType]);
    assert.deepEqual(rows.toSorted(), [
      ["legacyManagedConfigFile", "managed", "command"],
      ["sessionFlags", "untrusted", "command"],
      ["system", "managed", "command"],
      ["user", "untrusted", "command"],
      ["user", "untrusted", "mcpTool"],
    ]);
    const state = Object.fromEntries(hooks.map(({ key, currentHash }) => [key, { trusted_hash: currentHash }]));
    await client.call("config/batchWrite", { edits: [{ keyPath: "hooks.state", value: state, mergeStrategy: "upsert" }] });
    const [{ skills } = assert.fail()] = (await client.call("skills/list", { cwds: [workspace] })).data;
    assert.equal(skills.find(({ name }) => name === "tidy")?.scope, "admin");
    const runs: string[][] = [];
    client.on("hook/completed", ({ run }) => runs.push([run.source ?? "", run.handlerType, ...run.entries.map(({ kind }) => kind)]));
    const thread = await client.startThread({ cwd: workspace });
    await thread.run("hello");
    assert.deepEqual(runs.toSorted(), [
      ["legacyManagedConfigFile", "command", "context"],
      ["sessionFlags", "command"],
      ["system", "command", "context"],
      ["user", "command", "warning"],
      ["user", "mcpTool", "error"],
    ]);
    const [server] = (await client.call("mcpServerStatus/list", { threadId: thread.id })).data;
    assert.equal(server?.authStatus, "bearerToken");
  },
  { legs: ["memory"] },
);
