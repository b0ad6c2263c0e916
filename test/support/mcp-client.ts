/** An MCP client, made with the official SDK, in front of our MCP server in the same process. */
import { Client, type ElicitRequest, type ElicitResult, InMemoryTransport } from "@modelcontextprotocol/client";
import * as sdk from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { RunningCalls } from "../../src/adapters/mcp-server/running-calls.ts";
import { createServer } from "../../src/adapters/mcp-server/server.ts";
import { createApp } from "../../src/main/compose.ts";
import { connectInProcess } from "../../src/main/in-process.ts";
import { type StageOptions, writeHome } from "./verifies.ts";
import type { Message } from "./wire.ts";

export interface McpStageOptions extends StageOptions {
  /** The user's answer to an elicitation; without it the client does not support elicitation. */
  readonly answer?: (params: ElicitRequest["params"] & Record<string, unknown>) => unknown;
  /** Uses the protocol revision without sessions; default: the one with sessions. */
  readonly modern?: boolean;
}

export interface McpStage extends AsyncDisposable {
  readonly client: Client;
  /** `codex/event` and other notifications, complete, oldest first. */
  readonly notified: Message[];
  readonly asked: Message[];
  /** Every message from the server, exactly as on the wire. */
  readonly wire: Message[];
  call(name: string, args: Record<string, unknown>, options?: Parameters<Client["callTool"]>[1]): Promise<Message>;
}

export async function mcpStage(home: string, options: McpStageOptions = {}): Promise<McpStage> {
  writeHome(home, options);
  const app = createApp({
    codexHome: home,
    log: strictLog,
    env: { PATH: process.env["PATH"], HOME: home, CODEX_HOME: home, PARLEY_CHECK_WIRE: "1" },
  });
  const engine = await connectInProcess(app, { connection: { source: "appServer" } });
  const calls = new RunningCalls(engine);
  const [near, far] = InMemoryTransport.createLinkedPair();
  const handle = serveStdio((context) => createServer(sdk, { calls, version: "1", userAgent: engine.server.userAgent }, context), {
    transport: far,
  });
  const notified: Message[] = [];
  const asked: Message[] = [];
  const wire: Message[] = [];
  const client = new Client(
    { name: "scenario", version: "1" },
    {
      capabilities: options.answer === undefined ? {} : { elicitation: { form: {}, url: {} } },
      versionNegotiation: { mode: options.modern === true ? { pin: "2026-07-28" } : "legacy" },
    },
  );
  client.fallbackNotificationHandler = async (notification) => {
    notified.push(notification);
  };
  const { answer } = options;
  if (answer !== undefined)
    client.setRequestHandler("elicitation/create", async ({ params }) => {
      asked.push(params);
      return answer(params as never) as ElicitResult;
    });
  const pass = far.send.bind(far);
  far.send = async (message, sendOptions) => {
    wire.push(message);
    const { id, method, params } = message as Message;
    if (method !== "elicitation/create" || answer === undefined) return await pass(message, sendOptions);
    // The SDK's client rejects some answers that older clients give.
    asked.push(params);
    far.onmessage?.({ jsonrpc: "2.0", id, result: answer(params) as ElicitResult });
  };
  await client.connect(near);
  return {
    client,
    notified,
    asked,
    wire,
    call: (name, args, callOptions) => client.callTool({ name, arguments: args }, callOptions),
    async [Symbol.asyncDispose]() {
      await client.close();
      await handle.close();
      calls.stopAll();
      await app.close();
    },
  };
}

const ignore = (): void => {};
const strictLog = {
  debug: ignore,
  info: ignore,
  warn: ignore,
  error: (message: string, fields?: unknown) => {
    throw new Error(`the server logged an error: ${message} ${JSON.stringify(fields)}`);
  },
};
