/** Translates a thread's items into v1 events: begin, end and messages. */
import path from "node:path";
import type { FileUpdateChange, TextElement, ThreadItem, UserInput } from "../../protocol/item.ts";
import type { FileChange } from "../../protocol/v1/approval.ts";
import type { EventMessage } from "../../protocol/v1/event.ts";
import type { TurnItem } from "../../protocol/v1/event-value.ts";
import { collabBegin, collabEnd } from "./collab.ts";
import type { Streams } from "./command-streams.ts";
import { outputFrom, targetFrom } from "./review.ts";
import { durationOf, parsedCommands, splitCommand } from "./spelling.ts";

export interface At {
  readonly threadId: string;
  readonly turnId: string;
  /** File paths are relative to this folder. */
  readonly folder?: string | undefined;
  /** The model's last message, unmodified. */
  readonly answer?: string | undefined;
  /** A command's output, separated by stream. */
  readonly streams?: Streams | undefined;
}

export function startedEvents(item: ThreadItem, at: At): EventMessage[] {
  const begun = turnItemFrom(item);
  const turnItem: TurnItem | undefined = begun?.type === "AgentMessage" ? { ...begun, content: [] } : begun;
  const generic: EventMessage[] =
    turnItem === undefined ? [] : [{ type: "item_started", thread_id: at.threadId, turn_id: at.turnId, item: turnItem }];
  switch (item.type) {
    case "commandExecution":
      return [...generic, { type: "exec_command_begin", ...commandOf(item, at) }];
    case "fileChange":
      return [
        ...generic,
        { type: "patch_apply_begin", call_id: item.id, turn_id: at.turnId, auto_approved: false, changes: changesOf(item.changes) },
      ];
    case "mcpToolCall":
      return [...generic, { type: "mcp_tool_call_begin", call_id: item.id, invocation: invocationOf(item) }];
    case "webSearch":
      return [...generic, { type: "web_search_begin", call_id: item.id }];
    case "collabAgentToolCall":
      return [...generic, ...collabBegin(item)];
    case "enteredReviewMode":
      return [...generic, { type: "entered_review_mode", target: targetFrom(item.review), user_facing_hint: item.review }];
    default:
      return generic;
  }
}

export function completedEvents(item: ThreadItem, at: At): EventMessage[] {
  const turnItem = turnItemFrom(item);
  const generic: EventMessage[] =
    turnItem === undefined ? [] : [{ type: "item_completed", thread_id: at.threadId, turn_id: at.turnId, item: turnItem }];
  return [...generic, ...endOf(item, at)];
}

function endOf(item: ThreadItem, at: At): EventMessage[] {
  switch (item.type) {
    case "userMessage":
      return [userMessage(item)];
    case "agentMessage":
      return [{ type: "agent_message", message: item.text }];
    case "reasoning":
      return [
        ...(item.summary ?? []).map((text): EventMessage => ({ type: "agent_reasoning", text })),
        ...(item.content ?? []).map((text): EventMessage => ({ type: "agent_reasoning_raw_content", text })),
      ];
    case "commandExecution":
      return [commandEnd(item, at)];
    case "fileChange":
      return [
        {
          type: "patch_apply_end",
          call_id: item.id,
          turn_id: at.turnId,
          success: item.status === "completed",
          stdout: item.status === "completed" ? updatedFiles(item.changes, at.folder) : "",
          stderr: patchFailures[item.status],
          changes: changesOf(item.changes),
        },
      ];
    case "mcpToolCall":
      return [
        {
          type: "mcp_tool_call_end",
          call_id: item.id,
          invocation: invocationOf(item),
          duration: durationOf(item.durationMs ?? 0),
          result: item.result
            ? {
                Ok: {
                  content: item.result.content,
                  isError: item.status === "failed",
                  structuredContent: item.result.structuredContent ?? null,
                },
              }
            : { Err: item.error?.message ?? "failed" },
        },
      ];
    case "webSearch":
      return [{ type: "web_search_end", call_id: item.id, query: item.query, action: searchAction(item) }];
    case "imageView":
      return [{ type: "view_image_tool_call", call_id: item.id, path: item.path }];
    case "contextCompaction":
      return [{ type: "context_compacted" }];
    case "collabAgentToolCall":
      return collabEnd(item);
    case "exitedReviewMode":
      return [{ type: "exited_review_mode", review_output: outputFrom(at.answer, item.review) }];
    default:
      return [];
  }
}

function userMessage(item: Extract<ThreadItem, { type: "userMessage" }>): EventMessage {
  return {
    type: "user_message",
    message: item.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n"),
    images: item.content.flatMap((part) => (part.type === "image" && "url" in part ? [part.url] : [])),
    local_images: item.content.flatMap((part) => (part.type === "localImage" ? [part.path] : [])),
    text_elements: item.content.flatMap((part) => (part.type === "text" ? (part.text_elements ?? []).map(oldElement) : [])),
    kind: "plain",
  };
}

