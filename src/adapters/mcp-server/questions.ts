/** Translates a thread's questions into MCP elicitations, and every form of answer into a decision. */
import { parse } from "../../lib/schema.ts";
import type {
  CommandExecutionRequestApprovalParams,
  CommandExecutionRequestApprovalResponse,
  FileChangeRequestApprovalParams,
  FileChangeRequestApprovalResponse,
} from "../../protocol/approval.ts";
import type { McpServerElicitationRequestParams, McpServerElicitationRequestResponse } from "../../protocol/elicitation.ts";
import type { ToolRequestUserInputParams, ToolRequestUserInputResponse } from "../../protocol/user-input.ts";
import { ReviewDecision } from "../../protocol/v1/approval.ts";
import type { EventMessage } from "../../protocol/v1/event.ts";
import {
  commandAsked,
  commandDecision,
  commandQuestion,
  patchAsked,
  patchDecision,
  patchQuestion,
  questionsAsked,
} from "../v1/approvals.ts";

/** An elicitation's params; the additional keys are for clients that know this server. */
export interface Elicitation {
  readonly message: string;
  readonly [key: string]: unknown;
}

/** What a question refers to: the call's own id and the event that announced it. */
export interface About {
  readonly requestId: string | number;
}

/** One kind of question: how it is asked and how an answer is interpreted. `undefined` means that the client refused or was unable to answer. */
export interface Wording<P, R> {
  ask(params: P, about: About): Elicitation;
  read(answer: unknown, params: P): R;
  /** The event that announces the question as well; some kinds have none. */
  event?(params: P): EventMessage;
}

const decisionForm = {
  type: "object",
  properties: {
    decision: {
      type: "string",
      title: "Decision",
      description: "Accepting without a choice means approved, declining means denied, cancelling means abort.",
      enum: ["approved", "approved_for_session", "denied", "abort"],
      enumNames: ["Yes", "Yes, and do not ask again in this session", "No, go on without it", "No, and stop the turn"],
    },
  },
  required: ["decision"],
};

export const commandApproval: Wording<CommandExecutionRequestApprovalParams, CommandExecutionRequestApprovalResponse> = {
  ask(params, about) {
    const { command, cwd, reason, parsedCmd } = commandQuestion(params);
    return {
      message: `Allow the command \`${params.command ?? command.join(" ")}\` in \`${cwd}\`${params.outsideSandbox === true ? ", outside the sandbox" : ""}?${because(reason)}`,
      requestedSchema: decisionForm,
      threadId: params.threadId,
      codex_elicitation: "exec-approval",
      ...idsOf(params, about),
      codex_command: command,
      codex_cwd: cwd,
      codex_parsed_cmd: parsedCmd,
      ...(reason ? { codex_reason: reason } : {}),
    };
  },
  read: (answer) => commandDecision(decisionFrom(answer)),
  event: commandAsked,
};

export const patchApproval: Wording<FileChangeRequestApprovalParams, FileChangeRequestApprovalResponse> = {
  ask(params, about) {
    const { fileChanges, reason, grantRoot } = patchQuestion(params);
    const files = Object.keys(fileChanges);
    return {
      message: `Allow edits of ${files.map((file) => `\`${file}\``).join(", ")}?${because(reason)}`,
      requestedSchema: decisionForm,
      threadId: params.threadId,
      codex_elicitation: "patch-approval",
      ...idsOf(params, about),
      codex_changes: fileChanges,
      ...(reason ? { codex_reason: reason } : {}),
      ...(grantRoot ? { codex_grant_root: grantRoot } : {}),
    };
  },
  read: (answer) => patchDecision(decisionFrom(answer)),
  event: patchAsked,
};

/** Questions asked by the model itself: one form field for each. */
export const userInput: Wording<ToolRequestUserInputParams, ToolRequestUserInputResponse> = {
  ask(params, about) {
    const fields = params.questions.map(({ id, header, question, options, isOther, multiple }): [string, object] => {
      const labels = (options ?? []).map(({ label }) => label);
      const field = { title: header, description: [question, ...(options ?? []).map((o) => `${o.label}: ${o.description}`)].join("\n") };
      if (labels.length === 0 || isOther === true) return [id, { type: "string", ...field }];
      return [
        id,
        multiple === true
          ? { type: "array", ...field, items: { type: "string", enum: labels } }
          : { type: "string", ...field, enum: labels },
      ];
    });
    return {
      message: params.questions.map(({ question }) => question).join("\n"),
      requestedSchema: { type: "object", properties: Object.fromEntries(fields), required: fields.map(([id]) => id) },
      threadId: params.threadId,
      codex_elicitation: "user-input",
      ...idsOf(params, about),
    };
  },
  read(answer, { questions }) {
    const content = field(answer, "action") === "accept" ? field(answer, "content") : undefined;
    const given = questions.flatMap(({ id }): [string, { answers: string[] }][] => {
      const value = field(content, id);
      const texts = (Array.isArray(value) ? value : [value]).filter((text) => typeof text === "string");
      return texts.length === 0 ? [] : [[id, { answers: texts }]];
    });
    return { answers: Object.fromEntries(given) };
  },
  event: questionsAsked,
};

/** Forwards a question of an MCP server behind the agent unchanged. */
export const passedOn: Wording<McpServerElicitationRequestParams, McpServerElicitationRequestResponse> = {
  ask(params, { requestId }) {
    const { serverName, threadId, turnId: _, ...rest } = params;
    const message = "message" in rest ? rest.message : rest.title;
    return {
      ...rest,
      message: `${serverName}: ${message}`,
      threadId,
      codex_elicitation: "mcp-server",
      codex_mcp_tool_call_id: String(requestId),
    };
  },
  read(answer) {
    const action = field(answer, "action");
    if (action === "accept") return { action, content: field(answer, "content") ?? null };
    return { action: action === "cancel" ? action : "decline" };
  },
};

const idsOf = ({ itemId, turnId }: { itemId: string; turnId: string }, { requestId }: About): object => ({
  codex_mcp_tool_call_id: String(requestId),
  codex_event_id: turnId,
  codex_call_id: itemId,
});

const because = (reason: string | null | undefined): string => (reason ? ` ${reason}` : "");

const field = (of: unknown, key: string): unknown =>
  typeof of === "object" && of !== null && Object.hasOwn(of, key) ? (of as Record<string, unknown>)[key] : undefined;

const byAction: Readonly<Record<string, ReviewDecision>> = { accept: "approved", decline: "denied", cancel: "abort" };

/**
 * A decision is at the top level (as documented), in `content` (from a form) or is the action itself (simple clients). It counts as a yes
 * only if nothing contradicts it: a declining action with an approving decision, or an unknown decision, is a no.
 */
export function decisionFrom(answer: unknown): ReviewDecision {
  const action = field(answer, "action");
  const plain = typeof action === "string" && Object.hasOwn(byAction, action) ? byAction[action] : undefined;
  if (action !== undefined && plain === undefined) return "denied";
  const given = [field(answer, "decision"), field(field(answer, "content"), "decision")].filter((value) => value !== undefined);
  if (given.length === 0) return plain ?? "denied";
  const decisions = given.map((value) => parse(ReviewDecision, value) ?? "denied");
  const refusal = [...decisions, ...(plain === undefined ? [] : [plain])].find(isRefusal);
  return decisions.find(isRefusal) ?? refusal ?? decisions[0] ?? "denied";
}

const isRefusal = (decision: ReviewDecision): boolean => decision === "denied" || decision === "abort";
