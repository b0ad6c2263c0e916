/** Errors as HTTP responses: the engine's refusals mapped to statuses, and the manager's own. */
import { ConnectionClosed, RpcError, Timeout } from "../client/client.ts";
import { EngineDown, InvalidResponse } from "../sessions/link.ts";
import { isUnsupported, NoQueue, QueueFull, UnknownSession } from "../sessions/refusals.ts";
import { NotTaken } from "../sessions/requests.ts";
import { FilesChanged } from "../sessions/restore-files.ts";
import { RuleRefused } from "../sessions/rules.ts";
import { FileRefused } from "../sessions/session-file.ts";
import { StateUnwritten } from "./store.ts";

/** Ends a route with this status and body. */
export class Problem extends Error {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
  constructor(status: number, body: Readonly<Record<string, unknown>>, headers: Readonly<Record<string, string>> = {}) {
    super(typeof body["message"] === "string" ? body["message"] : `status ${status}`);
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

export const failure = (status: number, code: string, message: string, details?: unknown): Problem =>
  new Problem(status, { status: "error", code, message, ...(details === undefined ? {} : { details }) });

export const invalid = (issues: readonly { readonly path: string; readonly message: string }[]): Problem =>
  new Problem(400, {
    status: "error",
    code: "invalid_request",
    message: issues.map((i) => (i.path === "" ? i.message : `${i.path}: ${i.message}`)).join("; ") || "invalid request",
    issues,
  });

const needsAccount = /authentication required|not (logged|signed) in/i;

export const notFound = (sessionId: string): Problem =>
  new Problem(404, { status: "not_found", sessionId, message: "There is no such session." });

/** The status for anything that a handler can throw; undefined for a bug of ours. */
export function problemOf(error: unknown): Problem | undefined {
  if (error instanceof Problem) return error;
  if (error instanceof NotTaken) return problemOfRequest(error);
  if (error instanceof UnknownSession) return notFound(error.sessionId);
  if (error instanceof QueueFull || error instanceof NoQueue || error instanceof FilesChanged)
    return failure(409, error.code, error.message);
  if (error instanceof FileRefused) return failure(409, error.code, error.message, error.details);
  if (error instanceof RuleRefused) return failure(error.status, error.code, error.message);
  if (error instanceof InvalidResponse) return failure(500, "codex_error", error.message);
  if (error instanceof Timeout) return failure(504, "codex_timeout", "The engine did not answer in time.");
  if (error instanceof StateUnwritten) return failure(507, "storage_failed", error.message);
  if (error instanceof EngineDown || error instanceof ConnectionClosed)
    return new Problem(503, { status: "error", code: "engine_unavailable", message: error.message }, { "retry-after": "2" });
  if (!(error instanceof RpcError)) return undefined;
  const { code, message, data } = error;
  if (code === -32001) return new Problem(503, { status: "error", code: "overloaded", message }, { "retry-after": "1" });
  if (isUnsupported(error)) return failure(501, "method_not_supported", message);
  if (code === -32602 || message.startsWith("Invalid request:")) return failure(400, "invalid_params", message, data);
  if (needsAccount.test(message)) return failure(401, "auth_required", message);
  if (code === -32600) return failure(409, "invalid_state", message, data);
  return failure(500, "codex_error", message, data);
}

/** An answer that was not accepted. */
function problemOfRequest({ why, requestId, message, by }: NotTaken): Problem {
  const conflict = (code: "in_flight" | "reconciled"): Problem =>
    new Problem(409, { status: "conflict", code, requestId, message, ...(by === undefined ? {} : { by }) });
  switch (why) {
    case "inFlight":
      return conflict("in_flight");
    case "replaced":
    case "overtaken":
      return conflict("reconciled");
    case "unreachable":
      return new Problem(500, { status: "error", requestId, code: "respond_failed", message });
    case "unknown":
      return new Problem(404, { status: "not_found", requestId, message });
    case "over":
      return new Problem(404, { status: "not_found", requestId, message: `Already over: ${message}`, outcome: message, by });
  }
}
