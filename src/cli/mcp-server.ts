/** `parley mcp-server`: the agent as two tools for any MCP client, over stdio or streamable HTTP. */
import { setTimeout as delay } from "node:timers/promises";
import type { McpServerFactory } from "@modelcontextprotocol/server";
import { type HttpOptions, listenHttp } from "../adapters/mcp-server/http.ts";
import { RunningCalls } from "../adapters/mcp-server/running-calls.ts";
import { createServer } from "../adapters/mcp-server/server.ts";
import { LinesMcpTransport } from "../adapters/mcp-server/stdio.ts";
import { createApp } from "../main/compose.ts";
import { connectInProcess, userAgentFor } from "../main/in-process.ts";
import { createLog } from "../main/log.ts";
import { stdioTransport } from "../rpc/stdio.ts";
import type { Transport } from "../rpc/transport.ts";
import { authFlags, checkFromFlags, httpEndpointFrom } from "./listen-flags.ts";
import { codexHome, type Globals, readFlags, StartError, signalled, UsageError } from "./usage.ts";
import { version } from "./version.ts";

const flags = {
  ...authFlags,
  listen: { type: "string" },
  "ws-allow-origin": { type: "string", multiple: true },
  "ws-allow-host": { type: "string", multiple: true },
  config: { type: "string", short: "c", multiple: true },
  enable: { type: "string", multiple: true },
  disable: { type: "string", multiple: true },
  help: { type: "boolean", short: "h" },
} as const;

export async function run(args: readonly string[], globals: Globals): Promise<number> {
  const { values, positionals } = readFlags(args, flags);
  if (values.help === true) return printHelp();
  if (positionals[0] !== undefined) throw new UsageError(`unexpected argument '${positionals[0]}'`);
  const endpoint = values.listen === undefined || values.listen === "stdio://" ? undefined : httpEndpointFrom(values.listen);
  const checkToken = await checkFromFlags(values);
  if (endpoint !== undefined && checkToken === undefined && !(await import("../rpc/websocket.ts")).isLoopback(endpoint.host))
    throw new StartError(`refusing to listen on ${endpoint.host}:${endpoint.port}, which others can reach, without --ws-auth`);
  const log = createLog("warn", Date.now);
  const features = [
    ...(values.enable ?? []).map((name) => `features.${name}=true`),
    ...(values.disable ?? []).map((name) => `features.${name}=false`),
  ];
  const app = createApp({ codexHome: codexHome(), log, cliOverrides: [...globals.config, ...(values.config ?? []), ...features] });
  const client = await connectInProcess(app, {
    clientInfo: { name: "codex_mcp_server", title: "Parley MCP server", version },
    door: { source: "appServer" },
  });
  const calls = new RunningCalls(client);
  const sdk = await import("@modelcontextprotocol/server");
  const options = { calls, version, userAgent: (of: { name: string; version: string }) => userAgentFor(app, of) };
  const factory: McpServerFactory = (context) => createServer(sdk, options, context);

  if (endpoint === undefined) await overStdio(factory);
  else {
    const allowed = { allowedOrigins: values["ws-allow-origin"] ?? [], allowedHosts: values["ws-allow-host"] ?? [] };
    await overHttp({ ...endpoint, ...allowed, factory, checkToken, report: log.warn });
  }
  calls.stopAll();
  await app.close();
  process.exit(0); // idle connections to models and tools must not keep a finished server alive
}

/** Ends with its client. */
async function overStdio(factory: McpServerFactory): Promise<void> {
  const { serveStdio } = await import("@modelcontextprotocol/server/stdio");
  const lines = stdioTransport();
  const transport = new LinesMcpTransport(lines);
  serveStdio(factory, { transport });
  await Promise.race([transport.closed, signalled()]);
  await transport.close();
  await readToTheEnd(lines);
}

async function overHttp(options: HttpOptions): Promise<void> {
  const listener = await listenHttp(options).catch((error: Error) => {
    throw new StartError(`cannot listen: ${error.message}`);
  });
  process.stderr.write(`parley mcp-server (streamable HTTP)\n  listening on: ${listener.url}\n`);
  await signalled();
  await listener.close();
}

/** How long a reader may take for the rest of what it was sent. */
const lastWordsMs = 2000;

async function readToTheEnd(lines: Transport): Promise<void> {
  const end = performance.now() + lastWordsMs;
  while (lines.backlog > 0 && performance.now() < end) await delay(2);
}

function printHelp(): number {
  process.stdout.write(`Serve the agent to MCP clients as the tools codex and codex-reply.

Usage: parley mcp-server [OPTIONS]

Options:
      --listen <URL>            stdio:// (default) or http://IP:PORT (streamable HTTP, path /mcp)
  -c, --config <key=value>      Override a value of config.toml; the value is TOML; repeatable
      --enable <FEATURE>        The same as -c features.<FEATURE>=true
      --disable <FEATURE>       The same as -c features.<FEATURE>=false

HTTP:
      --ws-auth <MODE>          capability-token or signed-bearer-token; needed for addresses that others can reach.
                                Its further flags are those of parley app-server
      --ws-allow-origin <ORIGIN>  Let web pages of this origin in; repeatable. Default: none
      --ws-allow-host <NAME>      A further name of this machine in the Host header; repeatable

Approvals are asked for by elicitation. A client that cannot be asked gets what the approval policy allows unasked.
`);
  return 0;
}
