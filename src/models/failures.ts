/** Turns errors of providers and the network into a ModelFailure, the same way on every wire. */
import type { IncomingHttpHeaders } from "node:http";
import type { ModelFailure, ModelFailureKind } from "../core/ports/model-client.ts";
import { errorMessage } from "../lib/error-text.ts";
import { certificateHint } from "../lib/network.ts";
import { SseTooLong, SseTooMany } from "../lib/sse.ts";
import { HttpFailure } from "./http/exchange.ts";
import { isRecord, listOf, numberOf, parseJson, recordOf, stringOf } from "./json.ts";

/** Parses an error body in the shapes that providers use: `{error:{…}}`, `{error:"…"}`, `[{error}]`, `{message}`, `{detail}`. */
export interface ErrorBody {
  readonly message: string;
  /** `code` and `type` together, lower case, for matching. */
  readonly tags: string;
  readonly resetsAt: number | undefined;
  readonly planType: string | undefined;
}

function readErrorBody(text: string): ErrorBody {
  const parsed = parseJson(text);
  const outer = recordOf(Array.isArray(parsed) ? parsed[0] : parsed);
  const inner = isRecord(outer["error"]) ? outer["error"] : outer;
  const message =
    stringOf(inner["message"]) ??
    stringOf(outer["error"]) ??
    stringOf(outer["message"]) ??
    stringOf(outer["detail"]) ??
    stringOf(recordOf(listOf(outer["detail"])[0])["msg"]) ??
    (parsed !== undefined && Object.values(inner).every((value) => value === null) ? "" : plainText(text));
  const tags = [inner["code"], inner["type"], inner["status"], outer["type"]].filter(
    (tag) => typeof tag === "string" || typeof tag === "number",
  );
  return {
    message,
    tags: tags.join(" ").toLowerCase(),
    resetsAt: numberOf(inner["resets_at"]),
    planType: stringOf(inner["plan_type"]),
  };
}

/** A web page or other long text is shortened to fit in a message. */
function plainText(text: string): string {
  const bare = text
    .replace(/<(script|style)[\s\S]*?<\/\1>/gi, " ")
    .replace(/<[^>]*>/g, " ")
    .replace(/\s+/g, " ")
    .trim();
  return bare.length > 400 ? `${bare.slice(0, 400)}…` : bare;
}

export interface HttpRefusal {
  readonly status: number;
  readonly statusText: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Without its query, which may contain a key. */
  readonly url: string;
}

export function failureFromStatus(refusal: HttpRefusal): ModelFailure {
  const error = readErrorBody(refusal.body);
  const kind = kindOfStatus(refusal.status, error);
  const named = `unexpected status ${refusal.status}${refusal.statusText === "" ? "" : ` ${refusal.statusText}`}`;
  const message =
    kind === "usageLimitExceeded"
      ? usageLimitMessage(error)
      : `${named}: ${error.message === "" ? "no further word" : error.message}, url: ${refusal.url}${hint(refusal)}`;
  const wait = retryAfter(refusal.headers) ?? delayInText(error.message);
  const again = isTransient(refusal.status) && kind !== "usageLimitExceeded" && kind !== "contextWindowExceeded";
  return {
    kind,
    message,
    httpStatus: refusal.status,
    ...(refusal.body === "" ? {} : { details: refusal.body.slice(0, 4000) }),
    retry: again ? (wait === undefined ? {} : { afterMs: wait }) : false,
  };
}

const isTransient = (status: number): boolean => status === 408 || status === 409 || status === 425 || status === 429 || status >= 500;

function kindOfStatus(status: number, error: ErrorBody): ModelFailureKind {
  if (isContextOverflow(error)) return "contextWindowExceeded";
  if (isUsageLimit(error) || status === 402) return "usageLimitExceeded";
  if (isCyberPolicy(error)) return "cyberPolicy";
  if (isModelMissing(error, status)) return "modelNotFound";
  const busy = busyKinds.find(([tag]) => error.tags.includes(tag));
  if (busy !== undefined) return busy[1];
  if (status === 401 || status === 403) return "unauthorized";
  if (status >= 500) return "internalServerError";
  if (status === 408 || status === 409 || status === 425 || status === 429) return "other";
  return status >= 300 && status < 400 ? "httpConnectionFailed" : "badRequest";
}

const overflowTags = /context_length_exceeded|exceed_context_size|context_window|model_max_prompt_tokens/;
const overflowText =
  /prompt is too long|greater than the context length|context length of only|context size has been exceeded|maximum context length|context length exceeded|context window|exceeds? the (?:available )?context|input is too long|input length and `max_tokens` exceed|too many (?:input )?tokens|maximum number of tokens allowed|reduce the length of the (?:messages|input|prompt)|maximum prompt length/i;
/** The answer would be too long, not the prompt: without a limit, or with a smaller one, it fits. */
const outputText = /max_(?:completion_)?tokens\S* (?:is too large|must be at least)/i;
const isContextOverflow = (error: ErrorBody): boolean =>
  !outputText.test(error.message) && (overflowTags.test(error.tags) || overflowText.test(error.message));

const usageTags = /usage_limit_reached|usage_not_included|insufficient_quota|billing|credit|quota_exceeded|workspace_owner|spend_limit/;
const usageText = /insufficient (?:balance|credits|funds)|credit balance is too low|exceeded your current quota|out of credits/i;
const isUsageLimit = (error: ErrorBody): boolean =>
  usageTags.test(error.tags) || /\b402\b/.test(error.tags) || usageText.test(error.message);

const isCyberPolicy = (error: ErrorBody): boolean => /cyber_policy/.test(error.tags);

