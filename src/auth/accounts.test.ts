import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { createConfigStore } from "../config/load.ts";
import type { AccountEvent, Accounts } from "../core/ports/accounts.ts";
import type { ProviderConfig } from "../core/ports/config.ts";
import type { Credentials } from "../core/ports/credentials.ts";
import { type AccountsOptions, createAccounts } from "./accounts.ts";
import { createStorage } from "./storage.ts";

const jwt = (claims: object): string => `h.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.s`;
const idToken = jwt({ email: "u@example.com", "https://api.openai.com/auth": { chatgpt_plan_type: "pro", chatgpt_account_id: "acc-1" } });
const inOneHour = (now: number): number => Math.floor(now / 1000) + 3600;

/** A fake issuer that validates the requests it receives. */
class FakeIssuer {
  readonly server: Server;
  url = "";
  /** PKCE challenges, by the code that was issued for them. */
  readonly codes = new Map<string, string>();
  readonly refreshed: string[] = [];
  readonly revoked: string[] = [];
  readonly asked: string[] = [];
  pollsUntilReady = 2;
  refuseRefresh: number | undefined;
  refusesDevice: Readonly<Record<string, number>> = {};
  onRefresh: () => void = () => {};
  accessToken = "access-1";

  constructor() {
    this.server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const { status, body } = this.#answer(request.url ?? "", Buffer.concat(chunks).toString(), request.headers.authorization);
        response.writeHead(status, { "content-type": "application/json" });
        response.end(JSON.stringify(body));
      });
    });
  }
  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.server.listen(0, "127.0.0.1", resolve));
    const address = this.server.address();
    assert.ok(typeof address === "object" && address !== null);
    this.url = `http://127.0.0.1:${address.port}`;
  }
  #answer(url: string, text: string, authorization: string | undefined): { status: number; body: unknown } {
    this.asked.push(url);
    if (url === "/oauth/token") return text.startsWith("{") ? this.#refresh(JSON.parse(text)) : this.#exchange(new URLSearchParams(text));
    if (url === "/oauth/revoke") {
      this.revoked.push(JSON.parse(text).token);
      return { status: 200, body: {} };
    }
    if (url.startsWith("/api/accounts/deviceauth/") && this.refusesDevice[path.basename(url)] !== undefined)
      return { status: this.refusesDevice[path.basename(url)] ?? 0, body: {} };
    if (url === "/api/accounts/deviceauth/usercode")
      return { status: 200, body: { device_auth_id: "d1", user_code: "ABCD-1", interval: "0" } };
    if (url === "/api/accounts/deviceauth/token") {
      if (this.pollsUntilReady-- > 0) return { status: 403, body: {} };
      this.codes.set("device-code", challengeOf("device-verifier"));
      return { status: 200, body: { authorization_code: "device-code", code_verifier: "device-verifier", code_challenge: "x" } };
    }
    return { status: 404, body: {} };
  }
  #exchange(form: URLSearchParams): { status: number; body: unknown } {
    const challenge = this.codes.get(form.get("code") ?? "");
    if (challenge === undefined || challenge !== challengeOf(form.get("code_verifier") ?? ""))
      return { status: 400, body: { error: "invalid_grant", error_description: "code or verifier is wrong" } };
    return { status: 200, body: { id_token: idToken, access_token: this.accessToken, refresh_token: "refresh-1" } };
  }
  #refresh(body: { refresh_token: string }): { status: number; body: unknown } {
    this.refreshed.push(body.refresh_token);
    this.onRefresh();
    if (this.refuseRefresh !== undefined)
      return { status: this.refuseRefresh, body: { error: { code: "refresh_token_expired", message: "expired" } } };
    return {
      status: 200,
      body: { access_token: `access-${this.refreshed.length + 1}`, refresh_token: `refresh-${this.refreshed.length + 1}` },
    };
  }
}
const challengeOf = (verifier: string): string => createHash("sha256").update(verifier).digest("base64url");

