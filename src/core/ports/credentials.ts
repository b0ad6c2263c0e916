/** Port: credentials for model calls. */
export interface Credentials {
  /** The bearer for the OpenAI-style provider that needs the user's account: an API key or an access token. */
  current(): Promise<Credential | undefined>;
  /** Gets a fresh token after a 401; undefined when there is nothing to refresh. */
  refresh(signal: AbortSignal): Promise<Credential | undefined>;
  /** The key that was stored for Amazon Bedrock. */
  bedrock(): Promise<BedrockCredential | undefined>;
  /** The key that was stored for a provider other than OpenAI. */
  keyOf(provider: string): Promise<string | undefined>;
}
export interface BedrockCredential {
  readonly kind: "bedrock";
  readonly key: string;
  readonly region: string;
}
export type Credential =
  | { readonly kind: "apiKey"; readonly key: string }
  | { readonly kind: "chatgpt"; readonly accessToken: string; readonly accountId: string | undefined };
