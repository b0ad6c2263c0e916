/** The definitions of the MCP server's two tools, and the translation of their arguments into thread settings. */
import type { Tool } from "@modelcontextprotocol/server";
import { boolean, type Infer, maybe, named, object, problem, record, string, unknown } from "../../lib/schema.ts";
import { AskForApproval, SandboxMode } from "../../protocol/policy.ts";
import { approvalPolicy, respell, sandboxMode } from "../../protocol/spellings.ts";
import type { ThreadStartParams } from "../../protocol/thread.ts";

const StartArguments = named("CodexToolCallParam", () =>
  object({
    prompt: string(),
    model: maybe(string()),
    profile: maybe(string()),
    cwd: maybe(string()),
    "approval-policy": maybe(AskForApproval()),
    sandbox: maybe(SandboxMode()),
    config: maybe(record(unknown())),
    "base-instructions": maybe(string()),
    "developer-instructions": maybe(string()),
    "compact-prompt": maybe(string()),
    "include-plan-tool": maybe(boolean()),
  }),
);
type StartArguments = Infer<typeof StartArguments>;

const ReplyArguments = named("CodexToolCallReplyParam", () =>
  object({ prompt: string(), threadId: maybe(string()), conversationId: maybe(string()) }),
);

const approvalPolicies = ["untrusted", "on-failure", "on-request", "never"];
const sandboxModes = ["read-only", "workspace-write", "danger-full-access"];
const everySpelling = respell({ "approval-policy": approvalPolicy, sandbox: sandboxMode });

const text = (description: string) => ({ type: "string", description });
const outputSchema: NonNullable<Tool["outputSchema"]> = {
  type: "object",
  properties: {
    threadId: { type: "string", description: "Names the session in later calls of codex-reply." },
    content: { type: "string", description: "The agent's final message." },
  },
  required: ["threadId", "content"],
};

export const tools: Tool[] = [
  {
    name: "codex",
    title: "Codex",
    description: "Starts a session of the coding agent and runs its first turn. Answers with the agent's final message and the thread id.",
    inputSchema: {
      type: "object",
      properties: {
        prompt: text("What the agent shall do first."),
        model: text("The model to use; default: the one of the settings."),
        profile: text("A profile of config.toml."),
        cwd: text("The folder to work in. A relative one counts from the server's own folder."),
        "approval-policy": { ...text("When commands and edits are asked about."), enum: approvalPolicies },
        sandbox: { ...text("What commands may touch."), enum: sandboxModes },
        config: { type: "object", description: "Settings that override those of config.toml, by key.", additionalProperties: true },
        "base-instructions": text("Instructions that replace the built-in ones."),
        "developer-instructions": text("Instructions that are added as the developer's."),
        "compact-prompt": text("The prompt by which a long session is summarized."),
        "include-plan-tool": { type: "boolean", description: "false leaves out the tool by which the agent keeps a plan." },
      },
      required: ["prompt"],
      additionalProperties: false,
    },
    outputSchema,
  },
  {
    name: "codex-reply",
    title: "Codex Reply",
    description: "Goes on with a session: runs its next turn. Sessions of earlier runs of the server can be named too.",
    inputSchema: {
      type: "object",
      properties: {
        prompt: text("What the agent shall do next."),
        threadId: text("The thread id that an earlier call answered with."),
        conversationId: text("An older name of threadId."),
      },
      required: ["prompt"],
    },
    outputSchema,
  },
];

const startFields = Object.keys(tools[0]?.inputSchema.properties ?? {});

export type Ask =
  | { readonly kind: "start"; readonly prompt: string; readonly settings: ThreadStartParams }
  | { readonly kind: "reply"; readonly prompt: string; readonly threadId: string }
  /** What is wrong with the call and how to fix it. */
  | { readonly kind: "wrong"; readonly message: string };

/** Bad arguments are reported as text to the calling model, which can correct the call; in the words of Codex, which hosts may look for. */
export function askFrom(tool: string, given: Readonly<Record<string, unknown>> | undefined): Ask {
  if (tool === "codex") return startOf(given);
  if (tool === "codex-reply") return replyOf(given);
  return { kind: "wrong", message: `Unknown tool '${tool}'; there are codex and codex-reply` };
}

const unreadable = (why: string): Ask => ({ kind: "wrong", message: `Failed to parse configuration for Codex tool: ${why}` });

function startOf(given: Readonly<Record<string, unknown>> | undefined): Ask {
  if (given === undefined) return { kind: "wrong", message: "Missing arguments for codex tool-call; the `prompt` field is required." };
  const unknownField = Object.keys(given).find((name) => !startFields.includes(name));
  if (unknownField !== undefined)
    return unreadable(`unknown field \`${unknownField}\`, expected one of ${startFields.map((name) => `\`${name}\``).join(", ")}`);
  const args = everySpelling({ ...given });
  const wrong = problem(StartArguments(), args);
  return wrong === undefined ? startFrom(args as StartArguments) : unreadable(wrong);
}

function replyOf(given: Readonly<Record<string, unknown>> | undefined): Ask {
  const needed = "the `thread_id` and `prompt` fields are required.";
  if (given === undefined) return { kind: "wrong", message: `Missing arguments for codex-reply tool-call; ${needed}` };
  const wrong = problem(ReplyArguments(), given);
  if (wrong !== undefined) return unreadable(wrong);
  const { prompt, threadId, conversationId } = given as Infer<typeof ReplyArguments>;
  const id = threadId ?? conversationId;
  if (!id) return { kind: "wrong", message: "Failed to parse thread_id: either threadId or conversationId must be provided" };
  return { kind: "reply", prompt, threadId: id };
}

function startFrom(args: StartArguments): Ask {
  return {
    kind: "start",
    prompt: args.prompt,
    settings: {
      model: args.model ?? null,
      cwd: args.cwd ?? null,
      approvalPolicy: args["approval-policy"] ?? null,
      sandbox: args.sandbox ?? null,
      baseInstructions: args["base-instructions"] ?? null,
      developerInstructions: args["developer-instructions"] ?? null,
      config: {
        ...(args.config ?? {}),
        ...(args.profile ? { profile: args.profile } : {}),
        ...(args["compact-prompt"] ? { compact_prompt: args["compact-prompt"] } : {}),
        ...(args["include-plan-tool"] === false ? { include_plan_tool: false } : {}),
      },
    },
  };
}
