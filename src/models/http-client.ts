/** The ModelClient of every provider that is reached over HTTP and answers with an event stream. */
import type { ProviderConfig } from "../core/ports/config.ts";
import type { BedrockCredential, Credential, Credentials } from "../core/ports/credentials.ts";
import type { ModelClient, ModelEvent, ModelFailure, ModelRequest } from "../core/ports/model-client.ts";
import { RpcError } from "../protocol/errors.ts";
import { masked, type Received, readAnswer } from "./answer.ts";
import type { CatalogEntry } from "./catalog.ts";
import { CommandToken, NoToken } from "./command-token.ts";
import { failureFromNetwork, failureFromStatus } from "./failures.ts";
import { type HttpPool, readText } from "./http/pool.ts";
import { isLocal } from "./local-address.ts";
import { asStream, notAStream } from "./plain-answers.ts";
import { inRegion } from "./providers.ts";
import { RefusedParts } from "./refusals.ts";
import type { ResponsesSockets, SocketRequest } from "./responses-socket.ts";
import type { Lack, Wire, WireRequest } from "./wire.ts";

export interface HttpClientParts {
  readonly provider: ProviderConfig;
  readonly wire: Wire;
  readonly pool: HttpPool;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly credentials: Credentials | undefined;
  readonly model: (name: string) => CatalogEntry;
  /** Where the provider supports websockets: tried before HTTP. */
  readonly sockets?: () => Promise<ResponsesSockets>;
}

const chatgptBaseUrl = "https://chatgpt.com/backend-api/codex";
const errorBodyLimit = 64 * 1024;
/** The size limit of a complete answer from a server that does not stream. */
const wholeAnswerLimit = 16 * 1024 * 1024;
/** Each retry drops one thing the server refused; no request has more to drop. */
const maxResends = 4;
/** A server sees many threads and models over its lifetime; these caches are only a convenience. */
const memoryLimit = 512;

type Paying = Credential | BedrockCredential | { readonly kind: "bearer"; readonly token: string };
/** A request in flight. */
interface Posted {
  readonly request: ModelRequest;
  readonly encoded: WireRequest;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
}
type Sent = Received | { readonly failure: ModelFailure };

/** Headers with secrets, in addition to those of the settings. */
const secretHeaders = ["authorization", "x-api-key", "api-key", "x-goog-api-key"];
/** Shorter values are things like a version, which errors may contain. */
const shortestSecret = 8;

export class HttpModelClient implements ModelClient {
  readonly #parts: HttpClientParts;
  readonly #learnt = new Map<string, Set<Lack>>();
  readonly #warned = new Set<string>();
  readonly #refused = new RefusedParts();
  readonly #token: CommandToken | undefined;
  /** The address of the last request: nearly always that of the next one. */
  #address: { readonly base: string; readonly url: URL } | undefined;

  /** Only where the provider supports a warm-up. */
  readonly warmUp?: NonNullable<ModelClient["warmUp"]>;

  constructor(parts: HttpClientParts) {
    this.#parts = parts;
    const { sockets } = parts;
    this.#token = parts.provider.auth === undefined ? undefined : new CommandToken(parts.provider.auth);
    if (sockets !== undefined) this.warmUp = (request, signal) => this.#warmUp(sockets, request, signal);
  }

