/**
 * Converts records to lines that every Codex version reads. New threads are written in the "legacy" dialect; a thread that Codex started in
 * its "paginated" one is continued in that, because 0.166 refuses a paginated file that ends without an ordinal. Data that does not fit the
 * line's kind goes into a `parley` object next to the payload: a patch from what the line alone means to the record.
 */
import type { ThreadSettings } from "../../core/ports/settings.ts";
import type { ThreadRecord } from "../../core/ports/thread-store.ts";
import type { ThreadItem } from "../../protocol/item.ts";
import type { TurnError } from "../../protocol/turn.ts";
import { coreFromItem, reviewOutput } from "./core-items.ts";
import { type RolloutLine, recordOfLine } from "./line-records.ts";
import { metaPayload, readSessionMeta } from "./session-meta.ts";
import { isModelItem, isObject, isSame, isString, type Json, listOf, objectOf, stringsOf } from "./shapes.ts";
import { rateLimitsToDisk, usageToDisk } from "./token-count.ts";
import { settingsFromContext, turnContextPayload } from "./turn-context.ts";
import { shareImages, userMessageFields } from "./user-content.ts";

export interface WriteContext {
  readonly threadId: string;
  /** Next ordinal of a paginated file; undefined writes the legacy dialect. */
  ordinal: number | undefined;
  /** Time of records that have none of their own. */
  readonly now: () => number;
  /** What the last line of settings needed beside its payload: most turns have the same settings as the turn before. */
  lastSettings?: { readonly of: ThreadSettings; readonly own: Json };
}
interface Draft {
  readonly type: string;
  readonly payload: Json;
}

/** The lines of a record, each with its line end. */
export function linesOfRecord(record: ThreadRecord, context: WriteContext): string {
  if (record.type === "meta" && record.meta.historyMode === "paginated") context.ordinal ??= 0;
  const ms = timeOf(record) ?? context.now();
  const drafts = draftsOf(record, context);
  return drafts
    .map((draft, i) => {
      // Of a record that spans several lines, the last one is complete; the others are for other readers.
      const own = i === drafts.length - 1 ? ownPartIn(context, record, draft, ms) : { part: true };
      const ordinal = context.ordinal === undefined ? {} : { ordinal: context.ordinal++ };
      return `${stringify({ timestamp: new Date(ms).toISOString(), ...ordinal, ...draft, parley: own })}\n`;
    })
    .join("");
}

/** External text may contain half a surrogate pair, which strict readers refuse; such text is repaired. */
function stringify(value: Json): string {
  const text = JSON.stringify(value);
  return text.includes("\\ud") && /\\ud[89a-f]/.test(text)
    ? JSON.stringify(value, (_, inner: unknown) => (isString(inner) ? inner.toWellFormed() : inner))
    : text;
}

const latest = 8.64e15;
function timeOf(record: ThreadRecord): number | undefined {
  const ms = record.type === "item" ? record.completedAtMs : "atMs" in record ? record.atMs : undefined;
  return ms !== undefined && Math.abs(ms) <= latest ? ms : undefined;
}
const seconds = (ms: number): number => Math.floor(ms / 1000);

function draftsOf(record: ThreadRecord, context: WriteContext): readonly Draft[] {
  const event = (payload: Json): Draft => ({ type: "event_msg", payload });
  switch (record.type) {
    case "meta":
      return [{ type: "session_meta", payload: metaPayload(record.meta) }];
    case "turnContext":
    // Codex has no line for a message that the model has not received yet; it reads the settings once more.
    case "steered":
      return [{ type: "turn_context", payload: turnContextPayload(record.turnId, record.settings) }];
    case "modelItem":
      return [{ type: "response_item", payload: record.item }];
    case "compacted":
      return [{ type: "compacted", payload: { message: record.summary, replacement_history: record.replacement, turn_id: record.turnId } }];
    case "rolledBack":
      return [event({ type: "thread_rolled_back", num_turns: record.numTurns })];
    case "tokenUsage":
      return [
        event({
          type: "token_count",
          info: usageToDisk(record.usage),
          rate_limits: rateLimitsToDisk(record.rateLimits),
          turn_id: record.turnId,
        }),
      ];
    case "turnStarted":
      return [
        event({
          type: "task_started",
          turn_id: record.turnId,
          started_at: seconds(record.atMs),
          model_context_window: record.contextWindow ?? null,
          collaboration_mode_kind: record.mode === "plan" ? "plan" : "default",
        }),
      ];
    case "turnEnded":
      return [event(endPayload(record))];
    case "item":
      return itemPayloads(record, context).map(event);
  }
}

