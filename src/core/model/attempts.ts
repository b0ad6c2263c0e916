/** Requests an answer from a model: retryable failures are retried, and an overloaded model has a fallback. */
import type { CodexErrorInfo, TurnError } from "../../protocol/turn.ts";
import type { ModelFailure } from "../ports/model-client.ts";
import { fallBack, isOverloaded } from "./fallback.ts";
import type { Run } from "./run.ts";

export interface Attempt {
  readonly failure?: ModelFailure | undefined;
}
/** How one request is made, and how its partial items are abandoned before the next one. */
export interface Asking<T extends Attempt> {
  readonly once: () => Promise<T>;
  readonly abandon: (attempt: T) => void;
}

/** The final attempt, with the number of retries before it. */
export async function ask<T extends Attempt>(run: Run, { once, abandon }: Asking<T>): Promise<{ attempt: T; retries: number }> {
  const { turn } = run;
  let tried: Attempts = { request: 0, stream: 0 };
  while (true) {
    turn.guard.countRequest();
    const attempt = await once();
    const { failure } = attempt;
    const retries = tried.request + tried.stream;
    if (failure === undefined) return { attempt, retries };
    if (failure.retry === false) return { attempt, retries };
    const limits = limitsOf(run);
    const kind = attemptLeft(failure, tried, limits);
    if (kind === undefined || (isOverloaded(failure) && retries >= overloadPatience)) {
      if (fallBack(run, failure)) {
        abandon(attempt);
        tried = { request: 0, stream: 0 };
        continue;
      }
      if (kind === undefined) return { attempt, retries };
    }
    tried = { ...tried, [kind]: tried[kind] + 1 };
    announceRetry(run, failure, kind, `Reconnecting... ${tried[kind]}/${limits[kind]}`);
    abandon(attempt); // sent after the error, which tells clients that these items will be produced again
    await turn.thread.ports.clock.sleep(failure.retry.afterMs ?? backoff(tried[kind], turn.thread.ports.ids.random()), turn.signal);
  }
}

/** An overloaded model gets this many retries before its fallback is used, if there is one. */
const overloadPatience = 2;

type Attempts = Readonly<Record<"request" | "stream", number>>;

function limitsOf({ turn, settings }: Run): Attempts {
  const { requestMaxRetries, streamMaxRetries } = turn.thread.provider(settings);
  return { request: requestMaxRetries, stream: streamMaxRetries };
}

/**
 * Which of the two retry budgets is left. A stream that began well has its own; an error response may use that one too when
 * its own is spent. A rate limit gets fewer retries, and an unreachable server is reported soon.
 */
function attemptLeft({ kind, httpStatus, begun }: ModelFailure, tried: Attempts, limits: Attempts): keyof Attempts | undefined {
  const inStream = kind === "responseStreamDisconnected" || begun === true;
  if (!inStream && tried.request < limits.request) return "request";
  const mayUseStream = inStream || (httpStatus !== undefined && httpStatus >= 500);
  return mayUseStream && tried.stream < limits.stream ? "stream" : undefined;
}

/** 200 ms, doubling, up to 20 s, with a tenth of jitter either way. */
function backoff(attempt: number, random: number): number {
  return Math.min(200 * 2 ** (attempt - 1), 20_000) * (0.9 + random * 0.2);
}

function announceRetry({ turn }: Run, failure: ModelFailure, kind: keyof Attempts, message: string): void {
  turn.notify("error", {
    threadId: turn.thread.id,
    turnId: turn.id,
    willRetry: true,
    error: {
      message,
      codexErrorInfo: kind === "stream" ? { responseStreamDisconnected: status(failure) } : infoFrom(failure),
      additionalDetails: failure.message,
    },
  });
}

export function errorFrom(failure: ModelFailure, retries: number): TurnError {
  const spent = failure.retry !== false && (retries > 0 || failure.httpStatus === 429);
  // A server error keeps its kind after any number of retries; so does a broken stream.
  const keepsKind = failure.kind === "responseStreamDisconnected" || failure.kind === "flexUnavailable" || (failure.httpStatus ?? 0) >= 500;
  return {
    message: spent ? `exceeded retry limit: ${failure.message}` : failure.message,
    codexErrorInfo: spent && !keepsKind ? { responseTooManyFailedAttempts: status(failure) } : infoFrom(failure),
    additionalDetails: failure.details ?? null,
  };
}

const status = (failure: ModelFailure): { httpStatusCode: number | null } => ({ httpStatusCode: failure.httpStatus ?? null });

function infoFrom(failure: ModelFailure): CodexErrorInfo {
  switch (failure.kind) {
    case "httpConnectionFailed":
      return { httpConnectionFailed: status(failure) };
    case "responseStreamConnectionFailed":
      return { responseStreamConnectionFailed: status(failure) };
    case "responseStreamDisconnected":
      return { responseStreamDisconnected: status(failure) };
    default:
      return isPlainStatus(failure) ? { httpConnectionFailed: status(failure) } : failure.kind;
  }
}

/** Codex classifies most HTTP errors by their status alone; bad requests and internal errors have kinds of their own. */
const isPlainStatus = ({ kind, httpStatus }: ModelFailure): boolean =>
  httpStatus !== undefined &&
  httpStatus !== 400 &&
  httpStatus !== 500 &&
  (kind === "unauthorized" || kind === "badRequest" || kind === "internalServerError" || kind === "other");
