/** Accounts, models and modes over the wire. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { chatFrames } from "../../support/model-mocks/frames.ts";
import { MockProvider, refuse, stream } from "../../support/model-mocks/server.ts";
import { type Stage, type StageOptions, verifies } from "../../support/verifies.ts";
import type { Wire } from "../../support/wire.ts";

async function open(stage: Stage, options: StageOptions = {}): Promise<Wire> {
  const wire = await stage.wire(options);
  await wire.initialize({ experimentalApi: true });
  return wire;
}
/** The scripted provider, configured as if it needed the user's account; sign-ins go to an issuer that does not exist. */
const needsAccount = 'cli_auth_credentials_store = "file"\n[parley.auth]\nissuer = "http://127.0.0.1:9"\ncallback_port = 0\n';
async function openNeedy(stage: Stage): Promise<Wire> {
  const wire = await open(stage, { config: needsAccount });
  const keyPath = "model_providers.script.requires_openai_auth";
  await wire.ask("config/value/write", { keyPath, value: true, mergeStrategy: "replace" });
  return wire;
}

verifies("account.apiKey", async (stage) => {
  const wire = await openNeedy(stage);
  const read = async () => (await wire.ask("account/read", { refreshToken: false })).result;
  assert.deepEqual([(await read()).account, (await read()).requiresOpenaiAuth], [null, true]);
  const { result } = await wire.ask("account/login/start", { type: "apiKey", apiKey: "sk-1" });
  assert.deepEqual(result, { type: "apiKey" });
  await wire.notification("account/updated");
  const steps = wire.order.slice(-3);
  assert.deepEqual(steps, ["answer", "account/login/completed", "account/updated"]);
  assert.deepEqual((await read()).account, { type: "apiKey" });
  const file = path.join(stage.home, "auth.json");
  assert.deepEqual([JSON.parse(readFileSync(file, "utf8")).OPENAI_API_KEY, statSync(file).mode & 0o777], ["sk-1", 0o600]);
  assert.deepEqual((await wire.ask("account/logout")).result, {});
  await wire.until((m) => m.method === "account/updated" && m.params.authMode === null);
  assert.equal((await read()).account, null);
});

verifies("account.provider", async (stage) => {
  await using mock = new MockProvider(refuse(401, { error: { message: "no such key" } }), stream(chatFrames({ text: "ok" })));
  const config = `[model_providers.house]\nname = "House"\nbase_url = "${await mock.listen()}/v1"\nwire_api = "chat"\nenv_key = "HOUSE_KEY"\n`;
  const wire = await open(stage, { config });
  const house = async () => {
    const { result } = await wire.ask("account/provider/list");
    assert.ok(result.data.length > 15);
    return result.data.find(({ id }: { id: string }) => id === "house");
  };
  const chosen = async () => (await wire.ask("config/read", {})).result.config;
  assert.deepEqual([(await house()).isSetUp, (await house()).needsKey], [false, true]);
  const before = (await chosen()).model_provider;
  const toRun = async (cwd?: string) => (await wire.ask("account/provider/list", cwd === undefined ? {} : { cwd })).result.model;
  assert.equal(
    await toRun(),
    (await wire.ask("thread/start", { cwd: stage.workspace })).result.model,
    "also of a provider that has no list",
  );
  const login = { type: "apiKey", apiKey: "house-key-1", provider: "house", model: "big", check: true };
  const refused = await wire.ask("account/login/start", login);
  assert.match(refused.error.message, /^House did not answer as big: .*Nothing was kept\.$/s);
  assert.deepEqual([(await house()).isSetUp, (await chosen()).model_provider], [false, before]);
  assert.deepEqual((await wire.ask("account/login/start", login)).result, { type: "apiKey", checked: true, model: "big" });
  await wire.notification("account/updated");
  const { isSetUp, hasStoredKey, isCurrent } = await house();
  assert.deepEqual({ isSetUp, hasStoredKey, isCurrent }, { isSetUp: true, hasStoredKey: true, isCurrent: true });
  assert.deepEqual([(await chosen()).model_provider, (await chosen()).model], ["house", "big"]);
  assert.equal(await toRun(), "big");
  const file = path.join(stage.home, "parley", "keys.json");
  assert.deepEqual([JSON.parse(readFileSync(file, "utf8")), statSync(file).mode & 0o777], [{ house: "house-key-1" }, 0o600]);
  const { result } = await wire.ask("thread/start", { cwd: stage.workspace });
  assert.equal(result.modelProvider, "house");
  await wire.ask("turn/start", { threadId: result.thread.id, input: [{ type: "text", text: "hello" }] });
  await wire.notification("turn/completed");
  assert.equal(mock.requests.at(-1)?.headers.authorization, "Bearer house-key-1");
  assert.match(
    (await wire.ask("account/login/start", { ...login, provider: "nobody" })).error.message,
    /^provider: `nobody` is not known; expected openai, /,
  );
  await wire.ask("account/logout");
  assert.deepEqual([(await house()).isSetUp, (await chosen()).model_provider === "house"], [false, false]);
});

