/** Decides whether a tool of an MCP server may run: read-only tools run, others need approval (docs/from-codex.md). */
import type { Tool as McpTool } from "@modelcontextprotocol/client";
import { type Decision, type Settled, sessionGrant } from "../core/ports/approval.ts";
import type { Answer } from "../core/ports/audience.ts";
import type { AuditEntry } from "../core/ports/audit.ts";
import type { McpServerConfig } from "../core/ports/config.ts";
import type { ToolContext } from "../core/ports/tool.ts";
import { visibleText } from "../lib/visible-text.ts";
import { readAnswers } from "../protocol/answers.ts";
import type { ToolRequestUserInputParams } from "../protocol/user-input.ts";
import { fingerprint } from "./clean.ts";

const choices = { once: "Accept", session: "Accept for this session", no: "Decline", cancel: "Cancel" };

export type Allowed = { readonly allowed: true } | { readonly allowed: false; readonly text: string };

/**
 * Tools accepted for the session, per thread and definition. If the server becomes another program, or the tool changes its description,
 * approval is requested again.
 */
export class ToolGrants {
  readonly #granted = new Map<string, Set<string>>();

  has(threadId: string, config: McpServerConfig, tool: McpTool): boolean {
    return this.#granted.get(threadId)?.has(keyOf(config, tool)) === true;
  }
  add(threadId: string, config: McpServerConfig, tool: McpTool): void {
    const granted = this.#granted.get(threadId) ?? new Set();
    this.#granted.set(threadId, granted.add(keyOf(config, tool)));
  }
  forget(threadId: string): void {
    this.#granted.delete(threadId);
  }
}

function keyOf({ name, transport }: McpServerConfig, { name: tool, description, inputSchema, annotations }: McpTool): string {
  return fingerprint([name, transport, tool, description, inputSchema, annotations]);
}

/** The arguments shown are the ones that are sent: `args` must not change from here on. */
export async function mayCall(
  config: McpServerConfig,
  tool: McpTool,
  args: unknown,
  { context, grants }: { readonly context: ToolContext; readonly grants: ToolGrants },
): Promise<Allowed> {
  const { approvalPolicy: policy } = context.settings;
  const allowsQuestions = typeof policy === "object" ? policy.granular.mcp_elicitations : policy !== "never";
  const asked = questionFor(config, tool, args, context);
  const ruling = await context.approve({
    about: aboutCall(config, tool, args),
    settled: allowedUnasked(config, tool, grants.has(context.threadId, config, tool)),
    hooked: { name: `mcp__${config.name}__${tool.name}`, aliases: [], input: args },
    noQuestions: allowsQuestions
      ? undefined
      : {
          by: typeof policy === "object" ? "granular" : policy,
          text: `the tool ${tool.name} may have side effects and the approval policy allows no questions; set mcp_servers.${config.name}.approval = "allow" to let it run`,
        },
    ask: () => context.ask("item/tool/requestUserInput", asked),
    read: (answer) => decisionBy(chosen(answer, asked.questions)),
    grant: ({ forSession }) => {
      if (forSession) grants.add(context.threadId, config, tool);
    },
  });
  return ruling.allows ? { allowed: true } : { allowed: false, text: ruling.text ?? refusals[ruling.by] };
}

const refusals = {
  hook: "a hook declined it",
  policy: "the approval policy allows no questions",
  person: "the user declined the tool call",
  cancel: "the user cancelled the tool call",
  review: "the automatic review did not approve it",
  unreadable: "the client's answer was no decision",
};

/** The audit log's fields for a call. */
export const aboutCall = (config: McpServerConfig, tool: McpTool, args: unknown): Pick<AuditEntry, "kind" | "subject"> => ({
  kind: "mcpToolCall",
  subject: `${config.name}.${tool.name} ${JSON.stringify(args)}`,
});

function allowedUnasked(config: McpServerConfig, tool: McpTool, isGranted: boolean): Settled | undefined {
  if (tool.annotations?.readOnlyHint === true) return { decision: "allowedByPolicy", by: "the server calls it read-only" };
  if (config.approval === "allow") return { decision: "allowedByRule", by: `mcp_servers.${config.name}.approval` };
  if (config.allowedTools.includes(tool.name))
    return { decision: "allowedByRule", by: `mcp_servers.${config.name}.tools.${tool.name}.approval_mode` };
  return isGranted ? sessionGrant : undefined;
}

/** A cancelled call leaves the turn running: the model is notified that it was cancelled. */
function decisionBy(label: string | undefined): Decision {
  if (label === choices.once || label === choices.session)
    return { kind: "accept", forSession: label === choices.session, remember: false };
  return label === choices.cancel ? { kind: "cancel", goesOn: true } : { kind: "decline" };
}

/** A server may choose its tool's title freely, but not its length. */
const maxTitle = 120;

function questionFor(
  config: McpServerConfig,
  tool: McpTool,
  args: unknown,
  { threadId, turnId, callId }: ToolContext,
): ToolRequestUserInputParams {
  const title = visibleText(tool.annotations?.title ?? tool.title ?? tool.name, maxTitle);
  const called = title === tool.name ? tool.name : `${tool.name} (${title})`;
  const question = `Allow the MCP server ${config.name} to run ${called} with ${JSON.stringify(args)}?`;
  return {
    threadId,
    turnId,
    itemId: callId,
    isBlocking: true,
    autoResolutionMs: null,
    toolCallId: callId,
    mcpToolCall: {
      server: config.name,
      tool: tool.name,
      title: title === tool.name ? null : title,
      arguments: args ?? null,
      ofProject: config.fromProject !== undefined,
    },
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
  };
}

/** The selected option. Several, or none, count as a no. */
function chosen(answer: Answer, questions: ToolRequestUserInputParams["questions"]): string | undefined {
  const answers = answer.kind === "answered" ? readAnswers(answer.result, questions)?.["approval"]?.answers : undefined;
  return answers?.length === 1 ? answers[0] : undefined;
}
