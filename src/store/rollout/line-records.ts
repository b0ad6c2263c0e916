/** The meaning of one rollout line by itself. Ids that old lines lack are left empty; the reader fills them in. */
import type { ModelItem } from "../../core/ports/model-client.ts";
import type { ThreadRecord } from "../../core/ports/thread-store.ts";
import { parseJson } from "../../lib/parse-json.ts";
import type { TurnError } from "../../protocol/turn.ts";
import { changesFromCore, durationMs, itemFromCore, mcpResult, reviewText } from "./core-items.ts";
import {
  isModelItem,
  isObject,
  isString,
  isThreadItem,
  type Json,
  listOf,
  numberOf,
  numberOrNull,
  objectOf,
  textOf,
  textOrNull,
} from "./shapes.ts";
import { rateLimitsFromDisk, usageFromDisk } from "./token-count.ts";
import { contentOfUserMessage } from "./user-content.ts";

/** One parsed line. `own` is present on lines that Parley wrote: data that does not fit the line's kind. */
export interface RolloutLine {
  readonly ms: number;
  readonly type: string;
  readonly payload: Json;
  readonly ordinal: number | undefined;
  readonly own: Json | undefined;
}

/** Parses a line; undefined for anything that is not a rollout line. */
export function parseLine(text: string): RolloutLine | undefined {
  const value = objectOfLine(text);
  if (value === undefined || !isString(value["type"]) || !isObject(value["payload"])) return undefined;
  const ms = isString(value["timestamp"]) ? Date.parse(value["timestamp"]) : Number.NaN;
  return {
    ms: Number.isNaN(ms) ? 0 : ms,
    type: value["type"],
    payload: value["payload"],
    ordinal: typeof value["ordinal"] === "number" ? value["ordinal"] : undefined,
    own: isObject(value["parley"]) ? value["parley"] : undefined,
  };
}

const start = '{"timestamp":';

/**
 * A crash leaves NUL blocks and incomplete lines; a program that then appends without checking joins its line to the incomplete one. Editors
 * may put a byte order mark before the first line.
 */
function objectOfLine(text: string): Json | undefined {
  const value = parseJson(text);
  if (value !== undefined) return isObject(value) ? value : undefined;
  const rest = parseJson(
    text
      .slice(Math.max(0, text.lastIndexOf(start)))
      .replaceAll("\0", "")
      .replace(/^\ufeff/, ""),
  );
  return isObject(rest) ? rest : undefined;
}

const item = (line: RolloutLine, turnId: unknown, value: unknown): ThreadRecord | undefined =>
  isThreadItem(value)
    ? {
        type: "item",
        turnId: textOf(turnId),
        item: value,
        startedAtMs: numberOrNull(line.payload["started_at_ms"]) ?? line.ms,
        completedAtMs: numberOrNull(line.payload["completed_at_ms"]) ?? line.ms,
      }
    : undefined;

/** A legacy event as an item. 0.166 names the turn and the item in some kinds, Parley in all. */
const legacyItem = (line: RolloutLine, fields: Json): ThreadRecord | undefined =>
  item(line, line.payload["turn_id"], { id: textOf(line.payload["item_id"] ?? line.payload["call_id"]), ...fields });

/** The record of a line, except for session_meta and turn_context, which need more than the line. */
export function recordOfLine(line: RolloutLine): ThreadRecord | undefined {
  if (line.type === "response_item") return modelItemRecord(line);
  if (line.type === "compacted") {
    const replacement = listOf(line.payload["replacement_history"]).filter(isModelItem);
    const items = line.own === undefined ? replacement.map((i) => withoutPassthrough(i).item) : replacement;
    return { type: "compacted", turnId: textOf(line.payload["turn_id"]), summary: textOf(line.payload["message"]), replacement: items };
  }
  return line.type === "event_msg" ? eventRecord(line) : undefined;
}

function eventRecord(line: RolloutLine): ThreadRecord | undefined {
  const { payload, ms } = line;
  const turnId = textOf(payload["turn_id"]);
  switch (payload["type"]) {
    case "task_started":
    case "turn_started":
      return {
        type: "turnStarted",
        turnId,
        atMs: ms,
        contextWindow: numberOrNull(payload["model_context_window"]) ?? undefined,
        mode: textOf(payload["collaboration_mode_kind"]) || "default",
      };
    case "task_complete":
    case "turn_complete": {
      const error = isObject(payload["error"]) ? errorFromDisk(payload["error"]) : null;
      return {
        type: "turnEnded",
        turnId,
        status: error === null ? "completed" : "failed",
        error,
        lastAgentMessage: textOrNull(payload["last_agent_message"]),
        atMs: ms,
        durationMs: numberOf(payload["duration_ms"]),
      };
    }
    case "turn_aborted":
      return {
        type: "turnEnded",
        turnId,
        status: "interrupted",
        error: null,
        lastAgentMessage: null,
        atMs: ms,
        durationMs: numberOf(payload["duration_ms"]),
      };
    case "thread_rolled_back":
      return { type: "rolledBack", numTurns: numberOf(payload["num_turns"]) };
    case "token_count": {
      const usage = usageFromDisk(payload["info"]);
      const rateLimits = rateLimitsFromDisk(payload["rate_limits"]);
      return usage && { type: "tokenUsage", turnId, usage, ...(rateLimits === undefined ? {} : { rateLimits }) };
    }
    default:
      return itemRecord(line);
  }
}

