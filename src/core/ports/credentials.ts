/** Port: who pays for the model calls. */
export interface Credentials {
  /** The bearer for the OpenAI-style provider that needs the user's account: an API key or an access token. */
  current(): Promise<Credential | undefined>;
  /** Gets a fresh token after a 401; undefined when there is nothing to refresh. */
  refresh(signal: AbortSignal): Promise<Credential | undefined>;
}
export type Credential =
  | { readonly kind: "apiKey"; readonly key: string }
  | { readonly kind: "chatgpt"; readonly accessToken: string; readonly accountId: string | undefined };
