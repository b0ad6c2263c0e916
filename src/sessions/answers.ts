/** What an engine asks, as every session client reads it: its kind, one line about it, a refusal, the decision inside an answer. Pure. */
import { isRecord } from "../lib/is-record.ts";
import type { PendingRequest, RequestKind } from "./records.ts";

export type Outcome = { readonly result: unknown } | { readonly error: { readonly code: number; readonly message: string } };

const kinds: Readonly<Record<string, RequestKind>> = {
  "item/commandExecution/requestApproval": "command",
  execCommandApproval: "command",
  "item/fileChange/requestApproval": "fileChange",
  applyPatchApproval: "fileChange",
  "item/permissions/requestApproval": "permissions",
  "item/tool/requestUserInput": "question",
  "tool/requestUserInput": "question",
  "agent/requestUserInput": "question",
  "agent/askUserQuestion": "question",
  "item/tool/call": "toolCall",
  "mcpServer/elicitation/request": "elicitation",
};
export const kindOf = (method: string): RequestKind => (Object.hasOwn(kinds, method) ? kinds[method] : undefined) ?? "other";

/** The older family of approvals has words of its own. */
export const isLegacy = (method: string): boolean => method === "execCommandApproval" || method === "applyPatchApproval";

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

/** The decision inside an answer, for people and the audit log. */
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

/** One line that names what is asked. */
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
      const asked = isRecord(first) ? (first["question"] ?? first["text"]) : params["prompt"];
      return typeof asked === "string" && asked !== "" ? asked : "A question";
    }
    case "toolCall":
      return `Tool ${text("tool") ?? "call"}`;
    case "elicitation":
      return text("message") ?? text("title") ?? "An MCP server asks";
    default:
      return method;
  }
}