function endPayload(record: Extract<ThreadRecord, { type: "turnEnded" }>): Json {
  const times = { completed_at: seconds(record.atMs), duration_ms: record.durationMs };
  if (record.status === "interrupted") return { type: "turn_aborted", turn_id: record.turnId, reason: "interrupted", ...times };
  const error = record.error === null ? {} : { error: errorToDisk(record.error) };
  return { type: "task_complete", turn_id: record.turnId, last_agent_message: record.lastAgentMessage, ...error, ...times };
}

const snake = (text: string): string => text.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const plainErrors = [
  "contextWindowExceeded",
  "usageLimitExceeded",
  "serverOverloaded",
  "internalServerError",
  "unauthorized",
  "badRequest",
];
const plainErrorsToo = ["threadRollbackFailed", "sandboxError", "other"];
const statusErrors = [
  "httpConnectionFailed",
  "responseStreamConnectionFailed",
  "responseStreamDisconnected",
  "responseTooManyFailedAttempts",
];

/** An unknown error name would make Codex drop the whole line, so only known ones are written unchanged. */
function errorToDisk(error: TurnError): Json {
  const info = error.codexErrorInfo;
  if (isString(info)) {
    const known = plainErrors.includes(info) || plainErrorsToo.includes(info);
    return { message: error.message, codex_error_info: known ? snake(info) : "other" };
  }
  const [name, detail] = Object.entries(objectOf(info))[0] ?? [];
  const known = name !== undefined && statusErrors.includes(name);
  const status = objectOf(detail)["httpStatusCode"] ?? null;
  return { message: error.message, codex_error_info: known ? { [snake(name)]: { http_status_code: status } } : "other" };
}

function itemPayloads(record: Extract<ThreadRecord, { type: "item" }>, context: WriteContext): readonly Json[] {
  const legacy = context.ordinal === undefined ? legacyPayloads(record.item) : undefined;
  const ids = { turn_id: record.turnId, item_id: record.item.id, started_at_ms: record.startedAtMs };
  if (legacy !== undefined && legacy.length > 0) return legacy.map((payload) => ({ ...payload, ...ids }));
  return [
    {
      type: "item_completed",
      thread_id: context.threadId,
      turn_id: record.turnId,
      item: coreFromItem(record.item),
      started_at_ms: record.startedAtMs,
      completed_at_ms: record.completedAtMs,
    },
  ];
}

/** The legacy event kinds for the items that have one; undefined for the others, which old readers skip. */
function legacyPayloads(item: ThreadItem): readonly Json[] | undefined {
  switch (item.type) {
    case "userMessage":
      return [
        { type: "user_message", ...(isString(item.clientId) ? { client_id: item.clientId } : {}), ...userMessageFields(item.content) },
      ];
    case "agentMessage":
      return [{ type: "agent_message", message: item.text, phase: item.phase ?? null, memory_citation: null }];
    case "reasoning":
      return (item.summary ?? []).map((text) => ({ type: "agent_reasoning", text }));
    case "contextCompaction":
      return [{ type: "context_compacted" }];
    case "enteredReviewMode":
      return [{ type: "entered_review_mode", target: { type: "custom", instructions: item.review }, user_facing_hint: item.review }];
    case "exitedReviewMode":
      return [{ type: "exited_review_mode", review_output: reviewOutput(item.review) }];
    default:
      return undefined;
  }
}

