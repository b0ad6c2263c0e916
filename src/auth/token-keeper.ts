/** Credentials for model calls: the stored key or tokens, kept fresh. Implements the Credentials port. */
import type { Clock } from "../core/ports/clock.ts";
import type { BedrockCredential, Credential, Credentials } from "../core/ports/credentials.ts";
import type { Log } from "../core/ports/log.ts";
import { errorMessage } from "../lib/error-text.ts";
import { type SignedIn, signedInBy, withTokens } from "./auth-data.ts";
import { ownerOf } from "./claims.ts";
import { type Issuer, OAuthRefusal, refreshTokens } from "./oauth.ts";
import type { ProviderKeys } from "./provider-keys.ts";
import type { AuthStorage } from "./storage.ts";

/** Tokens that a client supplied and renews itself; never stored. */
export interface ClientTokens {
  readonly accessToken: string;
  readonly accountId: string;
  readonly plan: string | undefined;
}

export interface TokenKeeperOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly storage: () => AuthStorage;
  readonly keys: Pick<ProviderKeys, "get">;
  /** A sign-in from the environment: if the settings allow it, it takes precedence over all others. */
  readonly fixed: SignedIn | undefined;
  /** Whether the settings allow this sign-in. */
  readonly isAllowed: (found: SignedIn) => boolean;
  readonly issuer: () => Issuer;
  /** Requests fresh tokens from the client that supplied them; undefined if it cannot be asked. */
  readonly renewClientTokens: (old: ClientTokens, signal: AbortSignal) => Promise<ClientTokens | undefined>;
}

const staleAfterMs = 8 * 24 * 60 * 60 * 1000;
/** Tokens are renewed this long before they expire, so that they do not expire during a long turn. */
const marginMs = 5 * 60 * 1000;
const refreshTimeoutMs = 30_000;

export class TokenKeeper implements Credentials {
  readonly #options: TokenKeeperOptions;
  #brought: ClientTokens | undefined;
  #refreshing: Promise<Credential | undefined> | undefined;
  /** A refresh token that its issuer rejected permanently: another attempt would be rejected as well. */
  #rejectedToken: string | undefined;

  constructor(options: TokenKeeperOptions) {
    this.#options = options;
  }

  get brought(): ClientTokens | undefined {
    return this.#brought;
  }
  set brought(tokens: ClientTokens | undefined) {
    this.#brought = tokens;
  }

  async signedIn(): Promise<SignedIn | undefined> {
    if (this.#fixed !== undefined) return this.#fixed;
    const found = signedInBy(await this.#options.storage().load());
    return found !== undefined && this.#options.isAllowed(found) ? found : undefined;
  }

  async current(): Promise<Credential | undefined> {
    if (this.#brought !== undefined) return bringing(this.#brought);
    const found = await this.signedIn();
    if (found === undefined) return undefined;
    if (found.kind === "apiKey") return { kind: "apiKey", key: found.key };
    if (!this.#isStale(found)) return credentialOf(found);
    try {
      return (await this.refresh(AbortSignal.timeout(refreshTimeoutMs))) ?? credentialOf(found);
    } catch (error) {
      // The old token may still work; if not, the model call fails and asks again.
      this.#options.log.warn("the account's token could not be renewed", {
        reason: errorMessage(error),
      });
      return credentialOf(found);
    }
  }

  async bedrock(): Promise<BedrockCredential | undefined> {
    const found = (await this.#options.storage().load())?.bedrock_api_key;
    return found ? { kind: "bedrock", key: found.api_key, region: found.region } : undefined;
  }

  keyOf(provider: string): Promise<string | undefined> {
    return this.#options.keys.get(provider);
  }

  /** One renewal at a time: the issuer accepts each refresh token once. Throws an Error with a message for the user. */
  refresh(signal: AbortSignal): Promise<Credential | undefined> {
    this.#refreshing ??= this.#refresh(signal).finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  async #refresh(signal: AbortSignal): Promise<Credential | undefined> {
    if (this.#brought !== undefined) {
      this.#brought = (await this.#options.renewClientTokens(this.#brought, signal)) ?? this.#brought;
      return bringing(this.#brought);
    }
    if (this.#fixed !== undefined) return undefined;
    const storage = this.#options.storage();
    const data = await storage.load();
    const found = signedInBy(data);
    if (
      found?.kind !== "chatgpt" ||
      !this.#options.isAllowed(found) ||
      found.tokens.refresh_token === "" ||
      found.tokens.refresh_token === this.#rejectedToken
    )
      return undefined;
    try {
      const fresh = await refreshTokens(this.#options.issuer(), found.tokens, signal);
      const accountId = found.tokens.account_id ?? ownerOf(fresh.id_token).accountId;
      await storage.save(withTokens(data, fresh, accountId, this.#options.clock.now()));
      return { kind: "chatgpt", accessToken: fresh.access_token, accountId };
    } catch (error) {
      return this.#afterRefusal(error, found, storage);
    }
  }

  /** Another program of the same home may just have used the refresh token; then its result is in the storage. */
  async #afterRefusal(error: unknown, used: ChatgptSignIn, storage: AuthStorage): Promise<Credential | undefined> {
    if (!(error instanceof OAuthRefusal) || error.status >= 500) throw error;
    const now = signedInBy(await storage.load());
    if (now?.kind === "chatgpt" && now.tokens.access_token !== used.tokens.access_token) return credentialOf(now);
    this.#rejectedToken = used.tokens.refresh_token;
    throw new Error(`your sign-in has ended (${error.message}); sign in again`);
  }

  get #fixed(): SignedIn | undefined {
    const { fixed, isAllowed } = this.#options;
    return fixed !== undefined && isAllowed(fixed) ? fixed : undefined;
  }

  #isStale(found: ChatgptSignIn): boolean {
    const now = this.#options.clock.now();
    const { expiresAt } = ownerOf(found.tokens.access_token);
    if (found.tokens.refresh_token === "" || found.tokens.refresh_token === this.#rejectedToken) return false;
    if (expiresAt !== undefined) return expiresAt - marginMs <= now;
    return found.lastRefresh === undefined || now - found.lastRefresh > staleAfterMs;
  }
}

type ChatgptSignIn = Extract<SignedIn, { kind: "chatgpt" }>;

const credentialOf = ({ tokens }: ChatgptSignIn): Credential => ({
  kind: "chatgpt",
  accessToken: tokens.access_token,
  accountId: tokens.account_id ?? ownerOf(tokens.id_token).accountId,
});
const bringing = ({ accessToken, accountId }: ClientTokens): Credential => ({ kind: "chatgpt", accessToken, accountId });
