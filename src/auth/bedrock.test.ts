import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { createConfigStore } from "../config/load.ts";
import { builtInProvider } from "../models/providers.ts";
import { createAccounts } from "./accounts.ts";

let home: string;
const authFile = (): string => path.join(home, "auth.json");
const stored = (): unknown => JSON.parse(readFileSync(authFile(), "utf8"));

function open(cliOverrides: readonly string[] = []) {
  const known = ["openai", "amazon-bedrock"].flatMap((id) =>
    [builtInProvider(id, {})].flatMap((found) => (found === undefined ? [] : [[id, found]])),
  );
  const config = createConfigStore({
    ...{ codexHome: home, env: {}, systemDir: path.join(home, "etc"), builtInProviders: Object.fromEntries(known), cliOverrides },
    fallback: () => ({ modelProvider: "openai" }),
  });
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const clock = { now: () => 0, sleep: async () => {} };
  return createAccounts({ codexHome: home, env: {}, config, clock, log });
}
const client = { name: "test-client" };

describe("Amazon Bedrock", () => {
  beforeEach(() => {
    home = mkdtempSync(path.join(tmpdir(), "parley-bedrock-"));
    writeFileSync(path.join(home, "config.toml"), "# mine\n");
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  const login = { type: "amazonBedrock", apiKey: "bedrock-1", region: "eu-west-1" } as const;
  const chosen = (): unknown => /^model_provider = "(.*)"$/m.exec(readFileSync(path.join(home, "config.toml"), "utf8"))?.[1];

  it("stores the key as other programs do, makes the provider the default, and removes both on sign-out", async () => {
    writeFileSync(authFile(), JSON.stringify({ OPENAI_API_KEY: "old", other: { keep: 1 } }));
    const { accounts, credentials } = open();
    const { response, events } = await accounts.startLogin(login, client);
    assert.deepEqual(response, { type: "amazonBedrock" });
    assert.deepEqual(events.at(-1), { type: "updated", params: { authMode: "bedrockApiKey", planType: null } });
    const bedrock_api_key = { api_key: "bedrock-1", region: "eu-west-1" };
    assert.deepEqual(stored(), { other: { keep: 1 }, auth_mode: "bedrockApiKey", OPENAI_API_KEY: null, bedrock_api_key });
    assert.deepEqual([statSync(authFile()).mode & 0o777, chosen()], [0o600, "amazon-bedrock"]);
    const account = { type: "amazonBedrock", usesCodexManagedCredentials: true };
    assert.deepEqual(await accounts.read({ refreshToken: false }), { account, requiresOpenaiAuth: false, workspaceRouting: null });
    assert.deepEqual(await credentials.bedrock(), { kind: "bedrock", key: "bedrock-1", region: "eu-west-1" });
    assert.equal(await credentials.current(), undefined);
    await accounts.logout();
    assert.deepEqual([await credentials.bedrock(), chosen()], [undefined, undefined]);
    assert.equal((await accounts.read({ refreshToken: false })).account, null);
  });

  it("is shown and signed out by the commands, regardless of the current provider", async () => {
    await open().accounts.startLogin(login, client);
    const { accounts } = open(['model_provider="openai"']);
    assert.equal((await accounts.status({ includeToken: true, refreshToken: false })).authMethod, "bedrockApiKey");
    await accounts.logout();
    assert.equal(chosen(), undefined);
  });

  it("is replaced by another sign-in", async () => {
    const { accounts, credentials } = open();
    await accounts.startLogin(login, client);
    await accounts.startLogin({ type: "apiKey", apiKey: "sk-1" }, client);
    assert.deepEqual([await credentials.bedrock(), chosen()], [undefined, undefined]);
    assert.deepEqual((await accounts.read({ refreshToken: false })).account, { type: "apiKey" });
  });

  it("rejects invalid input, naming the field", async () => {
    const { accounts } = open();
    await assert.rejects(accounts.startLogin({ ...login, region: "x.evil.example/" }, client), /^Error: region: .* like us-east-1/);
    await assert.rejects(accounts.startLogin({ ...login, apiKey: " " }, client), /apiKey: must not be empty/);
    const keys = { type: "amazonBedrockAccessKeys", accessKeyId: "a", secretAccessKey: "s", region: "eu-west-1" } as const;
    await assert.rejects(accounts.startLogin(keys, client), /access keys is not available; send an API key/);
    assert.ok(!readdirSync(home).includes("auth.json"));
  });
});
