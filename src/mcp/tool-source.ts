/** The tools that a thread's MCP servers offer to its model. */
import type { Tool as McpTool } from "@modelcontextprotocol/client";
import { type Offer, type Tool, type ToolContext, ToolsUnavailable } from "../core/ports/tool.ts";
import { errorMessage } from "../lib/error-text.ts";
import { visibleText } from "../lib/visible-text.ts";
import type { ToolGrants } from "./approval.ts";
import type { McpConnection } from "./connection.ts";
import type { ConnectionGroup } from "./connection-group.ts";
import { toolNames } from "./names.ts";
import { resourceTools } from "./resource-tools.ts";
import { areTooMany, behindSearch } from "./tool-search.ts";
import { mcpTool } from "./tools.ts";

const maxName = 64;

/** Waits until every server has started; a failed server is skipped, unless the settings require it: then the turn fails. */
export async function toolsOf(group: ConnectionGroup, grants: ToolGrants, offer: Offer, signal: AbortSignal): Promise<Tool[]> {
  const connections = [...group.connections.values()];
  const listed = await untilAborted(Promise.all(connections.map(listOf)), signal);
  const found = connections.flatMap((connection, i) => (listed[i] ?? []).map((tool) => ({ connection, tool })));
  const names = toolNames(found.map(({ connection, tool }) => [connection.config.name, tool.name]));
  const tools = found.map(({ connection, tool }, i) => {
    const enter = (context: ToolContext): (() => void) => {
      group.serving.set(context, connection.config.name);
      return () => group.serving.delete(context);
    };
    return mcpTool(names[i] ?? "", tool, { connection, grants, enter });
  });
  const all = [...tools, ...resourceTools(() => connections)];
  group.searched ||= areTooMany(tools);
  if (!group.searched || offer.config.features["tool_search"] === false) return all;
  return behindSearch(
    all,
    connections.map(({ config }) => visibleText(config.name, maxName)),
  );
}

async function listOf(connection: McpConnection): Promise<readonly McpTool[]> {
  try {
    return await connection.tools();
  } catch (error) {
    const { name, required } = connection.config;
    if (!required) return [];
    const reason = errorMessage(error);
    throw new ToolsUnavailable(`required MCP server ${name} could not be started: ${reason}`);
  }
}

/** Interrupting must not wait for servers that are slow to start. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
