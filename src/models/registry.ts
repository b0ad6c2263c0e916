/** One client per provider, created on first use and kept with its connections. A new wire is one line here. */
import { homedir } from "node:os";
import path from "node:path";
import type { ProviderConfig } from "../core/ports/config.ts";
import type { Credentials } from "../core/ports/credentials.ts";
import type { Log } from "../core/ports/log.ts";
import type { ModelClient, ModelClients } from "../core/ports/model-client.ts";
import { createModelCatalog, type RefreshableCatalog } from "./catalog.ts";
import { createHttpPool, type HttpPool } from "./http/pool.ts";
import { HttpModelClient } from "./http-client.ts";
import { installationIdFor } from "./installation-id.ts";
import { createResponsesWire } from "./responses.ts";
import type { ResponsesSockets } from "./responses-socket.ts";
import type { Wire } from "./wire.ts";

export interface ModelClientsParts {
  readonly credentials?: Credentials;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly catalog?: RefreshableCatalog;
  readonly log?: Log;
  /** Scenario files of the scripted model and adapter packages are resolved from here: the user's own folder, never a project's. */
  readonly home?: string;
}

export function createModelClients(parts: ModelClientsParts): ModelClients {
  let pool: HttpPool | undefined;
  const catalog = parts.catalog ?? createModelCatalog();
  const home = parts.home ?? parts.env["CODEX_HOME"] ?? path.join(homedir(), ".codex");
  /** Keyed by the settings themselves: two threads with different settings for one provider must not share a client. */
  const clients = new Map<string, ModelClient>();

  const overHttp = (provider: ProviderConfig, wire: Wire): ModelClient => {
    pool ??= createHttpPool(parts.env);
    return new HttpModelClient({
      ...{ provider, wire, pool, env: parts.env, credentials: parts.credentials },
      model: (name) => catalog.find(name, provider),
      ...(takesWebsockets(provider) ? { sockets: socketsFor(provider, pool) } : {}),
    });
  };

  /** Loaded with the first request: most servers never need them. */
  function socketsFor(provider: ProviderConfig, { agentFor }: HttpPool): () => Promise<ResponsesSockets> {
    let made: Promise<ResponsesSockets> | undefined;
    const connectMs = provider.websocketConnectTimeoutMs ?? websocketConnectMs;
    return () =>
      (made ??= import("./responses-socket.ts").then(
        ({ ResponsesSockets: Sockets }) => new Sockets({ connectMs, log: parts.log, agentFor }),
      ));
  }

  function make(provider: ProviderConfig): ModelClient {
    switch (provider.wireApi) {
      case "responses":
        return atFirstRequest(() => overHttp(provider, createResponsesWire(installationIdFor(home, provider))), takesWebsockets(provider));
      case "chat":
        return onFirstUse(async () => overHttp(provider, (await import("./chat-completions.ts")).createChatWire(provider)));
      case "anthropic":
        return onFirstUse(async () => overHttp(provider, (await import("./anthropic-messages.ts")).createAnthropicWire()));
      case "scripted":
        return onFirstUse(async () => {
          const { ScriptedModelClient } = await import("./scripted.ts");
          return new ScriptedModelClient(provider, { home, fallbackFile: parts.env["PARLEY_SCENARIO"] });
        });
      case "ai-sdk":
        return onFirstUse(async () =>
          (await import("./ai-sdk.ts")).createAiSdkClient(provider, { env: parts.env, packagesDir: home, catalog }),
        );
    }
  }

  return {
    clientFor(provider) {
      const settings = JSON.stringify(provider);
      const known = clients.get(settings);
      if (known !== undefined) return known;
      const client = make(provider);
      if (clients.size >= keptClients) clients.clear();
      clients.set(settings, client);
      return client;
    },
  };
}

const keptClients = 64;
const websocketConnectMs = 15_000;

/** OpenAI supports them; for another server, its table says so. */
function takesWebsockets({ wireApi, baseUrl, supportsWebsockets }: ProviderConfig): boolean {
  return wireApi === "responses" && (supportsWebsockets ?? /^https:\/\/api\.openai\.com\//.test(baseUrl));
}

/** The usual wire is in the chunk that turns load: a thread that has just been opened only needs to know whether the provider is warmed up. */
function atFirstRequest(make: () => ModelClient, warmsUp: boolean): ModelClient {
  let client: ModelClient | undefined;
  const made = (): ModelClient => {
    client ??= make();
    return client;
  };
  return {
    stream: (request, signal) => made().stream(request, signal),
    ...(warmsUp ? { warmUp: async (request, signal) => made().warmUp?.(request, signal) } : {}),
  };
}

/** Keeps a wire's code from being loaded at start-up by servers that do not use it. */
function onFirstUse(load: () => Promise<ModelClient>): ModelClient {
  let client: Promise<ModelClient> | undefined;
  return {
    async *stream(request, signal) {
      client ??= load();
      yield* (await client).stream(request, signal);
    },
  };
}
