/** Who pays for model calls: the stored key or tokens, kept fresh. Implements the Credentials port. */
import type { Clock } from "../core/ports/clock.ts";
import type { BedrockCredential, Credential, Credentials } from "../core/ports/credentials.ts";
import type { Log } from "../core/ports/log.ts";
import { errorMessage } from "../lib/error-text.ts";
import { type SignedIn, signedInBy, withTokens } from "./auth-data.ts";
import { ownerOf } from "./claims.ts";
import { type Issuer, OAuthRefusal, refreshTokens } from "./oauth.ts";
import type { ProviderKeys } from "./provider-keys.ts";
import type { AuthStorage } from "./storage.ts";

/** Tokens that a client brought along and renews itself; never stored. */
export interface BroughtTokens {
  readonly accessToken: string;
  readonly accountId: string;
  readonly plan: string | undefined;
}

export interface TokenKeeperOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly storage: () => AuthStorage;
  readonly keys: Pick<ProviderKeys, "get">;
  /** What the environment gives: where the settings let it be used, it counts before all else. */
  readonly fixed: SignedIn | undefined;
  /** Whether the settings let this sign-in be used. */
  readonly isAllowed: (found: SignedIn) => boolean;
  readonly issuer: () => Issuer;
  /** Asks the client that brought the tokens for fresh ones; undefined when it cannot be asked. */
  readonly renewBrought: (old: BroughtTokens, signal: AbortSignal) => Promise<BroughtTokens | undefined>;
}

const staleAfterMs = 8 * 24 * 60 * 60 * 1000;
/** Renewed this long before they end, so that a long turn does not meet a dead token. */
const marginMs = 5 * 60 * 1000;
const refreshTimeoutMs = 30_000;

export class TokenKeeper implements Credentials {
  readonly #options: TokenKeeperOptions;
  #brought: BroughtTokens | undefined;
  #refreshing: Promise<Credential | undefined> | undefined;
  /** A refresh token that its maker refused for good: asking again would only be refused again. */
  #dead: string | undefined;

  constructor(options: TokenKeeperOptions) {
    this.#options = options;
  }

  get brought(): BroughtTokens | undefined {
    return this.#brought;
  }
  set brought(tokens: BroughtTokens | undefined) {
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
      // The old token may still work; if not, the model call says so and asks again.
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

  /** One renewal at a time: the maker takes each refresh token once. Throws Error with a text for the user. */
  refresh(signal: AbortSignal): Promise<Credential | undefined> {
    this.#refreshing ??= this.#refresh(signal).finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  async #refresh(signal: AbortSignal): Promise<Credential | undefined> {
    if (this.#brought !== undefined) {
      this.#brought = (await this.#options.renewBrought(this.#brought, signal)) ?? this.#brought;
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
      found.tokens.refresh_token === this.#dead
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

  /** Another program of the same home may have used up the refresh token a moment ago; then its result is in the store. */
  async #afterRefusal(error: unknown, used: ChatgptSignIn, storage: AuthStorage): Promise<Credential | undefined> {
    if (!(error instanceof OAuthRefusal) || error.status >= 500) throw error;
    const now = signedInBy(await storage.load());
    if (now?.kind === "chatgpt" && now.tokens.access_token !== used.tokens.access_token) return credentialOf(now);
    this.#dead = used.tokens.refresh_token;
    throw new Error(`your sign-in has ended (${error.message}); sign in again`);
  }

  get #fixed(): SignedIn | undefined {
    const { fixed, isAllowed } = this.#options;
    return fixed !== undefined && isAllowed(fixed) ? fixed : undefined;
  }

  #isStale(found: ChatgptSignIn): boolean {
    const now = this.#options.clock.now();
    const { expiresAt } = ownerOf(found.tokens.access_token);
    if (found.tokens.refresh_token === "" || found.tokens.refresh_token === this.#dead) return false;
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
const bringing = ({ accessToken, accountId }: BroughtTokens): Credential => ({ kind: "chatgpt", accessToken, accountId });
