/** The user's account: signing in four ways, signing out, and feedback. Implements the Accounts port. */
import type { AccountEvent, Accounts, AuthStatus } from "../core/ports/accounts.ts";
import type { Clock } from "../core/ports/clock.ts";
import type { Config, ConfigSource, ConfigStore } from "../core/ports/config.ts";
import type { Credentials } from "../core/ports/credentials.ts";
import type { Log } from "../core/ports/log.ts";
import { errorMessage } from "../lib/error-text.ts";
import { randomUuid } from "../lib/random.ts";
import type {
  Account,
  AuthMode,
  CancelLoginAccountStatus,
  ChatgptAuthTokensRefreshParams,
  ChatgptAuthTokensRefreshResponse,
  FeedbackUploadParams,
  GetAccountResponse,
  LoginAccountParams,
  PlanType,
} from "../protocol/account.ts";
import { planTypeFrom } from "../protocol/account.ts";
import { invalidRequest } from "../protocol/errors.ts";
import { type SignedIn, type Tokens, withApiKey, withBedrock, withTokens } from "./auth-data.ts";
import { startBrowserLogin } from "./browser-login.ts";
import { ownerOf } from "./claims.ts";
import { keepFeedback, saveFeedback } from "./feedback.ts";
import { pollDeviceLogin, revokeToken, startDeviceLogin } from "./oauth.ts";
import { createProviderKeys, type ProviderKeys } from "./provider-keys.ts";
import { type AuthSettings, authSettings } from "./settings.ts";
import { type AuthStorage, createStorage, type OpenKeyring, type StoreMode } from "./storage.ts";
import { type ClientTokens, TokenKeeper } from "./token-keeper.ts";

export interface AccountsOptions {
  readonly codexHome: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly config: ConfigSource & Pick<ConfigStore, "read" | "write">;
  readonly clock: Clock;
  readonly log: Log;
  /** Requests fresh tokens from the client that supplied its own; undefined if no such client is connected. */
  readonly askTokens?: (
    params: ChatgptAuthTokensRefreshParams,
    signal: AbortSignal,
  ) => Promise<ChatgptAuthTokensRefreshResponse | undefined>;
  readonly openKeyring?: OpenKeyring;
  /** No model is configured: clients then offer a sign-in to OpenAI, as with Codex. */
  readonly lacksModel?: (config: Config) => boolean;
  /** An API key from the environment: if API keys are allowed, it takes precedence over every stored sign-in. */
  readonly keyOfEnvironment?: string | undefined;
  /** Checks with the provider that a key is accepted. Rejects with an error message for the user. */
  readonly checkKey?: (key: string) => Promise<void>;
  /** Chooses a model for the provider and, if requested, tries it with the key. Rejects with an error message for the user. */
  readonly tryProvider?: (wanted: WantedProvider) => Promise<{ readonly model: string }>;
}

/** A provider that the user is setting up. */
export interface WantedProvider {
  readonly provider: string;
  /** Empty if the provider needs no key. */
  readonly key: string;
  readonly model: string | undefined;
  readonly check: boolean;
}

export function createAccounts(options: AccountsOptions): {
  readonly accounts: Accounts;
  readonly credentials: Credentials;
  /** Whether a key is stored for a provider. */
  readonly hasKey: (provider: string) => boolean;
} {
  const accounts = new LocalAccounts(options);
  return { accounts, credentials: accounts.keeper, hasKey: (provider) => accounts.keys.has(provider) };
}

type ApiKeyLogin = Extract<LoginAccountParams, { type: "apiKey" }>;

const openaiId = "openai";
const bedrockId = "amazon-bedrock";
const usualRegion = "us-east-1";
const loginTimeoutMs = 10 * 60 * 1000;
const deviceTimeoutMs = 15 * 60 * 1000;
const revokeTimeoutMs = 3000;

class LocalAccounts implements Accounts {
  readonly keeper: TokenKeeper;
  readonly keys: ProviderKeys;
  readonly #options: AccountsOptions;
  readonly #listeners = new Set<(event: AccountEvent) => void>();
  #login: { readonly id: string; readonly abort: AbortController } | undefined;
  #storage: { readonly mode: StoreMode; readonly at: AuthStorage } | undefined;