/** The field of a record that is an object itself and is patched field by field. */
export const innerKey = (type: ThreadRecord["type"]): "meta" | "item" | "settings" | undefined =>
  type === "meta" || type === "item" ? type : type === "turnContext" || type === "steered" ? "settings" : undefined;

/** Of a turn's settings it follows from these alone. */
function ownPartIn(context: WriteContext, record: ThreadRecord, draft: Draft, ms: number): Json {
  // The line of a model's item is the item: there is nothing to compare.
  if (record.type === "modelItem" && isModelItem(record.item)) return record.turnId === undefined ? {} : { set: { turnId: record.turnId } };
  if (record.type !== "turnContext") return ownPart(record, draft, ms);
  const known = context.lastSettings;
  if (known !== undefined && known.of === record.settings) return known.own;
  const own = ownPart(record, draft, ms);
  context.lastSettings = { of: record.settings, own };
  return own;
}

function ownPart(record: ThreadRecord, draft: Draft, ms: number): Json {
  const line: RolloutLine = { ms: Math.trunc(ms), ...draft, ordinal: undefined, own: {} };
  const alone = aloneRecord(line);
  const target = withoutUndefined(record);
  const key = innerKey(record.type);
  if (alone === undefined || key === undefined) return diff(withoutUndefined(alone ?? {}), target);
  const { [key]: innerAlone, ...outerAlone } = withoutUndefined(alone);
  const { [key]: innerTarget, ...outerTarget } = target;
  const inner = diff(withoutUndefined(objectOf(innerAlone)), withoutUndefined(objectOf(innerTarget)));
  const shared = draft.payload["type"] === "user_message" ? shareInner(inner, stringsOf(draft.payload["images"])) : inner;
  return { ...diff(outerAlone, outerTarget), ...(Object.keys(shared).length === 0 ? {} : { inner: shared }) };
}

function shareInner(inner: Json, images: readonly string[]): Json {
  const set = objectOf(inner["set"]);
  return "content" in set ? { ...inner, set: { ...set, content: shareImages(set["content"], images) } } : inner;
}

/** How a reader interprets the line without our part. Shared by writer and reader, so that the patch always fits. */
export function aloneRecord(line: RolloutLine): ThreadRecord | undefined {
  if (line.type === "session_meta") {
    const session = readSessionMeta(line.payload, line.ms);
    return session && { type: "meta", meta: session.meta };
  }
  if (line.type === "turn_context") {
    const turnId = line.payload["turn_id"];
    const settings = settingsFromContext(line.payload, { modelProvider: "", workspaceRoots: [] });
    return { type: "turnContext", turnId: isString(turnId) ? turnId : "", settings };
  }
  return recordOfLine(line);
}

/** Most records have no such field, and are not copied. */
function withoutUndefined(value: object): Json {
  const values = Object.values(value);
  return values.includes(undefined)
    ? Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== undefined))
    : (value as Json);
}

/** The shallow difference: fields to set and fields to drop. */
function diff(from: Json, to: Json): Json {
  const set: [string, unknown][] = [];
  for (const key of Object.keys(to)) if (!(key in from && isSame(from[key], to[key]))) set.push([key, to[key]]);
  const drop = Object.keys(from).filter((key) => !(key in to));
  const values = set.length === 0 ? {} : { set: Object.fromEntries(set) };
  return drop.length === 0 ? values : { ...values, drop };
}

/** Applies the difference. */
export function patched(from: Json, patch: Json): Json {
  const drop = listOf(patch["drop"]);
  const kept = drop.length === 0 ? from : Object.fromEntries(Object.entries(from).filter(([key]) => !drop.includes(key)));
  return isObject(patch["set"]) ? { ...kept, ...patch["set"] } : kept;
}
