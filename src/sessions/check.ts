/** Validates messages of a remote engine against the protocol, before they have a type and before anything acts on them. */
import { type Lazy, problem, type Schema } from "../lib/schema.ts";
import { clientRequests, serverNotifications, serverRequests } from "../protocol/methods.ts";

type Rows = Readonly<Record<string, Readonly<Record<"params", Lazy>> & Partial<Record<"result", Lazy>>>>;

/** Every method of any generation is much shorter. */
const maxMethod = 200;

/** Fields that older engines do not send, by the name of their object. */
const addedLater: Readonly<Record<string, readonly string[]>> = {
  CommandExecutionRequestApprovalParams: ["startedAtMs"],
  FileChangeRequestApprovalParams: ["startedAtMs"],
  FuzzyFileSearchResult: ["match_type"],
  ItemCompletedNotification: ["completedAtMs"],
  ItemStartedNotification: ["startedAtMs"],
  Thread: ["ephemeral", "projectId", "sessionId", "status"],
  ThreadForkResponse: ["approvalsReviewer"],
  ThreadResumeResponse: ["approvalsReviewer"],
  ThreadStartResponse: ["approvalsReviewer"],
  ToolRequestUserInputParams: ["isBlocking"],
};

/**
 * Why a message is rejected; undefined if it is accepted. Unknown methods and fields are allowed, and so are missing fields that older
 * engines do not send.
 */
export function problemIn(kind: "notification" | "request" | "result", method: string, value: unknown): string | undefined {
  if (method.length > maxMethod) return `a method of ${method.length} characters`;
  const rows: Rows = kind === "notification" ? serverNotifications : kind === "request" ? serverRequests : clientRequests;
  const row = Object.hasOwn(rows, method) ? rows[method] : undefined;
  const schema = kind === "result" ? row?.result : row?.params;
  return schema === undefined ? undefined : problem(loosened(schema()) as Schema, value);
}

/** Only a cache: each schema is relaxed once. */
const known = new WeakMap<object, object>();

function loosened(schema: unknown): unknown {
  if (typeof schema !== "object" || schema === null) return schema;
  const before = known.get(schema);
  if (before !== undefined) return before;
  if (Array.isArray(schema)) return schema.map(loosened);
  const made: Record<string, unknown> = {};
  known.set(schema, made);
  for (const [key, value] of Object.entries(schema)) made[key] = key === "required" ? required(schema, value) : loosened(value);
  return made;
}

function required(schema: object, fields: unknown): unknown {
  const title = "title" in schema ? String(schema.title) : "";
  const missing = Object.hasOwn(addedLater, title) ? (addedLater[title] ?? []) : [];
  return Array.isArray(fields) ? fields.filter((field) => !missing.includes(field)) : loosened(fields);
}