  constructor(options: AccountsOptions) {
    this.#options = options;
    const { clock, log, codexHome, openKeyring } = options;
    this.keys = createProviderKeys({ codexHome, openKeyring, mode: () => this.#settings().store });
    this.keeper = new TokenKeeper({
      clock,
      log,
      storage: () => this.#store(),
      keys: this.keys,
      fixed: options.keyOfEnvironment === undefined ? undefined : { kind: "apiKey", key: options.keyOfEnvironment },
      isAllowed: (found) => this.#isAllowed(found),
      issuer: () => this.#settings().issuer,
      renewClientTokens: (old, signal) => this.#renewClientTokens(old, signal),
    });
  }

  async read({ refreshToken }: { readonly refreshToken: boolean }): Promise<GetAccountResponse> {
    const { requiresOpenaiAuth } = this.#settings();
    if (refreshToken) await this.#refreshOrSay();
    const account = requiresOpenaiAuth ? await this.#account() : await this.#bedrockAccount();
    return { account, requiresOpenaiAuth, workspaceRouting: null };
  }

  async startLogin(params: LoginAccountParams, client: { readonly name: string }): ReturnType<Accounts["startLogin"]> {
    const settings = this.#settings();
    this.#allow(settings, /^(apiKey|amazonBedrock)/.test(params.type) ? "api" : "chatgpt");
    this.#login?.abort.abort();
    switch (params.type) {
      case "apiKey":
        return await (params.provider === undefined ? this.#keepKey(params) : this.#setUp({ ...params, provider: params.provider }));
      case "chatgptAuthTokens":
        return this.#bringTokens(settings, params);
      case "chatgpt":
        return this.#loginByBrowser(settings, client.name);
      case "chatgptDeviceCode":
        return this.#loginByDevice(settings);
      case "amazonBedrock":
        return await this.#keepBedrock(params.apiKey, params.region);
      case "amazonBedrockAccessKeys":
        throw invalidRequest(
          'type: signing in to Amazon Bedrock with access keys is not available; send an API key of Bedrock (type amazonBedrock), or configure a provider with wire_api = "ai-sdk" and the package @ai-sdk/amazon-bedrock',
        );
    }
  }

  cancelLogin(loginId: string): CancelLoginAccountStatus {
    if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(loginId)) throw invalidRequest(`invalid login id: ${loginId}`);
    if (this.#login?.id !== loginId) return "notFound";
    this.#login.abort.abort();
    return "canceled";
  }

  async logout(): Promise<readonly AccountEvent[]> {
    this.#login?.abort.abort();
    const found = await this.keeper.signedIn().catch(() => undefined);
    if (found?.kind === "chatgpt" && found.tokens.refresh_token !== "")
      await revokeToken(this.#settings().issuer, found.tokens.refresh_token, AbortSignal.timeout(revokeTimeoutMs)).catch((error: unknown) =>
        this.#options.log.debug("the account's issuer could not be notified of the sign-out", { reason: String(error) }),
      );
    this.keeper.brought = undefined;
    await this.#leaveBedrock();
    await this.forgetKey();
    await this.#store().clear();
    return [updated(null, null)];
  }

  async forgetKey(provider?: string): Promise<boolean> {
    const chosen = this.#userValue("model_provider");
    if (typeof chosen === "string" && (provider === undefined || provider === chosen) && this.keys.has(chosen)) this.#unchoose();
    return this.keys.forget(provider);
  }

  async status(options: { readonly includeToken: boolean; readonly refreshToken: boolean }): Promise<AuthStatus> {
    const { requiresOpenaiAuth } = this.#settings();
    if (!requiresOpenaiAuth) return { authMethod: null, authToken: null, requiresOpenaiAuth };
    if (options.refreshToken) await this.#refreshOrSay();
    const credential = await this.keeper.current();
    const authToken =
      credential === undefined || !options.includeToken ? null : credential.kind === "apiKey" ? credential.key : credential.accessToken;
    return { authMethod: await this.#mode(), authToken, requiresOpenaiAuth };
  }

  async keepFeedback(params: FeedbackUploadParams): Promise<string> {
    this.#refuseDisabledFeedback();
    return keepFeedback(this.#options.codexHome, params, this.#options.clock.now());
  }
  async saveFeedback(params: FeedbackUploadParams, file: string): Promise<void> {
    this.#refuseDisabledFeedback();
    await saveFeedback(params, file, this.#options.clock.now());
  }

  #refuseDisabledFeedback(): void {
    if (!this.#settings().feedback) throw invalidRequest("sending feedback is disabled by configuration");
  }

  onEvent(listener: (event: AccountEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    this.#login?.abort.abort();
    this.#listeners.clear();
  }

  #allow(settings: AuthSettings, method: "chatgpt" | "api"): void {
    if (settings.methods.includes(method)) return;
    throw invalidRequest(
      method === "api" ? "API key login is disabled. Use ChatGPT login instead." : "ChatGPT login is disabled. Use API key login instead.",
    );
  }

  /** A sign-in from before a restriction was configured does not count. */
  #isAllowed(found: SignedIn): boolean {
    const { methods, workspaces } = this.#settings();
    if (found.kind === "apiKey") return methods.includes("api");
    const accountId = found.tokens.account_id ?? ownerOf(found.tokens.id_token).accountId ?? "";
    return methods.includes("chatgpt") && (workspaces.length === 0 || workspaces.includes(accountId));
  }

  async #keepKey({ apiKey, check }: ApiKeyLogin): ReturnType<Accounts["startLogin"]> {
    const { checkKey } = this.#options;
    const isChecked = check === true && checkKey !== undefined;
    if (isChecked) await checkKey(apiKey);
    await this.#leaveBedrock();
    await this.#store().save(withApiKey(await this.#previous(), apiKey));
    this.keeper.brought = undefined;
    return {
      response: { type: "apiKey", ...(isChecked ? { checked: true } : {}) },
      events: [completed(null), updated("apikey", null)],
    };
  }

  /** Stores a provider's key, and makes the provider and one of its models the user's default. */
  async #setUp(wanted: ApiKeyLogin & { readonly provider: string }): ReturnType<Accounts["startLogin"]> {
    const { tryProvider, config, env } = this.#options;
    if (tryProvider === undefined) throw invalidRequest("provider: this server sets up no providers");
    const { provider, check = false } = wanted;
    const key = wanted.apiKey.trim();
    if (/\s/.test(key)) throw invalidRequest("apiKey: has spaces or line ends in it");
    const { model } = await tryProvider({ provider, key, model: wanted.model, check });
    if (provider === openaiId) await this.#keepKey({ type: "apiKey", apiKey: key });
    else if (provider === bedrockId) await this.#keepBedrock(key, env["AWS_REGION"] || env["AWS_DEFAULT_REGION"] || usualRegion);
    else if (key !== "") await this.keys.save(provider, key);
    config.write([
      { keyPath: "model_provider", value: provider, mergeStrategy: "replace" },
      { keyPath: "model", value: model, mergeStrategy: "replace" },
    ]);
    return {
      response: { type: "apiKey", checked: check, model },
      events: [completed(null), updated(provider === openaiId ? "apikey" : null, null)],
    };
  }

  /** Stores the key and makes the provider the user's default, as every program that shares this home expects. */
  async #keepBedrock(key: string, region: string): ReturnType<Accounts["startLogin"]> {
    if (key.trim() === "") throw invalidRequest("apiKey: must not be empty");
    if (!/^[a-z]{2}(-[a-z]+)+-\d+$/.test(region))
      throw invalidRequest(`region: \`${region}\` is no region of AWS; expected one like us-east-1`);
    this.#options.config.write([{ keyPath: "model_provider", value: bedrockId, mergeStrategy: "replace" }]);
    await this.#store().save(withBedrock(await this.#previous(), key.trim(), region));
    this.keeper.brought = undefined;
    return { response: { type: "amazonBedrock" }, events: [completed(null), updated("bedrockApiKey", null)] };
  }
  /** Removes the provider's configuration together with the key, because it cannot work without one. */
  async #leaveBedrock(): Promise<void> {
    if ((await this.keeper.bedrock().catch(() => undefined)) === undefined) return;
    if (this.#userValue("model_provider") === bedrockId)
      this.#options.config.write([{ keyPath: "model_provider", value: null, mergeStrategy: "replace" }]);
  }
  #userValue(key: string): unknown {
    const { layers } = this.#options.config.read(undefined);
    return layers?.flatMap(({ name, config }) => (name.type === "user" ? [tableIn(config)[key]] : [])).find((value) => value !== undefined);
  }
  /** Without its key a provider cannot work, and its model belongs to no other provider. */
  #unchoose(): void {
    this.#options.config.write(["model_provider", "model"].map((keyPath) => ({ keyPath, value: null, mergeStrategy: "replace" })));
  }
  async #bedrockAccount(): Promise<Account | null> {
    const { modelProvider, providers } = this.#options.config.effective(this.#options.codexHome);
    if (modelProvider !== bedrockId) return null;
    const variable = providers[bedrockId]?.envKey ?? "";
    if ((this.#options.env[variable] ?? "") !== "") return { type: "amazonBedrock", usesCodexManagedCredentials: false };
    return (await this.keeper.bedrock()) === undefined ? null : { type: "amazonBedrock", usesCodexManagedCredentials: true };
  }

  #bringTokens(
    settings: AuthSettings,
    params: Extract<LoginAccountParams, { type: "chatgptAuthTokens" }>,
  ): Awaited<ReturnType<Accounts["startLogin"]>> {
    this.#allowWorkspace(settings, params.chatgptAccountId);
    this.keeper.brought = {
      accessToken: params.accessToken,
      accountId: params.chatgptAccountId,
      plan: params.chatgptPlanType ?? undefined,
    };
    const plan = planOf(this.keeper.brought);
    return { response: { type: "chatgptAuthTokens" }, events: [completed(null), updated("chatgptAuthTokens", plan)] };
  }

