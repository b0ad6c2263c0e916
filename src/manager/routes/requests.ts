/** Handlers for pending requests: the lists, and the three specific ways to answer in addition to the general one. */

import { errorMessage } from "../../lib/error-text.ts";
import type { Outcome } from "../../sessions/answers.ts";
import type { PendingRequest } from "../../sessions/records.ts";
import { approvalOutcome, questionOutcome, toolOutcome } from "../answers.ts";
import type { requestRoutes } from "../api/requests.ts";
import { type HandlersFor, ok } from "../handlers.ts";
import type { Manager } from "../manager.ts";
import { invalid } from "../problems.ts";
import type { Meant } from "../requests.ts";

/** Deleted and system-owned sessions are errors; an unknown session simply has no pending requests. */
async function waiting(manager: Manager, sessionId: string, kinds: readonly PendingRequest["kind"][]): Promise<PendingRequest[]> {
  manager.sessions.gate(sessionId);
  await manager.sessions.require(sessionId);
  manager.sessions.gate(sessionId);
  return manager.requests.list((r) => r.threadId === sessionId && kinds.includes(r.kind));
}

const approvals = ["command", "fileChange", "permissions"] as const;

/** Identifies the request that the caller means: of the route's kinds, and the one that was seen. */
const meant = (body: { createdAt?: string; bootId?: string }, kinds?: readonly PendingRequest["kind"][]): Meant => ({
  ...(kinds === undefined ? {} : { kinds }),
  ...(body.createdAt === undefined ? {} : { createdAt: body.createdAt }),
  ...(body.bootId === undefined ? {} : { bootId: body.bootId }),
});

export const requestHandlers: HandlersFor<typeof requestRoutes> = {
  "GET /api/pending": ({ manager }) => ok({ data: manager.requests.list() }),

  async "GET /api/sessions/:sessionId/approvals"({ manager, path }) {
    return ok({ data: await waiting(manager, path.sessionId, approvals) });
  },
  async "GET /api/sessions/:sessionId/tool-input"({ manager, path }) {
    return ok({ data: await waiting(manager, path.sessionId, ["question"]) });
  },
  async "GET /api/sessions/:sessionId/tool-calls"({ manager, path }) {
    return ok({ data: await waiting(manager, path.sessionId, ["toolCall"]) });
  },

  async "POST /api/approvals/:approvalId/decision"({ manager, caller, path, body }) {
    if (body.decision == null && body.response == null) throw invalid([{ path: "decision", message: "missing field" }]);
    const request = await manager.requests.answerAs(
      path.approvalId,
      caller,
      meant(body, approvals),
      (r): Outcome => (body.response == null ? approvalOutcome(r, body.decision, body.scope) : { result: body.response }),
    );
    return ok({ status: "ok", requestId: path.approvalId, approvalId: path.approvalId, threadId: request.threadId });
  },

  async "POST /api/tool-input/:requestId/decision"({ manager, caller, path, body }) {
    if (body.decision === undefined && body.response == null && body.answers === undefined)
      throw invalid([{ path: "decision", message: "missing field" }]);
    const request = await manager.requests.answerAs(path.requestId, caller, meant(body, ["question"]), () =>
      body.response == null ? questionOutcome(body.decision, body.answers) : { result: body.response },
    );
    return ok({ status: "ok", requestId: path.requestId, threadId: request.threadId });
  },

  async "POST /api/tool-calls/:requestId/response"({ manager, caller, path, body }) {
    if (body.response === null) throw invalid([{ path: "response", message: "null is no answer; leave it out or give the result" }]);
    const request = await manager.requests.answerAs(path.requestId, caller, meant(body, ["toolCall"]), () => ({
      result: toolOutcome(body).result,
    }));
    return ok({ status: "ok", requestId: path.requestId, threadId: request.threadId });
  },

  "POST /api/requests/:requestId/keep": ({ manager, path }) => ok(manager.requests.keep(path.requestId)),

  async "POST /api/requests/:requestId/response"({ manager, caller, path, body }) {
    if (body.response == null && body.error == null) throw invalid([{ path: "response", message: "give a response or an error" }]);
    const outcome: Outcome =
      body.error == null
        ? { result: body.response }
        : { error: { code: typeof body.error.code === "number" ? body.error.code : -32_000, message: body.error.message } };
    const request = await manager.requests.answerAs(path.requestId, caller, meant(body), () => outcome);
    const note = body.note?.trim();
    if (note !== undefined && note !== "") await sendNote(manager, request, note, caller.actor);
    return ok({ status: "ok", requestId: path.requestId, threadId: request.threadId });
  },
};

/** "No, do this instead": the note goes to the turn that asked. If that fails, it is added to the session's queue; the decision is valid anyway. */
async function sendNote(manager: Manager, request: PendingRequest, note: string, by: Parameters<Manager["delete"]>[1]): Promise<void> {
  const session = manager.sessions.find(request.threadId);
  if (session === undefined) return manager.tell(`The session is gone, so this note was not delivered: ${note}`);
  const message = {
    messageId: `note-${request.requestId}`,
    input: [{ type: "text" as const, text: note }],
    delivery: "steer" as const,
    overrides: {},
    by,
  };
  try {
    await manager.messages.sendOrQueue(session, message);
  } catch (error) {
    manager.tell(`This note was not delivered: ${note} (${errorMessage(error)})`);
  }
}
