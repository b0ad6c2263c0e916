/** Tools of MCP servers as the model calls them. */
import type { Tool as McpTool } from "@modelcontextprotocol/client";
import { failed, type Tool, type ToolContext, type ToolOutput } from "../core/ports/tool.ts";
import { coerced } from "../lib/coerce.ts";
import { errorMessage } from "../lib/error-text.ts";
import { visibleText } from "../lib/visible-text.ts";
import { aboutCall, mayCall, type ToolGrants } from "./approval.ts";
import { cleanedSchema } from "./clean.ts";
import type { McpConnection } from "./connection.ts";
import { bounded, outputFrom } from "./results.ts";

const maxDescription = 4096;

/** What the tools of one server share. */
export interface Serving {
  readonly connection: McpConnection;
  readonly grants: ToolGrants;
  /** While a call runs, the server's own questions go to the people of its thread. Returns what ends that. */
  readonly enter: (context: ToolContext) => () => void;
}

export function mcpTool(name: string, tool: McpTool, serving: Serving): Tool {
  const parameters = cleanedSchema(tool.inputSchema);
  return {
    name,
    face: { type: "function", description: visibleText(tool.description ?? tool.title ?? tool.name, maxDescription), parameters },
    plan: (call) => ({ kind: "direct", run: (context) => run(tool, argumentsFrom(coerced(parameters, call.args)), context, serving) }),
  };
}

/** A copy that nothing else holds: what is asked about is what is sent. */
function argumentsFrom(args: unknown): Record<string, unknown> {
  return typeof args === "object" && args !== null && !Array.isArray(args) ? structuredClone(args as Record<string, unknown>) : {};
}

async function run(tool: McpTool, args: Record<string, unknown>, context: ToolContext, serving: Serving): Promise<ToolOutput> {
  const { connection, grants, enter } = serving;
  const item = {
    type: "mcpToolCall" as const,
    id: context.callId,
    server: connection.config.name,
    tool: tool.name,
    arguments: args,
    readOnlyHint: tool.annotations?.readOnlyHint ?? null,
    pluginId: connection.config.pluginId ?? null,
  };
  const startedAt = performance.now();
  const durationMs = (): number => Math.round(performance.now() - startedAt);
  context.startItem({ ...item, status: "inProgress", result: null, error: null, durationMs: null });
  const fail = async (message: string): Promise<ToolOutput> => {
    await context.completeItem({ ...item, status: "failed", result: null, error: { message }, durationMs: durationMs() });
    return failed(message);
  };
  const word = await mayCall(connection.config, tool, args, { context, grants });
  if (!word.allowed) return await fail(word.text);
  // A line that is lost afterwards takes nothing back.
  const noteOutcome = (outcome: string): Promise<void> =>
    context.writeAudit({ ...aboutCall(connection.config, tool, args), event: "ended", outcome }).catch(() => undefined);
  const leave = enter(context);
  try {
    const result = bounded(
      await connection.call(tool.name, args, {
        signal: context.signal,
        meta: { callId: context.callId, threadId: context.threadId, sessionId: context.threadId, turnId: context.turnId },
        onProgress: (message) => tellProgress(message, context),
      }),
    );
    await noteOutcome(result.isError === true ? "failed" : "completed");
    await context.completeItem({
      ...item,
      status: result.isError === true ? "failed" : "completed",
      result: { content: result.content, structuredContent: result.structuredContent ?? null, _meta: result._meta ?? null },
      error: null,
      durationMs: durationMs(),
    });
    return outputFrom(result);
  } catch (error) {
    await noteOutcome(context.signal.aborted ? "interrupted" : "failed");
    if (context.signal.aborted) throw error;
    return await fail(`tool call error: ${errorMessage(error)}`);
  } finally {
    leave();
  }
}

const maxProgress = 1000;

function tellProgress(message: string, { threadId, turnId, callId, notify }: ToolContext): void {
  notify("item/mcpToolCall/progress", { threadId, turnId, itemId: callId, message: visibleText(message, maxProgress) });
}
