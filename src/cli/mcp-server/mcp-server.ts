/** `parley mcp-server`: the agent as two tools for any MCP client, over stdio or streamable HTTP. */
import { setTimeout as delay } from "node:timers/promises";
import type { McpServerFactory } from "@modelcontextprotocol/server";
import { type HttpOptions, listenHttp } from "../../adapters/mcp-server/http.ts";
import { RunningCalls } from "../../adapters/mcp-server/running-calls.ts";
import { createServer } from "../../adapters/mcp-server/server.ts";
import { LinesMcpTransport } from "../../adapters/mcp-server/stdio.ts";
import { connectInProcess } from "../../main/in-process.ts";
import { openStderr } from "../../main/survive.ts";
import { stdioTransport } from "../../rpc/stdio.ts";
import type { Transport } from "../../rpc/transport.ts";
import { checkFromFlags, httpEndpointFrom } from "../listen-flags.ts";
import { openApp, requireModel, surviveWith } from "../own-app.ts";
import { cannotListen, type Globals, readFlags, refuseMore, StartError, signalled } from "../usage.ts";
import { version } from "../version.ts";
import { help } from "./help.ts";

export async function run(args: readonly string[], globals: Globals): Promise<number> {
  const { values, positionals } = readFlags(args, help);
  refuseMore(positionals);
  const endpoint = values.listen === undefined || values.listen === "stdio://" ? undefined : httpEndpointFrom(values.listen);
  const checkToken = await checkFromFlags(values);
  if (endpoint !== undefined && checkToken === undefined && !(await import("../../rpc/websocket.ts")).isLoopback(endpoint.host))
    throw new StartError(`refusing to listen on ${endpoint.host}:${endpoint.port}, which others can reach, without --ws-auth`);
  const app = openApp(globals, values);
  requireModel(app, process.cwd());
  surviveWith(app);
  const client = await connectInProcess(app, {
    clientInfo: { name: "codex_mcp_server", title: "Parley MCP server", version },
    connection: { source: "appServer", needsModel: true },
  });
  const calls = new RunningCalls(client);
  const sdk = await import("@modelcontextprotocol/server");
  const options = { calls, version, userAgent: client.server.userAgent };
  const factory: McpServerFactory = (context) => createServer(sdk, options, context);

  if (endpoint === undefined) await overStdio(factory);
  else {
    const allowed = { allowedOrigins: values["ws-allow-origin"] ?? [], allowedHosts: values["ws-allow-host"] ?? [] };
    await overHttp({ ...endpoint, ...allowed, factory, checkToken, report: app.log.warn });
  }
  calls.stopAll();
  await app.close();
  process.exit(0); // idle connections to models and tools must not keep a finished server alive
}

/** Exits with its client. */
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
    throw cannotListen(error);
  });
  openStderr().write(`parley mcp-server (streamable HTTP)\n  listening on: ${listener.url}\n`);
  await signalled();
  await listener.close();
}

/** How long a client may take to read the remaining output. */
const flushMs = 2000;

async function readToTheEnd(lines: Transport): Promise<void> {
  const end = performance.now() + flushMs;
  while (lines.backlog > 0 && performance.now() < end) await delay(2);
}