verifies("account.none", async (stage) => {
  const file = path.join(stage.home, "config.toml");
  writeFileSync(file, "");
  const wire = await open(stage);
  const read = async () => (await wire.ask("account/read", {})).result;
  assert.deepEqual(await read(), { account: null, requiresOpenaiAuth: true, workspaceRouting: null });
  writeFileSync(file, 'model_provider = "scripted"\n');
  assert.equal((await read()).requiresOpenaiAuth, false, "who asked for the offline model needs no account");
});

verifies("account.cancel", async (stage) => {
  const wire = await openNeedy(stage);
  const { result } = await wire.ask("account/login/start", { type: "chatgpt" });
  assert.match(result.authUrl, /^http:\/\/127\.0\.0\.1:9\/oauth\/authorize\?.*redirect_uri=http%3A%2F%2Flocalhost%3A\d+%2Fauth%2Fcallback/);
  assert.deepEqual((await wire.ask("account/login/cancel", { loginId: result.loginId })).result, { status: "canceled" });
  const { params } = await wire.notification("account/login/completed");
  assert.deepEqual([params.loginId, params.success], [result.loginId, false]);
  assert.deepEqual((await wire.ask("account/login/cancel", { loginId: result.loginId })).result, { status: "notFound" });
  assert.equal((await wire.ask("account/login/cancel", { loginId: "zzz" })).error.message, "invalid login id: zzz");
});

verifies("account.tokens", async (stage) => {
  const wire = await openNeedy(stage);
  const token = `h.${Buffer.from('{"email":"u@example.com"}').toString("base64url")}.s`;
  const params = { type: "chatgptAuthTokens", accessToken: token, chatgptAccountId: "acc", chatgptPlanType: "plus" };
  assert.deepEqual((await wire.ask("account/login/start", params)).result, { type: "chatgptAuthTokens" });
  const reading = wire.ask("account/read", { refreshToken: true });
  const asked = await wire.until((m) => m.method === "account/chatgptAuthTokens/refresh");
  assert.deepEqual(asked.params, { reason: "unauthorized", previousAccountId: "acc" });
  wire.send({ id: asked.id, result: { accessToken: token, chatgptAccountId: "acc", chatgptPlanType: "pro" } });
  assert.deepEqual((await reading).result.account, { type: "chatgpt", email: "u@example.com", planType: "pro" });
  assert.ok(!readdirSync(stage.home).includes("auth.json"));
});

const plans =
  "free go plus pro prolite promax team self_serve_business_prolite self_serve_business_usage_based business ent26 enterprise_cbp_automation enterprise_cbp_usage_based enterprise edu edu_plus edu_pro sci sci_plus";

verifies("account.values", async (stage) => {
  const wire = await openNeedy(stage);
  const token = `h.${Buffer.from('{"email":"u@example.com"}').toString("base64url")}.s`;
  const plan = async (chatgptPlanType: string): Promise<string> => {
    await wire.ask("account/login/start", { type: "chatgptAuthTokens", accessToken: token, chatgptAccountId: "acc", chatgptPlanType });
    return (await wire.ask("account/read", {})).result.account.planType;
  };
  for (const name of plans.split(" ")) assert.equal(await plan(name), name);
  assert.equal(await plan("one-of-tomorrow"), "unknown");
  await wire.ask("account/logout");
  const bedrock = { type: "amazonBedrock", apiKey: "bedrock-1", region: "eu-west-1" };
  assert.deepEqual((await wire.ask("account/login/start", bedrock)).result, { type: "amazonBedrock" });
  await wire.until(({ method, params }) => method === "account/updated" && params.authMode === "bedrockApiKey", "the sign-in");
  const { account } = (await wire.ask("account/read", {})).result;
  assert.deepEqual(account, { type: "amazonBedrock", usesCodexManagedCredentials: true });
  await wire.ask("account/logout");
  await stage.restart();
  const id_token = `h.${Buffer.from('{"email":"u@example.com","exp":4000000000}').toString("base64url")}.s`;
  const tokens = { id_token, access_token: id_token, refresh_token: "r", account_id: "acc" };
  writeFileSync(path.join(stage.home, "auth.json"), JSON.stringify({ tokens, last_refresh: new Date().toISOString() }));
  const older = await openNeedy(stage);
  const { authMethod } = (await older.ask("getAuthStatus", { includeToken: false, refreshToken: false })).result;
  assert.equal(authMethod, "chatgpt");
});

