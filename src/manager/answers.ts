/** Translates the decision of an HTTP caller into the protocol's response, for each kind and generation of request. */
import { isRecord } from "../lib/is-record.ts";
import { isLegacy, type Outcome } from "../sessions/answers.ts";
import type { PendingRequest } from "../sessions/records.ts";
import { invalid } from "./problems.ts";

const legacyDecisions: Readonly<Record<string, string>> = {
  accept: "approved",
  acceptForSession: "approved_for_session",
  decline: "denied",
  cancel: "abort",
};

/** `accept`, `decline`, `cancel` with a scope; or one of the decisions that the request itself offers. */
export function approvalOutcome(request: PendingRequest, decision: unknown, scope: string | undefined): Outcome {
  if (request.kind === "permissions") return { result: permissionResult(request, decision, scope) };
  const chosen = decision === "accept" && scope === "session" ? "acceptForSession" : decision;
  if (typeof chosen === "string" && chosen in legacyDecisions)
    return { result: { decision: isLegacy(request.method) ? legacyDecisions[chosen] : chosen } };
  const offered = isRecord(request.details) ? request.details["availableDecisions"] : undefined;
  const known = Array.isArray(offered) && offered.some((o) => JSON.stringify(o) === JSON.stringify(chosen));
  const isLegacyDecision = isLegacy(request.method) && typeof chosen === "string" && Object.values(legacyDecisions).includes(chosen);
  if (known || isLegacyDecision) return { result: { decision: chosen } };
  throw invalid([{ path: "decision", message: "expected accept, decline, cancel, or one of the request's availableDecisions" }]);
}

function permissionResult(request: PendingRequest, decision: unknown, scope: string | undefined): unknown {
  if (decision === "accept" || decision === "acceptForSession") {
    const permissions = isRecord(request.details) ? (request.details["permissions"] ?? {}) : {};
    return { permissions, scope: scope === "session" || decision === "acceptForSession" ? "session" : "turn" };
  }
  if (decision === "decline" || decision === "cancel") return { permissions: {}, scope: "turn" };
  throw invalid([{ path: "decision", message: "expected accept, decline or cancel" }]);
}

/** In the protocol, empty answers mean a no; cancelling ends the tool call with an error. */
export function questionOutcome(decision: string | undefined, answers: unknown): Outcome {
  if (decision === "cancel") return { error: { code: -32_000, message: "cancelled by the user" } };
  return { result: { answers: decision === "decline" ? {} : (answers ?? {}) } };
}

export function toolOutcome(body: Readonly<Record<string, unknown>>): { result: unknown; success: boolean } {
  if (body["response"] !== undefined) {
    const { response } = body;
    return { result: response, success: !isRecord(response) || response["success"] !== false };
  }
  const success = body["success"] !== false;
  const text = typeof body["text"] === "string" && body["text"] !== "" ? [{ type: "inputText", text: body["text"] }] : [];
  return { result: { success, contentItems: body["contentItems"] ?? text }, success };
}
