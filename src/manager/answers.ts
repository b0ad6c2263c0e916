/** The protocol's own answer for what a person decided, for each kind of request and each generation of it. */

import { isRecord } from "../lib/is-record.ts";
import type { PendingRequest, RequestKind } from "./api/records.ts";
import { invalid } from "./problems.ts";

export type Outcome = { readonly result: unknown } | { readonly error: { readonly code: number; readonly message: string } };

const kinds: Readonly<Record<string, RequestKind>> = {
  "item/commandExecution/requestApproval": "command",
  execCommandApproval: "command",
  "item/fileChange/requestApproval": "fileChange",
  applyPatchApproval: "fileChange",
  "item/permissions/requestApproval": "permissions",
  "item/tool/requestUserInput": "question",
  "tool/requestUserInput": "question",
  "item/tool/call": "toolCall",
  "mcpServer/elicitation/request": "elicitation",
};
export const kindOf = (method: string): RequestKind => kinds[method] ?? "other";

const isLegacy = (method: string): boolean => method === "execCommandApproval" || method === "applyPatchApproval";
const legacyWords: Readonly<Record<string, string>> = {
  accept: "approved",
  acceptForSession: "approved_for_session",
  decline: "denied",
  cancel: "abort",
};

/** `accept`, `decline`, `cancel` with a scope; or one of the decisions that the request itself offers. */
export function approvalOutcome(request: PendingRequest, decision: unknown, scope: string | undefined): Outcome {
  if (request.kind === "permissions") return { result: permissionResult(request, decision, scope) };
  const word = decision === "accept" && scope === "session" ? "acceptForSession" : decision;
  if (typeof word === "string" && word in legacyWords) return { result: { decision: isLegacy(request.method) ? legacyWords[word] : word } };
  const offered = isRecord(request.details) ? request.details["availableDecisions"] : undefined;
  const known = Array.isArray(offered) && offered.some((o) => JSON.stringify(o) === JSON.stringify(word));
  const legacyWord = isLegacy(request.method) && typeof word === "string" && Object.values(legacyWords).includes(word);
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

/** What a session that no person watches answers: no, in each kind's own way. */
export function refusal(request: Pick<PendingRequest, "kind" | "method">): Outcome {
  switch (request.kind) {
    case "command":
    case "fileChange":
      return { result: { decision: isLegacy(request.method) ? "denied" : "decline" } };
    case "permissions":
      return { result: { permissions: {}, scope: "turn" } };
    case "question":
      return { result: { answers: {} } };
    case "toolCall":
      return { result: { success: false, contentItems: [{ type: "inputText", text: "Nobody is there to answer this tool call." }] } };
    case "elicitation":
      return { result: { action: "decline" } };
    default:
      return { error: { code: -32_600, message: "nobody is there to answer" } };
  }
}

/** The decision inside an answer, for people and the audit book. */
export function decisionIn(outcome: Outcome): unknown {
  if ("error" in outcome) return "refused";
  const { result } = outcome;
  if (!isRecord(result)) return null;
  if (result["decision"] !== undefined) return result["decision"];
  if (result["action"] !== undefined) return result["action"];
  if (result["permissions"] !== undefined)
    return Object.keys(isRecord(result["permissions"]) ? result["permissions"] : {}).length === 0 ? "decline" : (result["scope"] ?? "turn");
  if (result["success"] !== undefined) return result["success"] === true ? "success" : "failure";
  return "answered";
}

export function summaryOf(method: string, params: Readonly<Record<string, unknown>>): string {
  const text = (key: string): string | undefined => (typeof params[key] === "string" && params[key] !== "" ? params[key] : undefined);
  const command = Array.isArray(params["command"]) ? params["command"].join(" ") : text("command");
  switch (kindOf(method)) {
    case "command":
      return command ?? text("reason") ?? "Run a command";
    case "fileChange":
      return text("reason") ?? "Change files";
    case "permissions":
      return text("reason") ?? "Grant permissions";
    case "question": {
      const [first] = Array.isArray(params["questions"]) ? params["questions"] : [];
      return isRecord(first) && typeof first["question"] === "string" ? first["question"] : "A question";
    }
    case "toolCall":
      return `Tool ${text("tool") ?? "call"}`;
    case "elicitation":
      return text("message") ?? text("title") ?? "An MCP server asks";
    default:
      return method;
  }
}