verifies("account.limits", async (stage) => {
  const wire = await openNeedy(stage);
  const { error } = await wire.ask("account/rateLimits/read");
  assert.deepEqual([error.code, error.message], [-32600, "codex account authentication required to read rate limits"]);
});

verifies("account.feedback", async (stage) => {
  const wire = await open(stage);
  const { result } = await wire.ask("feedback/upload", { classification: "bug", reason: "it broke", includeLogs: false });
  assert.equal(typeof result.threadId, "string");
  const folder = path.join(stage.home, "parley", "feedback");
  const [name = ""] = readdirSync(folder);
  assert.equal(JSON.parse(readFileSync(path.join(folder, name), "utf8")).reason, "it broke");
});

verifies("catalogue.models", async (stage) => {
  const wire = await open(stage);
  const all = (await wire.ask("model/list", {})).result;
  assert.deepEqual([all.nextCursor, all.data.filter(({ isDefault }: { isDefault: boolean }) => isDefault).length], [null, 1]);
  const first = (await wire.ask("model/list", { limit: 1 })).result;
  const second = (await wire.ask("model/list", { limit: 1, cursor: first.nextCursor })).result;
  assert.deepEqual([first.data[0].id, second.data[0].id], [all.data[0].id, all.data[1].id]);
  assert.equal((await wire.ask("model/list", { cursor: "no-such-cursor" })).error.code, -32600);
  const everything = (await wire.ask("model/list", { includeHidden: true })).result;
  assert.ok(everything.data.length >= all.data.length);
});

for (const [version, isClosed] of [
  ["0.125.0", true],
  ["0.166.0", false],
] as const)
  verifies("catalogue.closedEfforts", async (stage) => {
    const wire = await stage.wire({});
    const clientInfo = { name: "codex-tui", title: null, version };
    await wire.ask("initialize", { clientInfo, capabilities: { experimentalApi: true, optOutNotificationMethods: null } });
    const { data } = (await wire.ask("model/list", { includeHidden: true })).result;
    const efforts = new Set<string>(
      data.flatMap((model: { supportedReasoningEfforts: { reasoningEffort: string }[] }) =>
        model.supportedReasoningEfforts.map(({ reasoningEffort }) => reasoningEffort),
      ),
    );
    assert.equal(efforts.has("max"), !isClosed, [...efforts].join(" "));
    assert.ok(efforts.has("high"));
  });

verifies("catalogue.modes", async (stage) => {
  const wire = await open(stage, { config: 'plan_mode_reasoning_effort = "high"\n' });
  const { result } = await wire.ask("collaborationMode/list", {});
  assert.equal(result.data[0].reasoning_effort, "high");
  const none = { imageGeneration: false, webSearch: false };
  assert.deepEqual((await wire.ask("modelProvider/capabilities/read", {})).result, none, "the scripted model has no search of its own");
  const aws = (await wire.ask("account/bedrock/checkGovCloudRequirements", {})).result;
  assert.deepEqual(aws, { isGovCloud: false, shouldWarn: false });
  assert.deepEqual(
    result.data.map(({ name, mode }: { name: string; mode: string }) => [name, mode]),
    [
      ["Plan", "plan"],
      ["Default", "default"],
    ],
  );
  assert.deepEqual((await wire.ask("app/list", {})).result, { data: [], nextCursor: null });
  assert.deepEqual((await wire.ask("plugin/list", {})).result.marketplaces, []);
  assert.deepEqual((await wire.ask("hooks/list", { cwds: [stage.workspace] })).result.data[0].hooks, []);
});
