/** The routes for everything that waits for an answer. */
import { array, boolean, literals, maybe, named, object, optional, record, string, unknown } from "../../lib/schema.ts";
import { DynamicToolCallOutputContentItem } from "../../protocol/item.ts";
import { PendingRequest } from "../../sessions/records.ts";
import { bounded, route } from "./define.ts";
import {
  DeletedSession,
  InvalidRequest,
  PendingList,
  RequestAnswered,
  RequestConflict,
  RequestFailed,
  RequestNotFound,
  SessionNotFound,
  SystemSession,
} from "./records.ts";

const perSession = { 200: PendingList, 403: SystemSession, 404: SessionNotFound, 410: DeletedSession } as const;
/** The order of checks is part of the contract: being answered 409, unknown or ended 404, then the engine's own failure 500. */
const answering = { 200: RequestAnswered, 400: InvalidRequest, 404: RequestNotFound, 409: RequestConflict, 500: RequestFailed } as const;
/** If sent, ensures that the answer is for the request the person saw and not for another one with the same number. */
const seen = () => ({ createdAt: optional(string()), bootId: optional(string()) });

export const requestRoutes = {
  "GET /api/pending": route({
    summary: "All pending requests, across all sessions, oldest first",
    scope: "read",
    answers: { 200: PendingList },
  }),
  "GET /api/sessions/:sessionId/approvals": route({ summary: "Pending approvals", scope: "read", answers: perSession }),
  "GET /api/sessions/:sessionId/tool-input": route({ summary: "Pending questions", scope: "read", answers: perSession }),
  "GET /api/sessions/:sessionId/tool-calls": route({
    summary: "Pending calls of client tools",
    scope: "read",
    answers: perSession,
  }),
  "POST /api/approvals/:approvalId/decision": route({
    summary: "Decide an approval",
    scope: "approve",
    body: named("ApprovalDecision", () =>
      object({
        /** accept, decline, cancel; or one of the request's own `availableDecisions`, unchanged. */
        decision: optional(unknown()),
        scope: optional(literals("turn", "session")),
        /** The protocol's own result. Like a decision, it may contain only what the request offers. */
        response: optional(unknown()),
        ...seen(),
      }),
    ),
    answers: answering,
  }),
  "POST /api/tool-input/:requestId/decision": route({
    summary: "Answer a question",
    scope: "approve",
    body: named("ToolInputDecision", () =>
      object({
        decision: optional(literals("accept", "decline", "cancel")),
        answers: optional(record(object({ answers: array(string()) }))),
        response: optional(unknown()),
        ...seen(),
      }),
    ),
    answers: answering,
  }),
  "POST /api/tool-calls/:requestId/response": route({
    summary: "Send a client tool's result",
    scope: "approve",
    body: named("ToolCallAnswer", () =>
      object({
        success: optional(boolean()),
        contentItems: optional(bounded(array(DynamicToolCallOutputContentItem()), { maxItems: 256 })),
        text: optional(string()),
        response: optional(unknown()),
        ...seen(),
      }),
    ),
    answers: answering,
  }),
  "POST /api/requests/:requestId/keep": route({
    summary: "Keep a request that would time out pending until its turn ends",
    scope: "approve",
    answers: { 200: PendingRequest, 404: RequestNotFound },
  }),
  "POST /api/requests/:requestId/response": route({
    summary: "Answer any pending request with the protocol's own result or error",
    scope: "approve",
    body: named("RequestAnswer", () =>
      object({
        response: optional(unknown()),
        error: maybe(object({ code: optional(unknown()), message: string() })),
        /** Free text for the audit log; with a refusal it is also sent to the running turn. */
        note: maybe(bounded(string(), { maxLength: 10_000 })),
        ...seen(),
      }),
    ),
    answers: answering,
  }),
} as const;