/** Most vendors say it in words alone. */
const isModelMissing = (error: ErrorBody, status?: number): boolean =>
  /model_not_found/.test(error.tags) ||
  (status === 404 &&
    /\bmodel\b/i.test(error.message) &&
    /not found|not exist|no such|unknown|not_found/i.test(`${error.message} ${error.tags}`));

/** Codes with which OpenAI says that it is busy, and the kinds that Codex has for them. */
const busyKinds: readonly (readonly [string, ModelFailureKind])[] = [
  ["server_is_overloaded", "serverOverloaded"],
  ["slow_down", "rateLimitExceeded"],
  ["flex_unavailable", "flexUnavailable"],
];

function usageLimitMessage(error: ErrorBody): string {
  if (!/usage_limit_reached/.test(error.tags)) return `The provider refuses because of quota or billing: ${error.message}`;
  const when =
    error.resetsAt === undefined ? "later" : `at ${new Date(error.resetsAt * 1000).toISOString().replace(/:\d\d\.\d+Z$/, " UTC")}`;
  return `You've hit your usage limit${error.planType === undefined ? "" : ` (plan: ${error.planType})`}. Try again ${when}.`;
}

function hint(refusal: HttpRefusal): string {
  if (refusal.status === 401) return " (check the key: env_key of the provider, or log in)";
  if (refusal.status === 404) return " (check base_url and the model's name)";
  const target = refusal.status >= 300 && refusal.status < 400 ? stringOf(refusal.headers["location"]) : undefined;
  return target === undefined ? "" : ` (the server points to ${target}; set base_url to it if you trust it)`;
}

/** `retry-after-ms`, or `retry-after` in seconds or as a date. */
function retryAfter(headers: IncomingHttpHeaders): number | undefined {
  const ms = numberOf(headers["retry-after-ms"]);
  if (ms !== undefined) return bounded(ms);
  const value = stringOf(headers["retry-after"]);
  const seconds = numberOf(value);
  if (seconds !== undefined) return bounded(seconds * 1000);
  const date = value === undefined ? Number.NaN : Date.parse(value);
  return Number.isNaN(date) ? undefined : bounded(date - Date.now());
}

/** "Please try again in 1.5s" and similar messages. */
function delayInText(text: string): number | undefined {
  const found = /try again in\s*(\d+(?:\.\d+)?)\s*(ms|milliseconds?|s|sec(?:onds?)?|m(?:in(?:utes?)?)?)\b/i.exec(text);
  if (found === null) return undefined;
  const unit = (found[2] ?? "s").toLowerCase();
  const scale = unit.startsWith("ms") || unit.startsWith("milli") ? 1 : unit.startsWith("m") ? 60_000 : 1000;
  return bounded(Number(found[1]) * scale);
}

const bounded = (ms: number): number => Math.min(Math.max(0, Math.round(ms)), 3_600_000);

/** For anything that `HttpPool` or the event reader threw, except the signal's own reason. */
export function failureFromNetwork(error: unknown, url: string): ModelFailure {
  if (error instanceof SseTooLong || error instanceof SseTooMany) return broken("responseStreamDisconnected", error.message, false);
  if (!(error instanceof HttpFailure)) return broken("other", errorMessage(error), false);
  switch (error.phase) {
    case "settings":
      return { kind: "httpConnectionFailed", message: `cannot reach the model provider: ${error.message}`, retry: false };
    case "connect": {
      const hint = certificateHint(error.message);
      const message = `cannot reach the model provider: ${error.message}, url: ${url}${hint === "" ? "" : ` (${hint})`}`;
      return { kind: "httpConnectionFailed", message, retry: {} };
    }
    case "request":
      return {
        kind: "responseStreamConnectionFailed",
        message: `the model provider closed the connection before it answered: ${error.message}, url: ${url}`,
        retry: {},
      };
    case "idle":
      return broken("responseStreamDisconnected", `idle timeout waiting for the model: ${error.message}`, {});
    case "body":
      return broken("responseStreamDisconnected", error.message, {});
  }
}

function broken(kind: ModelFailureKind, why: string, retry: ModelFailure["retry"]): ModelFailure {
  return { kind, message: `stream disconnected before completion: ${why}`, retry };
}

/** The stream ended cleanly, but without its final event. */
export const cutOff = (missing: string): ModelFailure => broken("responseStreamDisconnected", `stream closed before ${missing}`, {});

/** A warning: the text is not continued. */
export const cutAnswer = "The model reached its output limit; the answer is cut off.";

/** An error event inside a stream that began well. */
export function failureFromEvent(body: string): ModelFailure {
  const error = readErrorBody(body);
  const wait = delayInText(error.message);
  const message = error.message === "" ? "the provider gave no reason" : error.message;
  if (isContextOverflow(error)) return { kind: "contextWindowExceeded", message, retry: false };
  if (isUsageLimit(error)) return { kind: "usageLimitExceeded", message: usageLimitMessage(error), retry: false };
  if (isCyberPolicy(error)) return { kind: "cyberPolicy", message, retry: false };
  if (isModelMissing(error)) return { kind: "modelNotFound", message, retry: false };
  // routers put the upstream provider's HTTP status into `code`
  if (/invalid_prompt|invalid_request|content_policy|content_filter|policy_violation|misalignment|\b4(?:00|04|13|22)\b/.test(error.tags))
    return { kind: "badRequest", message, retry: false };
  if (/authentication|permission|\b40[13]\b/.test(error.tags)) return { kind: "unauthorized", message, retry: false };
  const retry = wait === undefined ? {} : { afterMs: wait };
  if (/overloaded|server_?error|api_error|internal|slow_down|unavailable|\b5\d\d\b/.test(error.tags))
    return { kind: "internalServerError", message, begun: true, retry };
  return { kind: "responseStreamDisconnected", message: `stream disconnected before completion: ${message}`, retry };
}