const sources = {
  agent: "agent",
  userShell: "user_shell",
  unifiedExecStartup: "unified_exec_startup",
  unifiedExecInteraction: "unified_exec_interaction",
} as const;

function commandOf(item: Extract<ThreadItem, { type: "commandExecution" }>, at: At) {
  return {
    call_id: item.id,
    turn_id: at.turnId,
    process_id: item.processId ?? null,
    command: splitCommand(item.command),
    cwd: item.cwd,
    parsed_cmd: parsedCommands(item.commandActions),
    source: sources[item.source ?? "agent"],
  };
}

/** The stderr of a patch that was not applied. */
const patchFailures = { completed: "", inProgress: "", failed: "patch failed\n", declined: "patch rejected by user" };
/** The output of a command that was not approved. */
const commandRejected = "exec command rejected by user";

function commandEnd(item: Extract<ThreadItem, { type: "commandExecution" }>, at: At): EventMessage {
  const isDeclined = item.status === "declined";
  const output = isDeclined ? commandRejected : (item.aggregatedOutput ?? "");
  return {
    type: "exec_command_end",
    ...commandOf(item, at),
    ...(isDeclined ? { stdout: "", stderr: commandRejected } : streamsOf(output, at.streams)),
    aggregated_output: output,
    exit_code: item.exitCode ?? -1,
    duration: durationOf(item.durationMs ?? 0),
    formatted_output: output,
    status: item.status,
    ...{ durationMs: item.durationMs ?? 0 },
  };
}

/** Uses the streamed output to separate the two; if stderr is empty, the item's text is all of stdout. */
const streamsOf = (output: string, streams: Streams | undefined): Streams =>
  streams === undefined || streams.stderr === "" ? { stdout: output, stderr: "" } : { stdout: streams.stdout, stderr: streams.stderr };

const invocationOf = (item: Extract<ThreadItem, { type: "mcpToolCall" }>) => ({
  server: item.server,
  tool: item.tool,
  arguments: item.arguments,
});

function searchAction(item: Extract<ThreadItem, { type: "webSearch" }>): Extract<EventMessage, { type: "web_search_end" }>["action"] {
  const action = item.action;
  if (action?.type === "openPage") return { type: "open_page", url: action.url ?? null };
  if (action?.type === "findInPage") return { type: "find_in_page", url: action.url ?? null, pattern: action.pattern ?? null };
  if (action?.type === "search") return { type: "search", query: action.query ?? null, queries: action.queries ?? null };
  return { type: "other" };
}

/** The text that applying a patch prints: added, modified and deleted files. */
function updatedFiles(changes: readonly FileUpdateChange[], folder: string | undefined): string {
  const letters = { add: "A", update: "M", delete: "D" };
  const lines = (["add", "update", "delete"] as const).flatMap((type) =>
    changes
      .filter(({ kind }) => kind.type === type)
      .map(({ path: file, kind }) => {
        const target = kind.type === "update" ? (kind.move_path ?? file) : file;
        return `${letters[type]} ${folder === undefined ? target : path.relative(folder, target) || target}\n`;
      }),
  );
  return `Success. Updated the following files:\n${lines.join("")}`;
}

/** Changes by path. */
export function changesOf(changes: readonly FileUpdateChange[]): Record<string, FileChange> {
  return Object.fromEntries(
    changes.map(({ path: file, kind, diff }): [string, FileChange] => {
      if (kind.type === "add") return [file, { type: "add", content: diff }];
      if (kind.type === "delete") return [file, { type: "delete", content: diff }];
      const move = kind.move_path ?? null;
      const hunks = move === null ? diff : diff.replace(`\n\nMoved to: ${move}`, "");
      return [file, { type: "update", unified_diff: hunks, move_path: move, unifiedDiff: hunks, movePath: move }];
    }),
  );
}

const oldElement = ({ byteRange, placeholder }: TextElement) => ({ byte_range: byteRange, placeholder: placeholder ?? null });

/** Input in the v1 form. */
function oldInput(part: UserInput): unknown {
  if (part.type === "localImage") return { type: "local_image", path: part.path };
  if (part.type === "text") return { ...part, text_elements: (part.text_elements ?? []).map(oldElement) };
  return part.type === "image" && "url" in part ? { type: "image", image_url: part.url } : part;
}

function turnItemFrom(item: ThreadItem): TurnItem | undefined {
  switch (item.type) {
    case "userMessage":
      return { type: "UserMessage", id: item.id, content: item.content.map(oldInput) };
    case "agentMessage":
      return { type: "AgentMessage", id: item.id, content: [{ type: "Text", text: item.text }] };
    case "plan":
      return { type: "Plan", id: item.id, text: item.text };
    case "reasoning":
      return { type: "Reasoning", id: item.id, summary_text: item.summary ?? [], raw_content: item.content ?? [] };
    case "webSearch":
      return { type: "WebSearch", id: item.id, query: item.query, action: searchAction(item) };
    case "contextCompaction":
      return { type: "ContextCompaction", id: item.id };
    default:
      return undefined;
  }
}
