/** Tools and resources of MCP servers as the model calls them. */
import type { CallToolResult, Tool as McpTool } from "@modelcontextprotocol/client";
import { failed, said, type Tool, type ToolContent, type ToolContext, type ToolOutput } from "../core/ports/tool.ts";
import { maybe, named, object, parse, string } from "../lib/schema.ts";
import { mayCall, type ToolGrants } from "./approval.ts";
import type { McpConnection } from "./connection.ts";

/** Results over this are cut: a server must not fill the window or the thread's file. */
const maxResultCharacters = 1024 * 1024;
const maxDescription = 4096;

/** A name that every provider takes: letters, digits, `_` and `-`, at most 64. */
const safeName = (text: string): string => text.replace(/[^a-zA-Z0-9_-]/g, "_");

export function mcpTool(connection: McpConnection, tool: McpTool, grants: ToolGrants, enter: (context: ToolContext) => () => void): Tool {
  const { name: server } = connection.config;
  const name = `mcp__${safeName(server)}__${safeName(tool.name)}`.slice(0, 64);
  return {
    name,
    spec: {
      type: "function",
      name,
      description: cleaned(tool.description ?? tool.title ?? tool.name),
      strict: false,
      parameters: { properties: {}, ...tool.inputSchema },
    },
    plan: (call) => ({ kind: "direct", run: (context) => run(connection, tool, asObject(call.args), context, grants, enter) }),
  };
}

/** Descriptions come from outside: no control characters, no hidden text, not endless. */
const cleaned = (text: string): string =>
  text
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]|\u{e0000}/gu, "")
    .slice(0, maxDescription);

const asObject = (args: unknown): Record<string, unknown> =>
  typeof args === "object" && args !== null && !Array.isArray(args) ? (args as Record<string, unknown>) : {};

async function run(
  connection: McpConnection,
  tool: McpTool,
  args: Record<string, unknown>,
  context: ToolContext,
  grants: ToolGrants,
  enter: (context: ToolContext) => () => void,
): Promise<ToolOutput> {
  const { name: server } = connection.config;
  const item = {
    type: "mcpToolCall" as const,
    id: context.callId,
    server,
    tool: tool.name,
    arguments: args,
    readOnlyHint: tool.annotations?.readOnlyHint ?? null,
  };
  const startedAt = Date.now();
  context.startItem({ ...item, status: "inProgress", result: null, error: null, durationMs: null });
  const fail = async (message: string): Promise<ToolOutput> => {
    await context.completeItem({ ...item, status: "failed", result: null, error: { message }, durationMs: Date.now() - startedAt });
    return failed(message);
  };
  const word = await mayCall(connection.config, tool, args, context, grants);
  if (!word.allowed) return await fail(word.text);
  const leave = enter(context);
  try {
    const result = bounded(
      await connection.call(tool.name, args, {
        signal: context.signal,
        onProgress: (message) =>
          context.notify("item/mcpToolCall/progress", {
            threadId: context.threadId,
            turnId: context.turnId,
            itemId: context.callId,
            message,
          }),
      }),
    );
    await context.completeItem({
      ...item,
      status: result.isError === true ? "failed" : "completed",
      result: { content: result.content, structuredContent: result.structuredContent ?? null, _meta: result._meta ?? null },
      error: null,
      durationMs: Date.now() - startedAt,
    });
    return outputFrom(result);
  } catch (error) {
    if (context.signal.aborted) throw error;
    return await fail(`tool call error: ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    leave();
  }
}

function bounded(result: CallToolResult): CallToolResult {
  if (JSON.stringify(result).length <= maxResultCharacters) return result;
  const text = result.content.map((part) => (part.type === "text" ? part.text : `[${part.type}]`)).join("\n");
  return {
    ...(result.isError === true ? { isError: true } : {}),
    content: [{ type: "text", text: `${text.slice(0, maxResultCharacters)}\n[the rest of the result was cut]` }],
  };
}

function outputFrom(result: CallToolResult): ToolOutput {
  const success = result.isError !== true;
  if (result.structuredContent !== undefined) return { kind: "text", text: JSON.stringify(result.structuredContent), success };
  const content = result.content.map((part): ToolContent => {
    if (part.type === "text") return { type: "input_text", text: part.text };
    if (part.type === "image") return { type: "input_image", image_url: `data:${part.mimeType};base64,${part.data}` };
    return { type: "input_text", text: JSON.stringify(part) };
  });
  const only = content.length === 1 ? content[0] : undefined;
  return only?.type === "input_text" ? { kind: "text", text: only.text, success } : { kind: "content", content, success };
}

const ListArgs = named("McpListArgs", () => object({ server: maybe(string()) }));
const ReadArgs = named("McpReadArgs", () => object({ server: string(), uri: string() }));

/** The three tools by which a model finds and reads resources; offered when a server has any. */
export function resourceTools(connections: () => readonly McpConnection[]): Tool[] {
  const chosen = (args: unknown): readonly McpConnection[] => {
    const server = parse(ListArgs, args)?.server;
    return connections().filter((c) => !server || c.config.name === server);
  };
  const listed = async (args: unknown, rows: (c: McpConnection) => Promise<readonly object[]>): Promise<ToolOutput> => {
    const all = await Promise.all(
      chosen(args).map(async (c) => (await rows(c).catch(() => [])).map((row) => ({ server: c.config.name, ...row }))),
    );
    return said(JSON.stringify(all.flat()).slice(0, maxResultCharacters));
  };
  const properties = { server: { type: "string", description: "One server only." } };
  return [
    simple("list_mcp_resources", "Lists the resources that MCP servers offer.", properties, [], (args) =>
      listed(args, async (c) => (await c.offered()).resources),
    ),
    simple("list_mcp_resource_templates", "Lists the resource templates that MCP servers offer.", properties, [], (args) =>
      listed(args, async (c) => (await c.offered()).templates),
    ),
    simple(
      "read_mcp_resource",
      "Reads a resource of an MCP server.",
      { server: { type: "string" }, uri: { type: "string" } },
      ["server", "uri"],
      async (args) => {
        const read = parse(ReadArgs, args);
        const connection = connections().find((c) => c.config.name === read?.server);
        if (read === undefined || connection === undefined) return failed(`there is no MCP server named ${read?.server ?? "?"}`);
        try {
          return said(JSON.stringify(await connection.read(read.uri)).slice(0, maxResultCharacters));
        } catch (error) {
          return failed(`resources/read failed: ${error instanceof Error ? error.message : String(error)}`);
        }
      },
    ),
  ];
}

function simple(
  name: string,
  description: string,
  properties: Record<string, object>,
  required: string[],
  run: (args: unknown) => Promise<ToolOutput>,
): Tool {
  return {
    name,
    spec: {
      type: "function",
      name,
      description,
      strict: false,
      parameters: { type: "object", properties, required, additionalProperties: false },
    },
    plan: (call) => ({ kind: "direct", run: () => run(call.args) }),
  };
}
