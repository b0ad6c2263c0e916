/** The tools of MCP servers, callable by the model. */
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

/** State shared by the tools of one server. */
export interface Serving {
  readonly connection: McpConnection;
  readonly grants: ToolGrants;
  /** While a call runs, the server's questions go to the subscribers of its thread. Returns the function that ends this. */
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

/** A private copy: the arguments that were approved are the arguments that are sent. */
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
  const approval = await mayCall(connection.config, tool, args, { context, grants });
  if (!approval.allowed) return await fail(approval.text);
  // If the log entry cannot be written after the call, the call is not undone.
  const noteOutcome = (outcome: string): Promise<void> =>
    context.writeAudit({ ...aboutCall(connection.config, tool, args), event: "ended", outcome }).catch(() => undefined);
  const leave = enter(context);
  try {
    const result = bounded(
      await connection.call(tool.name, args, {
        signal: context.signal,
        meta: { callId: context.callId, threadId: context.threadId, sessionId: context.threadId, turnId: context.turnId },
        onProgress: (message) => notifyProgress(message, context),
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

function notifyProgress(message: string, { threadId, turnId, callId, notify }: ToolContext): void {
  notify("item/mcpToolCall/progress", { threadId, turnId, itemId: callId, message: visibleText(message, maxProgress) });
}