  async #loginByBrowser(settings: AuthSettings, originator: string): ReturnType<Accounts["startLogin"]> {
    const { id, signal } = this.#begin(loginTimeoutMs);
    const { issuer, callbackPort: port, workspaces } = settings;
    try {
      const accept = (tokens: Tokens): Promise<void> => this.#accept(settings, tokens);
      const login = await startBrowserLogin({ issuer, port, originator, workspaces, accept }, signal);
      void this.#finish(id, login.done);
      return { response: { type: "chatgpt", loginId: id, authUrl: login.authUrl }, events: [] };
    } catch (error) {
      this.#end(id);
      throw invalidRequest(`failed to start login server: ${errorMessage(error)}`);
    }
  }

  async #loginByDevice(settings: AuthSettings): ReturnType<Accounts["startLogin"]> {
    const { id, signal } = this.#begin(deviceTimeoutMs);
    try {
      const login = await startDeviceLogin(settings.issuer, signal);
      const wait = async (): Promise<void> => {
        for (;;) {
          await this.#options.clock.sleep(login.intervalMs, signal);
          const tokens = await pollDeviceLogin(settings.issuer, login, signal);
          if (tokens !== undefined) return this.#accept(settings, tokens);
        }
      };
      void this.#finish(id, wait());
      return {
        response: { type: "chatgptDeviceCode", loginId: id, userCode: login.userCode, verificationUrl: login.verificationUrl },
        events: [],
      };
    } catch (error) {
      this.#end(id);
      throw invalidRequest(`failed to request a device code: ${errorMessage(error)}`);
    }
  }

  #begin(timeoutMs: number): { id: string; signal: AbortSignal } {
    const abort = new AbortController();
    const id = randomUuid();
    this.#login = { id, abort };
    return { id, signal: AbortSignal.any([abort.signal, AbortSignal.timeout(timeoutMs)]) };
  }
  #end(id: string): void {
    if (this.#login?.id === id) this.#login = undefined;
  }

  async #finish(id: string, done: Promise<void>): Promise<void> {
    const aborted = this.#login?.abort.signal;
    try {
      await done;
      this.#end(id);
      this.#emit(completed(id));
      this.#emit(updated("chatgpt", planIn(await this.#account())));
    } catch (error) {
      this.#end(id);
      this.#emit(completed(id, aborted?.aborted === true ? "Login was not completed" : errorMessage(error)));
    }
  }

  async #accept(settings: AuthSettings, tokens: Tokens): Promise<void> {
    const { accountId } = ownerOf(tokens.id_token);
    this.#allowWorkspace(settings, accountId);
    this.keeper.brought = undefined;
    await this.#leaveBedrock();
    await this.#store().save(withTokens(await this.#previous(), tokens, accountId, this.#options.clock.now()));
  }

  #allowWorkspace({ workspaces }: AuthSettings, accountId: string | undefined): void {
    if (workspaces.length > 0 && (accountId === undefined || !workspaces.includes(accountId)))
      throw invalidRequest(`Login is restricted to workspace id ${workspaces.join(", ")}`);
  }

  /** Unknown keys of the old entry are preserved; an unreadable entry is replaced. */
  #previous(): Promise<Awaited<ReturnType<AuthStorage["load"]>>> {
    return this.#store()
      .load()
      .catch(() => undefined);
  }

  async #account(): Promise<Account | null> {
    const { brought } = this.keeper;
    if (brought !== undefined)
      return { type: "chatgpt", email: ownerOf(brought.accessToken).email ?? null, planType: planOf(brought) ?? "unknown" };
    const found = await this.keeper.signedIn();
    if (found === undefined) return null;
    if (found.kind === "apiKey") return { type: "apiKey" };
    const { email, plan } = ownerOf(found.tokens.id_token);
    return { type: "chatgpt", email: email ?? null, planType: plan ?? "unknown" };
  }

  async #mode(): Promise<AuthMode | null> {
    if (this.keeper.brought !== undefined) return "chatgptAuthTokens";
    const found = await this.keeper.signedIn();
    if (found === undefined) return (await this.keeper.bedrock()) === undefined ? null : "bedrockApiKey";
    return found.kind === "apiKey" ? "apikey" : "chatgpt";
  }

  async #refreshOrSay(): Promise<void> {
    await this.keeper.refresh(AbortSignal.timeout(30_000)).catch((error: unknown) => {
      this.#options.log.warn("the account's token could not be renewed", { reason: errorMessage(error) });
    });
  }

  async #renewClientTokens(old: ClientTokens, signal: AbortSignal): Promise<ClientTokens | undefined> {
    const fresh = await this.#options.askTokens?.({ reason: "unauthorized", previousAccountId: old.accountId }, signal);
    if (fresh === undefined) return undefined;
    this.#allowWorkspace(this.#settings(), fresh.chatgptAccountId);
    return { accessToken: fresh.accessToken, accountId: fresh.chatgptAccountId, plan: fresh.chatgptPlanType ?? undefined };
  }

  #settings(): AuthSettings {
    const { config, codexHome, env, lacksModel } = this.#options;
    const effective = config.effective(codexHome);
    const settings = authSettings(effective, env);
    return lacksModel?.(effective) === true ? { ...settings, requiresOpenaiAuth: true } : settings;
  }
  #store(): AuthStorage {
    const { store: mode } = this.#settings();
    if (this.#storage?.mode !== mode) this.#storage = { mode, at: createStorage(mode, this.#options.codexHome, this.#options.openKeyring) };
    return this.#storage.at;
  }
  #emit(event: AccountEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}

const completed = (loginId: string | null, error: string | null = null): AccountEvent => ({
  type: "loginCompleted",
  params: { loginId, success: error === null, error, onboardingEntrypoint: null },
});
const updated = (authMode: AuthMode | null, planType: PlanType | null): AccountEvent => ({
  type: "updated",
  params: { authMode, planType },
});
const planIn = (account: Account | null) => (account?.type === "chatgpt" ? account.planType : null);
const planOf = ({ plan, accessToken }: ClientTokens) => (plan === undefined ? (ownerOf(accessToken).plan ?? null) : planTypeFrom(plan));
const tableIn = (value: unknown): Readonly<Record<string, unknown>> => (typeof value === "object" && value !== null ? { ...value } : {});
