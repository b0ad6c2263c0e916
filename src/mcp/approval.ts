/** Whether a tool of an MCP server may run: those that only read run, others are asked about (CONFLICTS 32b). */
import type { Tool as McpTool } from "@modelcontextprotocol/client";
import type { Answer } from "../core/ports/audience.ts";
import type { McpServerConfig } from "../core/ports/config.ts";
import type { ToolContext } from "../core/ports/tool.ts";
import { named, object, parse, record, unknown } from "../lib/schema.ts";

const choices = { once: "Accept", session: "Accept for this session", no: "Decline", cancel: "Cancel" };
const Answered = named("ToolApprovalAnswer", () => object({ answers: record(unknown()) }));

export type Allowed = { readonly allowed: true } | { readonly allowed: false; readonly text: string };

/** What was accepted for the session: server and tool of one thread. */
export class ToolGrants {
  readonly #granted = new Set<string>();
  has(threadId: string, server: string, tool: string): boolean {
    return this.#granted.has(JSON.stringify([threadId, server, tool]));
  }
  add(threadId: string, server: string, tool: string): void {
    this.#granted.add(JSON.stringify([threadId, server, tool]));
  }
}

/** The arguments that are shown are the ones that are sent. */
export async function mayCall(
  config: McpServerConfig,
  tool: McpTool,
  args: unknown,
  context: ToolContext,
  grants: ToolGrants,
): Promise<Allowed> {
  if (tool.annotations?.readOnlyHint === true || config.approval === "allow" || grants.has(context.threadId, config.name, tool.name))
    return { allowed: true };
  const policy = context.settings.approvalPolicy;
  if (policy === "never" || (typeof policy === "object" && !policy.granular.mcp_elicitations))
    return {
      allowed: false,
      text: `the tool ${tool.name} may have side effects and the approval policy allows no questions; set mcp_servers.${config.name}.approval = "allow" to let it run`,
    };
  const question = `Allow the MCP server ${config.name} to run ${tool.annotations?.title ?? tool.title ?? tool.name} with ${JSON.stringify(args)}?`;
  const answer = await context.ask("item/tool/requestUserInput", {
    threadId: context.threadId,
    turnId: context.turnId,
    itemId: context.callId,
    isBlocking: true,
    autoResolutionMs: null,
    toolCallId: context.callId,
    prompt: question,
    questions: [
      {
        id: "approval",
        header: "Tool call",
        question,
        text: question,
        isOther: false,
        allowOther: false,
        isSecret: false,
        options: [
          { label: choices.once, description: "Run it this time." },
          { label: choices.session, description: "Run it, and do not ask about this tool again in this thread." },
          { label: choices.no, description: "Do not run it; the agent goes on." },
          { label: choices.cancel, description: "Do not run it." },
        ],
      },
    ],
  });
  const word = chosen(answer);
  if (word === choices.session) grants.add(context.threadId, config.name, tool.name);
  if (word === choices.once || word === choices.session) return { allowed: true };
  return { allowed: false, text: word === choices.cancel ? "the user cancelled the tool call" : "the user declined the tool call" };
}

function chosen(answer: Answer): string | undefined {
  if (answer.kind !== "answered") return undefined;
  const given = parse(Answered, answer.result)?.answers["approval"];
  const inner =
    typeof given === "object" && given !== null && !Array.isArray(given)
      ? ((given as Record<string, unknown>)["answers"] ?? (given as Record<string, unknown>)["selected"])
      : given;
  const word = Array.isArray(inner) ? inner[0] : inner;
  return typeof word === "string" ? word : undefined;
}