const provider: ProviderConfig = {
  ...{ id: "openai", name: "OpenAI", baseUrl: "", wireApi: "responses", envKey: undefined, bearerToken: undefined },
  ...{ httpHeaders: {}, envHttpHeaders: {}, queryParams: {}, requestMaxRetries: 0, streamMaxRetries: 0 },
  ...{ streamIdleTimeoutMs: 1, requiresOpenaiAuth: true, options: {} },
};

let home: string;
let issuer: FakeIssuer;
let made: Accounts[];
let now: number;
describe("accounts", () => {
  beforeEach(async () => {
    home = mkdtempSync(path.join(tmpdir(), "parley-auth-"));
    issuer = new FakeIssuer();
    made = [];
    now = Date.parse("2026-01-01T00:00:00Z");
    await issuer.start();
    settings("");
  });
  afterEach(async () => {
    for (const accounts of made) accounts.close();
    await new Promise((resolve) => issuer.server.close(resolve));
    rmSync(home, { recursive: true, force: true });
  });

  function settings(more: string): void {
    writeFileSync(
      path.join(home, "config.toml"),
      `${more}\n[parley.auth]\nissuer = "${issuer.url}/"\nclient_id = "app_test"\ncallback_port = 0\n`,
    );
  }
  const authFile = (): string => path.join(home, "auth.json");
  const stored = (): Record<string, unknown> => JSON.parse(readFileSync(authFile(), "utf8"));
  const store = (value: unknown): void => writeFileSync(authFile(), JSON.stringify(value));
  const tokens = (access = "access-0") => ({ id_token: idToken, access_token: access, refresh_token: "refresh-0", account_id: "acc-1" });

  function open(more: Partial<AccountsOptions> = {}): {
    accounts: Accounts;
    credentials: Credentials;
    events: AccountEvent[];
    next: (type: string) => Promise<AccountEvent>;
  } {
    const config = createConfigStore({
      ...{
        codexHome: home,
        env: {},
        systemDir: path.join(home, "etc"),
        builtInProviders: { openai: provider },
      },
      fallback: () => ({ modelProvider: "openai" }),
    });
    const log = { debug() {}, info() {}, warn() {}, error() {} };
    const clock = { now: () => now, sleep: async (_ms: number, signal: AbortSignal) => signal.throwIfAborted() };
    const { accounts, credentials } = createAccounts({ codexHome: home, env: {}, config, clock, log, ...more });
    made.push(accounts);
    const events: AccountEvent[] = [];
    const waiting = new Set<() => void>();
    accounts.onEvent((event) => {
      events.push(event);
      for (const check of waiting) check();
    });
    const next = (type: string): Promise<AccountEvent> =>
      new Promise((resolve) => {
        const check = (): void => {
          const found = events.find((event) => event.type === type);
          if (found !== undefined) resolve(found);
        };
        waiting.add(check);
        check();
      });
    return { accounts, credentials, events, next };
  }
  const client = { name: "test-client" };

  describe("an API key", () => {
    it("is stored for its owner only, next to other programs' keys, and removed on sign-out", async () => {
      store({ OPENAI_API_KEY: "old", tokens: tokens(), other: { keep: 1 } });
      const { accounts, credentials } = open();
      const { response, events } = await accounts.startLogin({ type: "apiKey", apiKey: "sk-1" }, client);
      assert.deepEqual(response, { type: "apiKey" });
      assert.deepEqual(events, [
        { type: "loginCompleted", params: { loginId: null, success: true, error: null, onboardingEntrypoint: null } },
        { type: "updated", params: { authMode: "apikey", planType: null } },
      ]);
      assert.deepEqual(stored(), { other: { keep: 1 }, auth_mode: "apikey", OPENAI_API_KEY: "sk-1" });
      assert.equal(statSync(authFile()).mode & 0o777, 0o600);
      assert.deepEqual((await accounts.read({ refreshToken: false })).account, { type: "apiKey" });
      assert.deepEqual(await credentials.current(), { kind: "apiKey", key: "sk-1" });
      assert.deepEqual(await accounts.logout(), [{ type: "updated", params: { authMode: null, planType: null } }]);
      assert.deepEqual(await accounts.read({ refreshToken: false }), { account: null, requiresOpenaiAuth: true, workspaceRouting: null });
      assert.ok(!readdirSync(home).some((name) => name.includes("auth.json")));
    });

    it("is read from files of every version", async () => {
      const { credentials } = open();
      store({ OPENAI_API_KEY: "sk-old" });
      assert.deepEqual(await credentials.current(), { kind: "apiKey", key: "sk-old" });
      store({ OPENAI_API_KEY: null, tokens: tokens(), last_refresh: new Date(now).toISOString() });
      assert.deepEqual(await credentials.current(), { kind: "chatgpt", accessToken: "access-0", accountId: "acc-1" });
      store({ auth_mode: "apikey", OPENAI_API_KEY: "sk-new", tokens: tokens() });
      assert.deepEqual(await credentials.current(), { kind: "apiKey", key: "sk-new" });
      writeFileSync(authFile(), "{");
      await assert.rejects(credentials.current(), /auth\.json is not valid JSON/);
    });

    it("gives the v1 status, with the token only on request", async () => {
      store({ OPENAI_API_KEY: "sk-1" });
      const { accounts } = open();
      assert.deepEqual(await accounts.status({ includeToken: false, refreshToken: false }), {
        authMethod: "apikey",
        authToken: null,
        requiresOpenaiAuth: true,
      });
      assert.equal((await accounts.status({ includeToken: true, refreshToken: false })).authToken, "sk-1");
    });

    it("from the environment takes precedence over a stored sign-in if keys are allowed, and is never renewed or stored", async () => {
      store({ OPENAI_API_KEY: null, tokens: tokens(), last_refresh: new Date(now).toISOString() });
      const { accounts, credentials } = open({ keyOfEnvironment: "sk-env" });
      assert.deepEqual(await credentials.current(), { kind: "apiKey", key: "sk-env" });
      assert.deepEqual((await accounts.read({ refreshToken: true })).account, { type: "apiKey" });
      assert.equal(await credentials.refresh(AbortSignal.timeout(1000)), undefined);
      assert.deepEqual(issuer.refreshed, []);
      settings('forced_login_method = "chatgpt"');
      assert.equal((await credentials.current())?.kind, "chatgpt");
    });

    it("is ignored if the settings require another method", async () => {
      store({ OPENAI_API_KEY: "sk-1" });
      settings('forced_login_method = "chatgpt"');
      const { accounts, credentials } = open();
      assert.equal(await credentials.current(), undefined);
      await assert.rejects(accounts.startLogin({ type: "apiKey", apiKey: "x" }, client), /API key login is disabled/);
      settings('forced_login_method = "api"');
      await assert.rejects(accounts.startLogin({ type: "chatgpt" }, client), /ChatGPT login is disabled/);
    });
  });

  describe("the browser", () => {
    const begin = async (accounts: Accounts) => {
      const { response } = await accounts.startLogin({ type: "chatgpt" }, client);
      assert.ok(response.type === "chatgpt");
      const url = new URL(response.authUrl);
      return {
        loginId: response.loginId,
        url,
        redirect: url.searchParams.get("redirect_uri")?.replace("localhost", "127.0.0.1") ?? "",
        state: url.searchParams.get("state") ?? "",
      };
    };

    it("comes back with a code, which is exchanged with PKCE", async () => {
      const { accounts, credentials, events, next } = open();
      const { loginId, url, redirect, state } = await begin(accounts);
      assert.equal(url.origin + url.pathname, `${issuer.url}/oauth/authorize`);
      assert.deepEqual(
        [url.searchParams.get("client_id"), url.searchParams.get("originator"), url.searchParams.get("code_challenge_method")],
        ["app_test", "test-client", "S256"],
      );
      issuer.codes.set("good-code", url.searchParams.get("code_challenge") ?? "");
      const page = await fetch(`${redirect}?code=good-code&state=${state}`);
      assert.deepEqual([page.status, (await page.text()).includes("Signed in")], [200, true]);
      await next("updated");
      assert.deepEqual(events, [
        { type: "loginCompleted", params: { loginId, success: true, error: null, onboardingEntrypoint: null } },
        { type: "updated", params: { authMode: "chatgpt", planType: "pro" } },
      ]);
      assert.deepEqual((await accounts.read({ refreshToken: false })).account, {
        type: "chatgpt",
        email: "u@example.com",
        planType: "pro",
      });
      assert.deepEqual(await credentials.current(), { kind: "chatgpt", accessToken: "access-1", accountId: "acc-1" });
      assert.deepEqual(Object.keys(stored()).sort(), ["OPENAI_API_KEY", "auth_mode", "last_refresh", "tokens"]);
      await assert.rejects(fetch(redirect), "the address is closed again");
    });

    it("is rejected with a wrong state, and the right one still works", async () => {
      const { accounts, next } = open();
      const { url, redirect, state } = await begin(accounts);
      issuer.codes.set("c", url.searchParams.get("code_challenge") ?? "");
      for (const wrong of ["", "x".repeat(state.length), "é".repeat(state.length)])
        assert.equal((await fetch(`${redirect}?code=c&state=${wrong}`)).status, 400);
      assert.equal((await fetch(new URL("/else", redirect))).status, 404);
      assert.equal((await fetch(`${redirect}?code=c&state=${state}`)).status, 200);
      await next("updated");
    });

    it("may return a refusal, which is shown without its markup", async () => {
      const { accounts, next } = open();
      const { loginId, redirect, state } = await begin(accounts);
      const page = await fetch(`${redirect}?error=access_denied&error_description=${encodeURIComponent("<b>no</b>")}&state=${state}`);
      assert.ok(!(await page.text()).includes("<b>"));
      const event = await next("loginCompleted");
      assert.deepEqual(event.params, { loginId, success: false, error: "<b>no</b>", onboardingEntrypoint: null });
    });

    it("fails if the code is not the issuer's", async () => {
      const { accounts, next } = open();
      const { redirect, state } = await begin(accounts);
      assert.equal((await fetch(`${redirect}?code=forged&state=${state}`)).status, 400);
      const event = await next("loginCompleted");
      assert.ok(event.type === "loginCompleted" && event.params.error === "code or verifier is wrong");
    });

    it("is not waited for after a cancel or another sign-in", async () => {
      const { accounts, next, events } = open();
      const first = await begin(accounts);
      assert.equal(accounts.cancelLogin(first.loginId), "canceled");
      const event = await next("loginCompleted");
      assert.ok(
        event.type === "loginCompleted" && event.params.error === "Login was not completed" && event.params.loginId === first.loginId,
      );
      assert.equal(accounts.cancelLogin(first.loginId), "notFound");
      assert.throws(() => accounts.cancelLogin("zzz"), /invalid login id: zzz/);
      const second = await begin(accounts);
      const third = await begin(accounts);
      assert.notEqual(second.loginId, third.loginId);
      await new Promise((resolve) => setImmediate(resolve));
      assert.ok(events.some((e) => e.type === "loginCompleted" && e.params.loginId === second.loginId && !e.params.success));
    });

    it("must return an account of the right workspace", async () => {
      settings('forced_chatgpt_workspace_id = "acc-2"');
      const { accounts, next } = open();
      const { url, redirect, state } = await begin(accounts);
      assert.equal(url.searchParams.get("allowed_workspace_id"), "acc-2");
      issuer.codes.set("c", url.searchParams.get("code_challenge") ?? "");
      await fetch(`${redirect}?code=c&state=${state}`);
      const event = await next("loginCompleted");
      assert.ok(event.type === "loginCompleted" && /restricted to workspace id acc-2/.test(event.params.error ?? ""));
      assert.deepEqual((await accounts.read({ refreshToken: false })).account, null);
    });
  });

  describe("a device code", () => {
    it("is polled for until the user has entered it", async () => {
      const { accounts, next, credentials } = open();
      const { response } = await accounts.startLogin({ type: "chatgptDeviceCode" }, client);
      assert.ok(response.type === "chatgptDeviceCode");
      assert.deepEqual([response.userCode, response.verificationUrl], ["ABCD-1", `${issuer.url}/codex/device`]);
      await next("updated");
      assert.deepEqual(await credentials.current(), { kind: "chatgpt", accessToken: "access-1", accountId: "acc-1" });
      assert.equal(issuer.asked.filter((url) => url === "/api/accounts/deviceauth/token").length, 3);
    });
  });

  describe("a device code that the issuer refuses", () => {
    it("says whether device codes are unknown there, or the sign-in failed", async () => {
      const { accounts, next, credentials } = open();
      issuer.refusesDevice = { usercode: 404 };
      await assert.rejects(accounts.startLogin({ type: "chatgptDeviceCode" }, client), /device code login is not enabled/);
      issuer.refusesDevice = { token: 500 };
      await accounts.startLogin({ type: "chatgptDeviceCode" }, client);
      const ended = await next("loginCompleted");
      assert.match(JSON.stringify(ended), /"success":false.*device auth failed with status 500/);
      assert.equal(await credentials.current(), undefined);
    });
  });

  describe("tokens", () => {
    it("are renewed once for many concurrent callers", async () => {
      store({ auth_mode: "chatgpt", tokens: tokens(), last_refresh: new Date(now).toISOString(), other: 1 });
      const { credentials } = open();
      const signal = AbortSignal.timeout(60_000);
      const all = await Promise.all([credentials.refresh(signal), credentials.refresh(signal)]);
      assert.deepEqual(all[0], { kind: "chatgpt", accessToken: "access-2", accountId: "acc-1" });
      assert.deepEqual([all[1], issuer.refreshed], [all[0], ["refresh-0"]]);
      assert.deepEqual([stored()["other"], stored()["tokens"]], [1, { ...tokens("access-2"), refresh_token: "refresh-2" }]);
    });

    it("are renewed before they expire, or when they are old and have no expiry time", async () => {
      const { credentials } = open();
      store({ tokens: tokens(jwt({ exp: inOneHour(now) })), last_refresh: "2020-01-01T00:00:00Z" });
      await credentials.current();
      assert.deepEqual(issuer.refreshed, []);
      now += 58 * 60 * 1000;
      await credentials.current();
      assert.equal(issuer.refreshed.length, 1);
      store({ tokens: tokens("opaque"), last_refresh: new Date(now - 9 * 24 * 3600 * 1000).toISOString() });
      await credentials.current();
      assert.equal(issuer.refreshed.length, 2);
    });

    it("that another program has renewed are adopted", async () => {
      store({ tokens: tokens(), last_refresh: new Date(now).toISOString() });
      const { credentials } = open();
      issuer.refuseRefresh = 401;
      issuer.onRefresh = () => store({ tokens: tokens("access-theirs"), last_refresh: new Date(now).toISOString() });
      assert.deepEqual(await credentials.refresh(AbortSignal.timeout(60_000)), {
        kind: "chatgpt",
        accessToken: "access-theirs",
        accountId: "acc-1",
      });
    });

    it("whose renewal is permanently refused are not tried again", async () => {
      store({ tokens: tokens(), last_refresh: new Date(now).toISOString() });
      const { credentials } = open();
      issuer.refuseRefresh = 401;
      await assert.rejects(credentials.refresh(AbortSignal.timeout(60_000)), /sign-in has ended \(expired\); sign in again/);
      assert.equal(await credentials.refresh(AbortSignal.timeout(60_000)), undefined);
      assert.equal(issuer.refreshed.length, 1);
    });

    it("supplied by a client are never stored, and renewed by asking it", async () => {
      const asked: unknown[] = [];
      const { accounts, credentials } = open({
        askTokens: async (params) => {
          asked.push(params);
          return { accessToken: "brought-2", chatgptAccountId: "acc-9", chatgptPlanType: "team" };
        },
      });
      const params = {
        type: "chatgptAuthTokens" as const,
        accessToken: jwt({ email: "b@example.com" }),
        chatgptAccountId: "acc-9",
        chatgptPlanType: "Plus",
      };
      const { events } = await accounts.startLogin(params, client);
      assert.deepEqual(events.at(-1), { type: "updated", params: { authMode: "chatgptAuthTokens", planType: "plus" } });
      assert.deepEqual((await accounts.read({ refreshToken: false })).account, {
        type: "chatgpt",
        email: "b@example.com",
        planType: "plus",
      });
      assert.deepEqual(await credentials.refresh(AbortSignal.timeout(60_000)), {
        kind: "chatgpt",
        accessToken: "brought-2",
        accountId: "acc-9",
      });
      assert.deepEqual(asked, [{ reason: "unauthorized", previousAccountId: "acc-9" }]);
      assert.throws(() => statSync(authFile()));
    });

    it("are revoked on sign-out", async () => {
      store({ tokens: tokens(), last_refresh: new Date(now).toISOString() });
      await open().accounts.logout();
      assert.deepEqual(issuer.revoked, ["refresh-0"]);
    });
  });

  describe("feedback", () => {
    it("stays on this machine, unless it is switched off", async () => {
      const { accounts } = open();
      const file = await accounts.keepFeedback({ classification: "bug", reason: "it broke" });
      assert.ok(file.startsWith(path.join(home, "parley", "feedback")));
      assert.deepEqual([JSON.parse(readFileSync(file, "utf8")).reason, statSync(file).mode & 0o777], ["it broke", 0o600]);
      assert.deepEqual(issuer.asked, []);
      settings("[feedback]\nenabled = false");
      await assert.rejects(accounts.keepFeedback({ classification: "bug" }), /disabled by configuration/);
    });
  });

  describe("the keyring", () => {
    const secrets = new Map<string, string>();
    const working = async (service: string, account: string) => {
      const name = `${service}/${account}`;
      return {
        get: async () => secrets.get(name),
        set: async (secret: string) => void secrets.set(name, secret),
        remove: async () => secrets.delete(name),
      };
    };
    const missing = async (): Promise<never> => {
      throw new Error("no keyring here");
    };

    it("replaces the account in the file", async () => {
      store({ OPENAI_API_KEY: "in file" });
      const storage = createStorage("keyring", home, working);
      await storage.save({ OPENAI_API_KEY: "in keyring" });
      assert.throws(() => statSync(authFile()));
      assert.deepEqual(await storage.load(), { OPENAI_API_KEY: "in keyring" });
      assert.equal(await storage.clear(), true);
      assert.equal(await storage.load(), undefined);
    });

    it("falls back to the file with `auto`, and to an error with `keyring`", async () => {
      const auto = createStorage("auto", home, missing);
      await auto.save({ OPENAI_API_KEY: "k" });
      assert.deepEqual(await auto.load(), { OPENAI_API_KEY: "k" });
      assert.equal(await auto.clear(), true);
      const words = /the system's keyring cannot be used \(no keyring here\); cli_auth_credentials_store = "file" in config\.toml/;
      const must = createStorage("keyring", home, missing);
      await assert.rejects(must.load(), words);
      await assert.rejects(must.save({ OPENAI_API_KEY: "k" }), words);
      await assert.rejects(must.clear(), words);
    });

    it("is not needed for an account kept in memory", async () => {
      const memory = createStorage("ephemeral", home, missing);
      await memory.save({ OPENAI_API_KEY: "k" });
      assert.deepEqual(await memory.load(), { OPENAI_API_KEY: "k" });
      assert.deepEqual(readdirSync(home), ["config.toml"]);
    });
  });
});
