/** Answers about services and platforms that this server has nothing to do with. */
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { verifies } from "../../support/verifies.ts";

const current = { experimentalApi: true, requestAttestation: false };

verifies("environment.local", async ({ wire: connect }) => {
  const wire = await connect();
  await wire.initialize(current);
  const status = async (environmentId: string) => await wire.ask("environment/status", { environmentId });
  const info = async (environmentId: string) => await wire.ask("environment/info", { environmentId });
  assert.deepEqual((await status("local")).result, { status: "ready" });
  assert.deepEqual((await status("e1")).result, { status: "unknown", error: "unknown environment id `e1`" });
  const { shell, cwd } = (await info("local")).result;
  assert.ok(existsSync(shell.path));
  assert.equal(shell.name, path.basename(shell.path));
  assert.ok(existsSync(new URL(cwd)), cwd);
  assert.equal(cwd, pathToFileURL(new URL(cwd).pathname).href);
  assert.equal((await info("e1")).error.message, "unknown environment id `e1`");
});

verifies("service.answers", async ({ wire: connect, home, workspace }) => {
  writeFileSync(path.join(home, "installation_id"), "5efb2a58-742b-472c-b64c-4b9575687cf5");
  const wire = await connect();
  await wire.initialize(current);
  const relay = { status: "disabled", serverName: hostname(), installationId: "5efb2a58-742b-472c-b64c-4b9575687cf5", environmentId: null };
  const unavailableMessage = "User verification is not available in this build or account.";
  const answers: Readonly<Record<string, readonly [params: unknown, result: unknown]>> = {
    "app/installed": [{}, { apps: [] }],
    "app/read": [{ appIds: ["x", "x", "y"] }, { apps: [], missingAppIds: ["x", "y"] }],
    "accountSession/list": [{}, { activeSessionId: null, sessions: [] }],
    "account/gatewayOAuth/read": [null, { providerId: "script", providerName: "Script", required: false, status: null, error: null }],
    "account/gatewayOAuth/cancel": [null, {}],
    "remoteControl/status/read": [null, relay],
    "remoteControl/disable": [{ ephemeral: true }, relay],
    "userVerification/status": [{}, { credentialId: null, unavailableReason: "providerUnavailable", unavailableMessage }],
    "userVerification/cancel": [{ requestId: 1 }, {}],
    "mcpServer/event/stream/stop": [{ subscriptionId: "s" }, {}],
    "windowsSandbox/readiness": [null, { status: "notConfigured" }],
    "windowsSandbox/setupStart": [{ mode: "unelevated" }, { started: true }],
    "rollout/compress": [null, {}],
    "mock/experimentalMethod": [{ value: "x" }, { echoed: "x" }],
  };
  for (const [method, [params, result]] of Object.entries(answers))
    assert.deepEqual((await wire.ask(method, params)).result, result, method);
  const setup = await wire.notification("windowsSandbox/setupCompleted");
  assert.deepEqual([setup.params.success, setup.params.error], [false, "legacy Windows sandbox setup is only supported on Windows"]);

  const { thread } = (await wire.ask("thread/start", { cwd: workspace })).result;
  const count = async (method: string) => await wire.ask(method, { threadId: thread.id });
  assert.equal((await count("thread/decrement_elicitation")).error.message, "out-of-band elicitation count is already zero");
  assert.deepEqual((await count("thread/increment_elicitation")).result, { count: 1, paused: false });
  assert.deepEqual((await count("thread/decrement_elicitation")).result, { count: 0, paused: false });
  const { process: figures, gauges } = (await wire.ask("server/diagnostics", {})).result;
  assert.ok(figures.residentMemoryBytes > 1_000_000);
  assert.deepEqual(gauges, [
    { name: "core.threads.live", value: 1 },
    { name: "core.turns.active", value: 0 },
  ]);
});

verifies("service.refusals", async ({ wire: connect }) => {
  const wire = await connect();
  await wire.initialize(current);
  const refused: Readonly<Record<string, readonly [code: number, message: string]>> = {
    "account/workspaceMessages/read": [-32600, "codex account authentication required to read workspace messages"],
    "account/gatewayOAuth/login": [-32600, "The current provider does not use gateway OAuth"],
    "accountSession/switch": [-32600, "Workspace switching requires a managed ChatGPT login"],
    "userVerification/enroll": [-32603, "User verification is not available in this build or account."],
    "thread/prediction/request": [-32601, "thread/prediction/request is not implemented yet"],
    "turn/settings/update": [-32600, "turn settings updates require the step_model_switching feature"],
    "mcpServer/event/stream/start": [-32600, "MCP event subscriptions are only supported for hosted apps"],
    "plugin/share/list": [-32600, "list remote plugin shares: chatgpt authentication required for remote plugin catalog"],
    "thread/realtime/start": [-32600, "thread/realtime/start is not supported by Parley"],
  };
  for (const [method, [code, message]] of Object.entries(refused)) {
    const { error } = await wire.ask(method, {});
    assert.deepEqual([error.code, error.message], [code, message]);
  }
});

verifies("service.feedback", async ({ wire: connect, workspace }) => {
  const wire = await connect();
  await wire.initialize(current);
  const savePath = path.join(workspace, "report.zip");
  const save = async (more: object = {}) =>
    await wire.ask("feedback/save", { classification: "bug", reason: "it broke", includeLogs: false, savePath, ...more });
  const { result } = await save();
  assert.equal(result.savedPath, savePath);
  assert.match(result.threadId, /^no-active-thread-/);
  const archive = readFileSync(savePath, "latin1");
  assert.ok(archive.startsWith("PK\x03\x04") && archive.includes("report.json") && archive.includes('"reason": "it broke"'));
  assert.match((await save()).error.message, /^savePath: the report cannot be written: .*EEXIST/);
  assert.match((await save({ savePath: "report.zip" })).error.message, /must be an absolute host path/);
  assert.match((await save({ savePath: path.join(workspace, "none", "a.zip") })).error.message, /cannot be written: .*ENOENT/);
});
