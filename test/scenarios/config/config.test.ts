/** Settings over the wire: reading, writing, trust, warnings and the budget. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type Stage, type StageOptions, verifies } from "../../support/verifies.ts";
import type { Wire } from "../../support/wire.ts";

async function open(stage: Stage, options: StageOptions = {}): Promise<Wire> {
  const wire = await stage.wire(options);
  await wire.initialize({ experimentalApi: true });
  return wire;
}
const file = (stage: Stage): string => path.join(stage.home, "config.toml");
const project = (stage: Stage, text: string): void => {
  mkdirSync(path.join(stage.workspace, ".git"), { recursive: true });
  mkdirSync(path.join(stage.workspace, ".codex"), { recursive: true });
  writeFileSync(path.join(stage.workspace, ".codex", "config.toml"), text);
};
const write = (wire: Wire, keyPath: string, value: unknown, more: object = {}) =>
  wire.ask("config/value/write", { keyPath, value, mergeStrategy: "replace", ...more });

verifies("config.layers", async (stage) => {
  const wire = await open(stage, { config: 'review_model = "r"' });
  const { result } = await wire.ask("config/read", { includeLayers: true });
  assert.deepEqual([result.config.review_model, result.config.developer_instructions], ["r", null]);
  assert.deepEqual(result.origins.review_model.name, { type: "user", file: file(stage), profile: null });
  const user = result.layers.find((layer: { name: { type: string } }) => layer.name.type === "user");
  assert.equal(user.version, result.origins.review_model.version);
  assert.equal((await wire.ask("config/read", {})).result.layers, undefined);
});

verifies("config.write", async (stage) => {
  const wire = await open(stage, { config: '# about me\nmodel_verbosity = "low" # short\n' });
  const { result } = await write(wire, "model_verbosity", "high");
  assert.deepEqual([result.status, result.filePath], ["ok", file(stage)]);
  assert.ok(readFileSync(file(stage), "utf8").includes('# about me\nmodel_verbosity = "high" # short\n'));
  assert.equal((await wire.ask("config/read", {})).result.config.model_verbosity, "high");
  const stale = await write(wire, "model_verbosity", "low", { expectedVersion: "sha256:0" });
  assert.deepEqual(stale.error, {
    code: -32600,
    message: "Configuration was modified since last read. Fetch latest version and retry.",
    data: { config_write_error_code: "configVersionConflict" },
  });
  const fresh = await write(wire, "model_verbosity", "medium", { expectedVersion: result.version });
  assert.equal(fresh.result.status, "ok");
  const before = readFileSync(file(stage), "utf8");
  const edits = [
    { keyPath: "model", value: "x", mergeStrategy: "replace" },
    { keyPath: "sandbox_mode", value: "wild", mergeStrategy: "replace" },
  ];
  const bad = await wire.ask("config/batchWrite", { edits });
  assert.deepEqual(bad.error.data, { config_write_error_code: "configValidationError" });
  assert.equal(readFileSync(file(stage), "utf8"), before);
});

verifies("config.broken", async (stage) => {
  const wire = await open(stage);
  const good = readFileSync(file(stage), "utf8");
  writeFileSync(file(stage), `approval_policy = "perhaps"\n${good}`);
  const { error } = await wire.ask("thread/start", { cwd: stage.workspace });
  assert.equal(error.code, -32600);
  assert.ok(error.message.includes(file(stage)) && error.message.includes("approval_policy"), error.message);
  assert.equal((await write(wire, "approval_policy", "on-request")).result.status, "ok");
  assert.ok((await wire.ask("thread/start", { cwd: stage.workspace })).result);
});

verifies("config.warning", async (stage) => {
  const wire = await open(stage, { config: 'modle = "typo"' });
  const { params } = await wire.notification("configWarning");
  assert.ok(params.summary.includes(`${file(stage)}: unknown key \`modle\``), params.summary);
});

verifies("config.untrusted", async (stage) => {
  project(stage, 'sandbox_mode = "danger-full-access"\napproval_policy = "never"\nmodel = "evil"\n');
  const wire = await open(stage, { config: 'sandbox_mode = "workspace-write"' });
  const start = async () => (await wire.ask("thread/start", { cwd: stage.workspace })).result;
  const before = await start();
  assert.deepEqual([before.sandbox.type, before.approvalPolicy, before.model], ["workspaceWrite", "on-request", "scripted"]);
  const read = async () => (await wire.ask("config/read", { includeLayers: true, cwd: stage.workspace })).result;
  const layer = (await read()).layers.find(({ name }: { name: { type: string } }) => name.type === "project");
  assert.match(layer.disabledReason, /trust_level = "trusted"/);
  assert.doesNotMatch(readFileSync(file(stage), "utf8"), /trust_level/);
  await write(wire, `projects.${JSON.stringify(stage.workspace)}.trust_level`, "trusted");
  const after = await start();
  assert.deepEqual([after.sandbox.type, after.approvalPolicy, after.model], ["dangerFullAccess", "never", "evil"]);
});

verifies("config.requirements", async (stage) => {
  const wire = await open(stage);
  assert.equal((await wire.ask("configRequirements/read")).result.requirements, null);
  const { result } = await wire.ask("permissionProfile/list", {});
  assert.deepEqual(
    result.data.map(({ id }: { id: string }) => id),
    [":read-only", ":workspace", ":danger-full-access"],
  );
});

const requirements = `allowed_approval_policies = ["untrusted", "on-request"]
allowed_sandbox_modes = ["read-only", "workspace-write"]
allowed_approvals_reviewers = ["user"]
additional_developer_instructions = "Keep to the house rules."
`;

verifies(
  "config.required",
  async (stage) => {
    writeFileSync(path.join(stage.systemDir, "requirements.toml"), requirements);
    const wire = await open(stage, { config: 'approval_policy = "never"' });
    const warning = (await wire.notification("configWarning")).params.summary;
    assert.match(warning, /^approval_policy: "never" is not allowed by .*requirements\.toml; "untrusted" is used$/);
    const { result } = await wire.ask("thread/start", { cwd: stage.workspace, developerInstructions: "Mine." });
    assert.equal(result.approvalPolicy, "untrusted");
    const threadId = result.thread.id;
    const input = [{ type: "text", text: "hi" }];
    const full = { type: "dangerFullAccess" };
    const refused: [method: string, params: object, expected: RegExp][] = [
      [
        "thread/start",
        { approvalPolicy: "never" },
        /^approvalPolicy: "never" is not allowed by .*; allowed are "untrusted", "on-request"$/,
      ],
      ["thread/start", { sandbox: "danger-full-access" }, /^sandbox: .* allowed are "read-only", "workspace-write"$/],
      ["thread/start", { permissions: ":danger-full-access" }, /^permissions: .* allowed are ":read-only", ":workspace"$/],
      ["thread/start", { config: { sandbox_mode: "danger-full-access" } }, /^sandbox_mode: "danger-full-access" is not allowed/],
      [
        "turn/start",
        { threadId, input, sandboxPolicy: full },
        /^sandboxPolicy: "dangerFullAccess" .* allowed are "readOnly", "workspaceWrite"$/,
      ],
      ["turn/start", { threadId, input, sandboxPolicy: { type: "externalSandbox" } }, /^sandboxPolicy: "externalSandbox"/],
      ["turn/start", { threadId, input, approvalsReviewer: "auto_review" }, /^approvalsReviewer: .* allowed are "user"$/],
      ["thread/settings/update", { threadId, approvalPolicy: "never" }, /^approvalPolicy: "never"/],
      ["command/exec", { command: ["true"], sandboxPolicy: full }, /^sandboxPolicy: "dangerFullAccess"/],
      ["command/exec", { command: ["true"], permissionProfile: ":danger-full-access" }, /^permissionProfile: ":danger-full-access"/],
      [
        "config/value/write",
        { keyPath: "sandbox_mode", value: "danger-full-access", mergeStrategy: "replace" },
        /sandbox_mode: .* is not allowed/,
      ],
    ];
    for (const [method, params, expected] of refused) {
      const { error } = await wire.ask(method, params);
      assert.equal(error?.code, -32600, `${method} ${JSON.stringify(params)}`);
      assert.match(error.message, expected);
    }
    assert.equal((await wire.ask("turn/start", { threadId, input, approvalPolicy: "on-request" })).error, undefined);
    await wire.notification("turn/completed");
    const rollout = readFileSync((await wire.ask("thread/read", { threadId })).result.thread.path, "utf8");
    assert.ok(rollout.includes("Mine.\\n\\nKeep to the house rules."));
  },
  { legs: ["memory"] },
);

verifies("config.live", async (stage) => {
  const wire = await open(stage, { turns: Array(6).fill([{ say: "Yes." }]), config: 'approval_policy = "untrusted"' });
  const start = async (more: object) => (await wire.ask("thread/start", { cwd: stage.workspace, ...more })).result.thread.id;
  const plain = await start({});
  const own = await start({ approvalPolicy: "never", sandbox: "read-only" });
  const turn = async (threadId: string) => {
    const { error, result } = await wire.ask("turn/start", { threadId, input: [{ type: "text", text: "go" }] });
    if (error !== undefined) return error.message;
    return await wire.until((m) => m.method === "turn/completed" && m.params.turn.id === result.turn.id);
  };
  const settings = async (threadId: string) => {
    const { result } = await wire.ask("thread/resume", { threadId });
    return [result.approvalPolicy, result.sandbox.type, result.reasoningEffort];
  };
  await turn(plain);
  await write(wire, "approval_policy", "on-request");
  await write(wire, "sandbox_mode", "workspace-write");
  writeFileSync(file(stage), `model_reasoning_effort = "high"\n${readFileSync(file(stage), "utf8")}`);
  assert.deepEqual(await settings(plain), ["untrusted", "readOnly", null]);

  await turn(plain);
  const updated = await wire.until((m) => m.method === "thread/settings/updated" && m.params.threadId === plain);
  assert.equal(updated.params.threadSettings.approvalPolicy, "on-request");
  assert.deepEqual(await settings(plain), ["on-request", "workspaceWrite", "high"]);
  await turn(own);
  assert.deepEqual(await settings(own), ["never", "readOnly", "high"]);

  await wire.ask("thread/settings/update", { threadId: plain, effort: "low" });
  await write(wire, "model_reasoning_effort", "medium");
  await turn(plain);
  assert.deepEqual(await settings(plain), ["on-request", "workspaceWrite", "low"]);

  await write(wire, "approval_policy", "untrusted");
  const ended = (): number => wire.received.filter((m) => m.method === "turn/completed").length;
  const before = ended();
  await wire.ask("thread/compact/start", { threadId: plain });
  await wire.until((m) => m.method === "thread/settings/updated" && m.params.threadSettings.approvalPolicy === "untrusted");
  await wire.until(() => ended() > before);

  const good = readFileSync(file(stage), "utf8");
  writeFileSync(file(stage), `sandbox_mode = "wild"\n`);
  assert.match(String(await turn(plain)), /config\.toml: .*sandbox_mode/);
  writeFileSync(file(stage), good);
  await turn(plain);
});

verifies("config.features", async (stage) => {
  const wire = await open(stage);
  const first = (await wire.ask("experimentalFeature/list", { limit: 1 })).result;
  const second = (await wire.ask("experimentalFeature/list", { limit: 1, cursor: first.nextCursor })).result;
  assert.notEqual(first.data[0].name, second.data[0].name);
  assert.equal((await wire.ask("experimentalFeature/list", { cursor: "zz" })).error.message, "invalid cursor: zz");
  const { result } = await wire.ask("experimentalFeature/enablement/set", { enablement: { skills: false, nope: true } });
  assert.deepEqual(result.enablement, { skills: false });
  const all = (await wire.ask("experimentalFeature/list", {})).result.data;
  assert.equal(all.find(({ name }: { name: string }) => name === "skills").enabled, false);
});

verifies("config.budget", async (stage) => {
  const turns = [[{ say: "One." }], [{ say: "Two." }], [{ say: "Three." }]];
  const wire = await open(stage, { turns, config: "[parley.budget]\ntokens_per_day = 1\n" });
  const { result } = await wire.ask("thread/start", { cwd: stage.workspace });
  const threadId = result.thread.id;
  const turn = async (text: string) => (await wire.ask("turn/start", { threadId, input: [{ type: "text", text }] })).result.turn.id;
  const end = (id: string) => wire.until((m) => m.method === "turn/completed" && m.params.turn.id === id);
  assert.equal((await end(await turn("first"))).params.turn.status, "completed");

  const second = await turn("second");
  const asked = await wire.until((m) => m.method === "item/tool/requestUserInput" && m.params.turnId === second);
  assert.match(asked.params.questions[0].question, /^The budget is spent: .* of 1 tokens used today/);
  wire.send({ id: asked.id, result: { answers: { budget: { answers: ["Go on"] } } } });
  assert.equal((await end(second)).params.turn.status, "completed");

  const third = await turn("third");
  const again = await wire.until((m) => m.method === "item/tool/requestUserInput" && m.params.turnId === third);
  wire.send({ id: again.id, result: { answers: { budget: { answers: ["Stop here"] } } } });
  const { status, error } = (await end(third)).params.turn;
  assert.deepEqual([status, error.codexErrorInfo], ["failed", "usageLimitExceeded"]);
});

verifies("account.usage", async (stage) => {
  const wire = await open(stage, { turns: [[{ say: "Some words." }]] });
  const { result } = await wire.ask("thread/start", { cwd: stage.workspace });
  await wire.ask("turn/start", { threadId: result.thread.id, input: [{ type: "text", text: "go" }] });
  const { params } = await wire.notification("thread/tokenUsage/updated");
  await wire.notification("turn/completed");
  const usage = (await wire.ask("account/usage/read")).result;
  const { totalTokens } = params.tokenUsage.total;
  assert.ok(totalTokens > 0);
  assert.deepEqual([usage.summary.lifetimeTokens, usage.dailyUsageBuckets.length], [totalTokens, 1]);
  assert.ok(existsSync(path.join(stage.home, "parley", "usage.jsonl")));
  assert.equal(usage.threadUsage, null);
  const ofThread = async (threadId: string) => await wire.ask("account/usage/read", { threadId });
  assert.deepEqual((await ofThread(result.thread.id)).result.threadUsage?.threadId, result.thread.id);
  assert.match((await ofThread("nonsense")).error.message, /invalid thread id/);
});

verifies("account.breakdown", async (stage) => {
  const wire = await open(stage, { turns: [[{ say: "Some words." }]], config: "[parley.budget]\nmoney_per_day = 5\n" });
  const { result } = await wire.ask("thread/start", { cwd: stage.workspace });
  const keyPath = `parley.prices.${JSON.stringify(result.model)}.output`;
  await wire.ask("config/value/write", { keyPath, value: 2, mergeStrategy: "replace" });
  await wire.ask("turn/start", { threadId: result.thread.id, input: [{ type: "text", text: "go" }] });
  const { params } = await wire.notification("thread/tokenUsage/updated");
  await wire.notification("turn/completed");
  const { totalTokens } = params.tokenUsage.total;
  const table = (await wire.ask("account/usage/breakdown", {})).result;
  const [row] = table.rows;
  assert.deepEqual([table.rows.length, row.cwd, row.threads, row.totalTokens], [1, stage.workspace, 1, totalTokens]);
  assert.equal(row.money, (row.outputTokens * 2) / 1e6);
  assert.deepEqual([table.today.tokens, table.today.day, table.currency, table.truncated], [totalTokens, row.day, "USD", false]);
  assert.deepEqual([table.budget.moneyPerDay, table.budget.tokensPerDay], [5, null]);
  assert.deepEqual((await wire.ask("account/usage/breakdown", { until: "2000-01-01" })).result.rows, []);
  assert.match((await wire.ask("account/usage/breakdown", { since: "yesterday" })).error.message, /since must be a day like/);
});