  async *stream(wanted: ModelRequest, signal: AbortSignal): AsyncGenerator<readonly ModelEvent[]> {
    const { wire } = this.#parts;
    const model = this.#parts.model(wanted.model);
    for (let resends = 0; ; resends++) {
      const request = this.#refused.leftOut(wanted);
      const lacks = new Set([...model.lacks, ...(this.#learnt.get(request.model) ?? [])]);
      let encoded: WireRequest | undefined = wire.encode(request, model, lacks);
      const { reader, toolNames } = encoded;
      const warnings = this.#news(request, encoded.warnings);
      if (warnings.length > 0) yield warnings;
      const sending = this.#send(request, encoded, signal);
      encoded = undefined; // the body is large, and the answer may take minutes
      const sent = await sending;
      // routers respond before they know whether the upstream provider accepts the request
      const failure =
        "reply" in sent
          ? yield* readAnswer({ ...sent, reader, first: wire.headerEvents(request, sent.reply.headers) }, signal)
          : sent.failure;
      if (failure === undefined) return;
      const again = resends < maxResends ? this.#mend(failure, request, { lacks, toolNames }) : undefined;
      if (again === undefined) return yield [{ type: "failed", failure }];
      const news = this.#news(request, again);
      if (news.length > 0) yield news;
    }
  }

  /** Learns from a refusal what to leave out; undefined when a retry would not help, else a message for the user. */
  #mend(
    failure: ModelFailure,
    request: ModelRequest,
    sent: { readonly lacks: ReadonlySet<Lack>; readonly toolNames: readonly string[] },
  ): readonly string[] | undefined {
    const model = this.#parts.model(request.model);
    // A model that supports images has refused one of them, whatever the message says.
    const isOneImage = (lack: Lack): boolean => lack === "images" && model.known && model.supportsImages;
    const lack = this.#parts.wire.lacksFrom(failure, request).find((each) => !sent.lacks.has(each) && !isOneImage(each));
    if (lack !== undefined) {
      this.#learn(request.model, lack);
      return [];
    }
    const refused = this.#refused.learn(failure, request, sent.toolNames);
    return refused === undefined ? undefined : [refused];
  }

  async #send(request: ModelRequest, encoded: WireRequest, signal: AbortSignal): Promise<Sent> {
    if (this.#token !== undefined) return this.#sendWithToken(this.#token, { request, encoded }, signal);
    const found = await this.#stored().catch(unreadable);
    if (found !== undefined && "failure" in found) return found;
    const missing = found === undefined ? this.#missingKey() : undefined;
    if (missing !== undefined) return { failure: missing };
    const first = await this.#post(request, encoded, found, signal);
    if (!("failure" in first) || first.failure.httpStatus !== 401 || found?.kind !== "chatgpt") return first;
    const fresh = await this.#parts.credentials?.refresh(signal);
    return fresh === undefined ? first : this.#post(request, encoded, fresh, signal);
  }

  /** What is stored for this provider, where no key was given. */
  async #stored(): Promise<Paying | undefined> {
    if (this.#key() !== undefined) return undefined;
    const { provider, credentials } = this.#parts;
    const bedrock = provider.id === "amazon-bedrock" ? await credentials?.bedrock() : undefined;
    if (bedrock !== undefined) return bedrock;
    if (provider.requiresOpenaiAuth) return credentials?.current();
    const key = provider.bearerToken === undefined ? await credentials?.keyOf(provider.id) : undefined;
    return key === undefined ? undefined : { kind: "apiKey", key };
  }

  /** With the token of the user's own program, which is run again when the provider refuses it. */
  async #sendWithToken(own: CommandToken, { request, encoded }: Pick<Posted, "request" | "encoded">, signal: AbortSignal): Promise<Sent> {
    try {
      const token = await own.current();
      signal.throwIfAborted();
      const first = await this.#post(request, encoded, { kind: "bearer", token }, signal);
      if (!("failure" in first) || first.failure.httpStatus !== 401) return first;
      const next = await own.after(token);
      signal.throwIfAborted();
      return next === undefined ? first : await this.#post(request, encoded, { kind: "bearer", token: next }, signal);
    } catch (error) {
      if (!(error instanceof NoToken)) throw error;
      return {
        failure: { kind: "unauthorized", message: `model_providers.${this.#parts.provider.id}.auth: ${error.message}`, retry: false },
      };
    }
  }

  async #post(request: ModelRequest, encoded: WireRequest, credential: Paying | undefined, signal: AbortSignal): Promise<Sent> {
    const { provider, pool } = this.#parts;
    const url = this.#url(credential);
    const shown = `${url.origin}${url.pathname}`;
    const headers = this.#headers(request, encoded, credential);
    const secrets = this.#secrets(headers);
    try {
      const hasSockets = this.#parts.sockets !== undefined;
      const overSocket = hasSockets ? await this.#overSocket({ request, encoded, url, headers }, signal) : undefined;
      if (overSocket !== undefined && "refused" in overSocket) {
        const refusal = { ...overSocket.refused, statusText: "", headers: {}, url: shown };
        return { failure: failureFromStatus({ ...refusal, body: masked(refusal.body, secrets) }) };
      }
      if (overSocket !== undefined) return { reply: overSocket, url: shown, secrets };
      const reply = await pool.send({ method: "POST", url, headers, body: encoded.body, idleMs: provider.streamIdleTimeoutMs }, signal);
      const type = `${reply.headers["content-type"] ?? ""}`.toLowerCase();
      const isStream = !type.startsWith("text/html") && !type.startsWith("application/json");
      if (reply.status >= 200 && reply.status < 300 && isStream) return { reply, url: shown, secrets };
      const isGood = reply.status >= 200 && reply.status < 300;
      const text = await readText(reply, isGood ? wholeAnswerLimit : errorBodyLimit);
      if (isGood && encoded.isWholeAnswer?.(text) === true) return { reply: asStream(reply, text), url: shown, secrets };
      const body = masked(text, secrets);
      const refusal = { status: reply.status, statusText: reply.statusText, headers: reply.headers, body, url: shown };
      return { failure: isGood ? notAStream(type, body, shown) : failureFromStatus(refusal) };
    } catch (error) {
      signal.throwIfAborted();
      return { failure: failureFromNetwork(error, shown) };
    }
  }

