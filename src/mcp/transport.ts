/** Transports to MCP servers: a child process with a minimal environment, or streamable HTTP with the user's headers. */
import { setTimeout as sleep } from "node:timers/promises";
import type { FetchLike, OAuthClientProvider, Transport } from "@modelcontextprotocol/client";
import type { McpServerConfig } from "../core/ports/config.ts";
import { boundedResponse } from "../lib/bounded-response.ts";
import { headersFromCommand } from "../lib/headers-from-command.ts";
import { refusePrivateTarget } from "../lib/private-network.ts";

export interface TransportOptions {
  readonly config: McpServerConfig;
  /** The working directory for relative commands; the thread's folder. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly auth?: OAuthClientProvider | undefined;
  /** Receives the server's stderr, for the error message if it fails. */
  readonly onStderr: (text: string) => void;
}

/** The only environment variables a server gets unless the settings name more: never a key or a token. */
const passedOn = ["HOME", "LANG", "LC_ALL", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER"];

/** A longer message closes the connection, because the whole message must be held in memory. */
const maxMessageBytes = 16 * 1024 * 1024;

export async function transportFor(options: TransportOptions): Promise<Transport> {
  const { transport } = options.config;
  return transport.type === "stdio" ? await childProcess(options, transport) : await http(options, transport);
}

async function childProcess(
  options: TransportOptions,
  transport: Extract<McpServerConfig["transport"], { type: "stdio" }>,
): Promise<Transport> {
  const start = {
    command: transport.command,
    args: [...transport.args],
    cwd: transport.cwd ?? options.cwd,
    env: { ...named(options.env, [...passedOn, ...transport.envVars]), ...transport.env },
  };
  if (process.platform !== "win32") {
    const { ChildProcessTransport } = await import("./child-process.ts");
    return new ChildProcessTransport({ ...start, maxMessageBytes, onStderr: options.onStderr });
  }
  // Script commands need the library's way of starting them there.
  const { StdioClientTransport } = await import("@modelcontextprotocol/client/stdio");
  const child = new StdioClientTransport({ ...start, stderr: "pipe", maxBufferSize: maxMessageBytes });
  child.stderr?.on("data", (chunk: Buffer) => options.onStderr(chunk.toString("utf8")));
  return child;
}

async function http(
  { env, auth }: TransportOptions,
  transport: Extract<McpServerConfig["transport"], { type: "http" }>,
): Promise<Transport> {
  const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
  const bearer = transport.bearerTokenEnvVar === undefined ? undefined : env[transport.bearerTokenEnvVar];
  const { httpHeadersHelper: helper } = transport;
  const headers = {
    ...(helper === undefined ? {} : await headersFromCommand(helper, AbortSignal.timeout(helperMs))),
    ...transport.httpHeaders,
    ...Object.fromEntries(
      Object.entries(transport.envHttpHeaders).flatMap(([name, variable]) => (env[variable] === undefined ? [] : [[name, env[variable]]])),
    ),
    ...(bearer === undefined ? {} : { Authorization: `Bearer ${bearer}` }),
  };
  return new StreamableHTTPClientTransport(new URL(transport.url), {
    requestInit: { headers },
    fetch: fetchFor(new URL(transport.url)),
    ...(auth === undefined || bearer !== undefined ? {} : { authProvider: auth }),
  });
}

/** Only guards against hanging: the helper has a limit of its own. */
const helperMs = 30_000;

/** A server sets the delay before its ended stream is requested again; it is never requested more often than this. */
const streamEveryMs = 1_000;

/** A server must not send us, with the user's headers, elsewhere: redirects are rejected, and so are addresses it names inside our network. */
export function fetchFor(server: URL): FetchLike {
  let streamAt = Number.NEGATIVE_INFINITY;
  return async (url, init) => {
    const why = refusePrivateTarget(new URL(url), server);
    if (why !== undefined) throw new Error(why);
    if (isStreamRequest(init)) {
      const wait = streamAt + streamEveryMs - performance.now();
      streamAt = performance.now() + Math.max(0, wait);
      if (wait > 0) await sleep(wait, undefined, { ref: false, ...(init?.signal == null ? {} : { signal: init.signal }) });
    }
    const response = await fetch(url, { ...init, redirect: "manual" });
    if (response.status >= 300 && response.status < 400) {
      await response.body?.cancel();
      throw new Error(
        `the server redirects to ${response.headers.get("location") ?? "another place"}; name that address in the settings if you trust it`,
      );
    }
    return boundedResponse(response, maxMessageBytes);
  };
}

const isStreamRequest = (init: Parameters<FetchLike>[1]): boolean =>
  (init?.method ?? "GET") === "GET" && (new Headers(init?.headers).get("accept") ?? "").includes("text/event-stream");

function named(env: Readonly<Record<string, string | undefined>>, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
}
