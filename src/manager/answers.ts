/** The protocol's own answer for what a caller of the HTTP routes decided, for each kind of request and each generation of it. */
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
  const word = decision === "accept" && scope === "session" ? "acceptForSession" : decision;
  if (typeof word === "string" && word in legacyDecisions)
    return { result: { decision: isLegacy(request.method) ? legacyDecisions[word] : word } };
  const offered = isRecord(request.details) ? request.details["availableDecisions"] : undefined;
  const known = Array.isArray(offered) && offered.some((o) => JSON.stringify(o) === JSON.stringify(word));
  const legacyWord = isLegacy(request.method) && typeof word === "string" && Object.values(legacyDecisions).includes(word);
  if (known || legacyWord) return { result: { decision: word } };
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

/** No answers is what the protocol knows for a no; giving up ends the tool call with an error. */
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
