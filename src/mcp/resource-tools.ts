/** The tools that a model uses to list and read resources of MCP servers; offered if any server has resources. */
import { failed, succeeded, type Tool, type ToolContext, type ToolOutput } from "../core/ports/tool.ts";
import { errorMessage } from "../lib/error-text.ts";
import { plainSchema } from "../lib/plain-schema.ts";
import { described, type Lazy, maybe, named, object, parse, string } from "../lib/schema.ts";
import type { McpConnection } from "./connection.ts";
import { maxResultCharacters } from "./results.ts";

const ListArgs = named("McpListArgs", () => object({ server: maybe(described(string(), "One server only.")) }));
const ReadArgs = named("McpReadArgs", () => object({ server: string(), uri: string() }));

/** The server name of a call that concerns all servers: the name that Codex clients know. */
const allServers = "codex";

export function resourceTools(connections: () => readonly McpConnection[]): Tool[] {
  const find = (name: string): McpConnection | undefined => connections().find((c) => c.config.name === name);
  /** With `server`, that server's list, otherwise the lists of all servers; a server that does not respond has an empty list. */
  const listTool = (name: string, description: string, key: string, rows: (c: McpConnection) => Promise<readonly object[]>): Tool =>
    resourceTool({ name, description, args: ListArgs }, (args) => {
      const server = parse(ListArgs, args)?.server || undefined;
      if (server !== undefined && find(server) === undefined) return unknownServer(server);
      const asked = connections().filter((c) => server === undefined || c.config.name === server);
      const read = async (): Promise<object> => {
        const lists = await Promise.all(
          asked.map(async (c) => (await rows(c).catch(() => [])).map((row) => ({ server: c.config.name, ...row }))),
        );
        return { ...(server === undefined ? {} : { server }), [key]: lists.flat() };
      };
      return { server: server ?? allServers, read };
    });
  return [
    listTool("list_mcp_resources", "Lists the resources that MCP servers offer.", "resources", async (c) => (await c.offered()).resources),
    listTool(
      "list_mcp_resource_templates",
      "Lists the resource templates that MCP servers offer.",
      "resourceTemplates",
      async (c) => (await c.offered()).templates,
    ),
    resourceTool({ name: "read_mcp_resource", description: "Reads a resource of an MCP server.", args: ReadArgs }, (args) => {
      const wanted = parse(ReadArgs, args);
      const connection = wanted === undefined ? undefined : find(wanted.server);
      if (wanted === undefined || connection === undefined) return unknownServer(wanted?.server ?? "?");
      const { server, uri } = wanted;
      return { server, read: async () => ({ server, uri, ...(await connection.read(uri)) }) };
    }),
  ];
}

interface Reading {
  readonly server: string;
  readonly read: () => Promise<object>;
}

const unknownServer = (name: string): ToolOutput => failed(`unknown MCP server '${name}'`);

interface Described {
  readonly name: string;
  readonly description: string;
  readonly args: Lazy;
}

function resourceTool({ name, description, args }: Described, prepare: (args: unknown) => Reading | ToolOutput): Tool {
  return {
    name,
    face: { type: "function", description, parameters: plainSchema(args()) },
    plan: (call) => ({
      kind: "direct",
      run: async (context) => {
        const prepared = prepare(call.args);
        return "read" in prepared ? await shown(name, call.args, prepared, context) : prepared;
      },
    }),
  };
}

/** Runs one read as an item of the turn. */
async function shown(tool: string, args: unknown, { server, read }: Reading, context: ToolContext): Promise<ToolOutput> {
  const item = { type: "mcpToolCall" as const, id: context.callId, server, tool, arguments: args ?? {}, readOnlyHint: null };
  const startedAt = performance.now();
  const ended = () => ({ ...item, durationMs: Math.round(performance.now() - startedAt) });
  context.startItem({ ...item, status: "inProgress", result: null, error: null, durationMs: null });
  try {
    const text = JSON.stringify(await read()).slice(0, maxResultCharacters);
    const result = { content: [{ type: "text", text }], structuredContent: null, _meta: null };
    await context.completeItem({ ...ended(), status: "completed", result, error: null });
    return succeeded(text);
  } catch (error) {
    if (context.signal.aborted) throw error;
    const message = `resources/read failed: ${errorMessage(error)}`;
    await context.completeItem({ ...ended(), status: "failed", result: null, error: { message } });
    return failed(message);
  }
}