  async #overSocket(post: Posted, signal: AbortSignal): Promise<Awaited<ReturnType<ResponsesSockets["send"]>>> {
    const socketRequest = this.#socketRequest(post);
    return socketRequest === undefined ? undefined : (await this.#parts.sockets?.())?.send(socketRequest, signal);
  }

  #socketRequest({ request, encoded, url, headers }: Posted): SocketRequest | undefined {
    const { parts } = encoded;
    if (parts === undefined || this.#parts.sockets === undefined) return undefined;
    return { threadId: request.threadId, url, headers, parts, idleMs: this.#parts.provider.streamIdleTimeoutMs };
  }

  async #warmUp(sockets: () => Promise<ResponsesSockets>, wanted: ModelRequest, signal: AbortSignal): Promise<void> {
    const { wire, credentials, provider } = this.#parts;
    const request = this.#refused.leftOut(wanted);
    const model = this.#parts.model(request.model);
    const encoded = wire.encode(request, model, new Set([...model.lacks, ...(this.#learnt.get(request.model) ?? [])]));
    const credential = provider.requiresOpenaiAuth && this.#key() === undefined ? await credentials?.current() : undefined;
    const needsKey = provider.requiresOpenaiAuth || provider.envKey !== undefined || provider.auth !== undefined;
    if (needsKey && this.#key() === undefined && credential === undefined && provider.bearerToken === undefined) return;
    const socketRequest = this.#socketRequest({
      request,
      encoded,
      url: this.#url(credential),
      headers: this.#headers(request, encoded, credential),
    });
    if (socketRequest !== undefined) await (await sockets()).warmUp(socketRequest, signal);
  }

  #url(credential: Paying | undefined): URL {
    const { provider, wire } = this.#parts;
    const isChatgpt = credential?.kind === "chatgpt" && provider.baseUrl.startsWith("https://api.openai.com/");
    const own = credential?.kind === "bedrock" ? inRegion(provider.baseUrl, credential.region) : provider.baseUrl;
    const base = isChatgpt ? chatgptBaseUrl : own;
    if (this.#address?.base === base) return this.#address.url;
    const url = new URL(`${base.replace(/\/+$/, "")}${wire.path}`);
    for (const [key, value] of Object.entries(provider.queryParams)) url.searchParams.set(key, value);
    this.#address = { base, url };
    return url;
  }

  #headers(request: ModelRequest, encoded: WireRequest, credential: Paying | undefined): Record<string, string> {
    const { provider, wire, env } = this.#parts;
    const headers: Record<string, string> = {
      "content-type": "application/json",
      accept: "text/event-stream",
      "user-agent": request.userAgent,
      ...wire.headers(request),
      ...encoded.headers,
    };
    const key = this.#key();
    if (provider.bearerToken !== undefined) headers["authorization"] = `Bearer ${provider.bearerToken}`;
    else if (key !== undefined) Object.assign(headers, wire.auth(key));
    else if (credential?.kind === "apiKey" || credential?.kind === "bedrock") Object.assign(headers, wire.auth(credential.key));
    else if (credential?.kind === "bearer") headers["authorization"] = `Bearer ${credential.token}`;
    else if (credential?.kind === "chatgpt") {
      headers["authorization"] = `Bearer ${credential.accessToken}`;
      if (credential.accountId !== undefined) headers["chatgpt-account-id"] = credential.accountId;
    }
    for (const [name, value] of Object.entries(provider.httpHeaders)) setHeader(headers, name.toLowerCase(), value);
    for (const [name, variable] of Object.entries(provider.envHttpHeaders)) {
      const value = env[variable]?.trim();
      if (value !== undefined && value !== "") setHeader(headers, name.toLowerCase(), value);
    }
    return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value.replace(/[^\t\x20-\x7e]/g, "?")]));
  }

  #secrets(headers: Readonly<Record<string, string>>): readonly string[] {
    const { httpHeaders, envHttpHeaders, queryParams } = this.#parts.provider;
    const shown = [...secretHeaders, ...[...Object.keys(httpHeaders), ...Object.keys(envHttpHeaders)].map((name) => name.toLowerCase())];
    const values = shown.flatMap((name) => (headers[name] === undefined ? [] : [headers[name].replace(/^(?:Bearer|Basic) /i, "")]));
    return [...values, ...Object.values(queryParams)].filter((value) => value.length >= shortestSecret);
  }

  #key(): string | undefined {
    const { provider, env } = this.#parts;
    const value = provider.envKey === undefined ? undefined : env[provider.envKey]?.trim();
    return value === "" ? undefined : value;
  }

  /** A server on this machine needs no key, unless the settings name one. */
  #missingKey(): ModelFailure | undefined {
    const { provider } = this.#parts;
    if (provider.envKey === undefined || provider.bearerToken !== undefined || this.#key() !== undefined) return undefined;
    if ((isLocal(provider.baseUrl) && provider.requiresEnvKey !== true) || this.#hasOwnAuth()) return undefined;
    const login = provider.requiresOpenaiAuth ? "parley login" : `parley login ${provider.id}`;
    const usual = `Set it to your key for ${provider.name} (model_providers.${provider.id}.env_key), or log in with \`${login}\`.`;
    const message = `Missing environment variable: \`${provider.envKey}\`. ${provider.envKeyInstructions ?? usual}`;
    return { kind: "unauthorized", message, retry: false };
  }

  /** The settings send their own key. */
  #hasOwnAuth(): boolean {
    const { httpHeaders, envHttpHeaders, queryParams } = this.#parts.provider;
    const names = [...Object.keys(httpHeaders), ...Object.keys(envHttpHeaders)].map((name) => name.toLowerCase());
    return names.some((name) => secretHeaders.includes(name)) || Object.keys(queryParams).some((name) => /key|token/i.test(name));
  }

  #learn(model: string, lack: Lack): void {
    const known = this.#learnt.get(model) ?? new Set();
    known.add(lack);
    if (this.#learnt.size >= memoryLimit) this.#learnt.clear();
    this.#learnt.set(model, known);
  }

  /** The warnings this thread has not seen yet: the same loss in every request of a long thread is reported once. */
  #news(request: ModelRequest, warnings: readonly string[]): ModelEvent[] {
    const fresh = warnings.filter((message) => !this.#warned.has(`${request.threadId}\n${message}`));
    if (this.#warned.size > memoryLimit) this.#warned.clear();
    for (const message of fresh) this.#warned.add(`${request.threadId}\n${message}`);
    return fresh.map((message) => ({ type: "warning", message }));
  }
}

/** Beta headers are combined; for all others the user's own value wins. */
function setHeader(headers: Record<string, string>, name: string, value: string): void {
  const ours = headers[name];
  headers[name] = ours !== undefined && (name === "anthropic-beta" || name === "openai-beta") ? `${ours},${value}` : value;
}

export const bearer = (key: string): Readonly<Record<string, string>> => ({ authorization: `Bearer ${key}` });

/** The account's file is damaged or not readable: what is wrong with it is for the user to mend. */
function unreadable(error: unknown): { readonly failure: ModelFailure } {
  if (!(error instanceof RpcError)) throw error;
  return { failure: { kind: "unauthorized", message: error.message, retry: false } };
}