function itemRecord(line: RolloutLine): ThreadRecord | undefined {
  const { payload } = line;
  switch (payload["type"]) {
    case "item_completed":
      return item(line, payload["turn_id"], itemFromCore(objectOf(payload["item"])));
    case "user_message":
      return legacyItem(line, { type: "userMessage", clientId: textOrNull(payload["client_id"]), content: contentOfUserMessage(payload) });
    case "agent_message":
      return legacyItem(line, {
        type: "agentMessage",
        text: textOf(payload["message"]),
        phase: textOrNull(payload["phase"]),
        memoryCitation: payload["memory_citation"] ?? null,
        delivery: null,
        questions: null,
      });
    case "agent_reasoning":
      return legacyItem(line, { type: "reasoning", summary: [textOf(payload["text"])], content: [] });
    case "agent_reasoning_raw_content":
      return legacyItem(line, { type: "reasoning", summary: [], content: [textOf(payload["text"])] });
    case "context_compacted":
      return legacyItem(line, { type: "contextCompaction" });
    case "entered_review_mode":
      return legacyItem(line, {
        type: "enteredReviewMode",
        review: textOrNull(payload["user_facing_hint"]) ?? reviewHint(payload["target"]),
      });
    case "exited_review_mode":
      return legacyItem(line, { type: "exitedReviewMode", review: reviewText(payload["review_output"]) });
    default:
      return toolRecord(line);
  }
}

/** Ends of tool calls that Codex stores as separate events. */
function toolRecord(line: RolloutLine): ThreadRecord | undefined {
  const { payload } = line;
  const core = { ...payload, id: payload["call_id"] };
  switch (payload["type"]) {
    case "patch_apply_end": {
      const status = textOrNull(payload["status"]) ?? (payload["success"] === false ? "failed" : "completed");
      return legacyItem(line, { type: "fileChange", changes: changesFromCore(payload["changes"]), status });
    }
    case "mcp_tool_call_end": {
      const { Ok: ok, Err: failure } = objectOf(payload["result"]);
      const call = itemFromCore({ ...objectOf(payload["invocation"]), ...core, type: "McpToolCall", result: null });
      const failed = failure !== undefined || objectOf(ok)["isError"] === true || objectOf(ok)["is_error"] === true;
      return (
        call &&
        legacyItem(line, {
          ...call,
          status: failed ? "failed" : "completed",
          result: mcpResult(ok),
          error: isString(failure) ? { message: failure } : null,
          durationMs: durationMs(payload["duration"]),
        })
      );
    }
    case "exec_command_end":
      return item(
        line,
        payload["turn_id"],
        itemFromCore({
          ...core,
          type: "CommandExecution",
          status: payload["status"] ?? (payload["exit_code"] === 0 ? "completed" : "failed"),
        }),
      );
    case "web_search_end":
      return item(line, payload["turn_id"], itemFromCore({ ...core, type: "WebSearch" }));
    case "view_image_tool_call":
      return item(line, payload["turn_id"], itemFromCore({ ...core, type: "ImageView" }));
    case "image_generation_end":
      return item(line, payload["turn_id"], itemFromCore({ ...core, type: "ImageGeneration" }));
    default:
      return undefined;
  }
}

function reviewHint(target: unknown): string {
  const { type, branch, sha, instructions } = objectOf(target);
  if (type === "baseBranch") return `changes against '${textOf(branch)}'`;
  if (type === "commit") return `commit ${textOf(sha).slice(0, 7)}`;
  return type === "custom" ? textOf(instructions) : "current changes";
}

const passthrough = "internal_chat_message_metadata_passthrough";

function modelItemRecord(line: RolloutLine): ThreadRecord | undefined {
  if (!isModelItem(line.payload)) return undefined;
  if (line.own !== undefined) return { type: "modelItem", item: line.payload };
  const { item: clean, turnId } = withoutPassthrough(line.payload);
  return { type: "modelItem", item: clean, ...(turnId === undefined ? {} : { turnId }) };
}

/** Codex stores its own bookkeeping inside model items; other providers refuse unknown fields. */
function withoutPassthrough(value: ModelItem): { readonly item: ModelItem; readonly turnId: string | undefined } {
  if (!(passthrough in value)) return { item: value, turnId: undefined };
  const { [passthrough]: notes, ...rest } = value;
  const turnId = objectOf(notes)["turn_id"];
  return { item: isModelItem(rest) ? rest : value, turnId: isString(turnId) ? turnId : undefined };
}

const camelKeys = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(camelKeys);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [camelCase(key), camelKeys(inner)]));
};
const camelCase = (name: string): string => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

function errorFromDisk(error: Json): TurnError {
  const info = error["codex_error_info"] ?? error["codexErrorInfo"];
  return {
    message: textOf(error["message"]),
    codexErrorInfo: isString(info) ? camelCase(info) : isObject(info) ? objectOf(camelKeys(info)) : null,
    additionalDetails: textOrNull(error["additional_details"]),
    misalignment: null,
  };
}

/** Whether a record that was assembled from a line and its `parley` part is complete. */
export function isWhole(record: Json): record is ThreadRecord & Json {
  const { type, turnId } = record;
  if (type === "modelItem") return isModelItem(record["item"]) && (turnId === undefined || isString(turnId));
  if (type === "rolledBack") return typeof record["numTurns"] === "number";
  if (!isString(turnId)) return false;
  switch (type) {
    case "item":
      return isThreadItem(record["item"]) && typeof record["startedAtMs"] === "number" && typeof record["completedAtMs"] === "number";
    case "turnStarted":
      return typeof record["atMs"] === "number" && isString(record["mode"]);
    case "turnEnded":
      return isString(record["status"]) && typeof record["atMs"] === "number" && (record["error"] === null || isObject(record["error"]));
    case "tokenUsage":
      return isObject(record["usage"]);
    case "compacted":
      return isString(record["summary"]) && Array.isArray(record["replacement"]) && record["replacement"].every(isModelItem);
    default:
      return false;
  }
}
