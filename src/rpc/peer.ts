/** One end of a JSON-RPC-lite connection: distinguishes requests, notifications and responses, and matches responses to requests. */
import { JsonText } from "../lib/json-text.ts";
import { internalError, invalidRequest, overloaded, RpcError } from "../protocol/errors.ts";
import type { MessageSeries, Transport } from "./transport.ts";

/** An integer too large for a JavaScript number; preserved digit by digit. */
export class BigId {
  readonly digits: string;
  constructor(digits: string) {
    this.digits = digits;
  }
}
export type Id = string | number | BigId;
/** A handler's result for a request that is answered later through `respond`, as one that `takeRequest` accepted. */
export const answeredLater: unique symbol = Symbol("answered later");
export type Outcome = { readonly result: unknown } | { readonly error: RpcError };

export interface PeerHandlers {
  /** Returns the result or a promise of it; a thrown error becomes the error response. `after` runs once the response was sent. */
  request(method: string, params: unknown, after: (run: () => void) => void, id: Id): unknown;
  /**
   * Accepts a request that is answered later through `respond`, for example after asking a person. False leaves it to `request`. `text` is
   * the whole message.
   */
  takeRequest?(id: string | number, method: string, params: unknown, text: string): boolean;
  notification(method: string, params: unknown): void;
  /** A response to a request that was not sent through `call`. */
  answer?(id: string | number, outcome: Outcome): void;
  closed(error?: Error): void;
  /** The error for a result that is too large to be sent: how to ask for less. */
  tooLarge?(method: string): RpcError;
  /** The other side has read everything. */
  drained?(): void;
  /** A line that is not a message, for the log. */
  unreadable?(reason: string): void;
  /** An error other than RpcError was thrown while serving `method`, or in a place where no error response can report it. The connection stays open. */
  bug?(method: string, error: unknown, isAnswered: boolean): void;
}

/** Further requests are refused while this many are unanswered: a flood must not exhaust the memory. */
const maxInFlight = 4096;
/** A larger answer is not sent: transports disconnect a reader that has much more before it, however fast it reads, and clients drop longer lines. */
export const maxAnswerBytes = 100 * 1024 * 1024;
const isTooLarge = (text: string): boolean => text.length > maxAnswerBytes / 3 && Buffer.byteLength(text) > maxAnswerBytes;
/** Above this backlog no further input is read until the other side has caught up. */
const highWater = 4 * 1024 * 1024;

export class ConnectionClosed extends Error {
  readonly code = "connection_closed";
  constructor(message = "the connection was closed") {
    super(message);
  }
}

export class Peer {
  readonly #transport: Transport;
  readonly #handlers: PeerHandlers;
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  #nextId = 0;
  #inFlight = 0;
  #paused = false;
  #closed = false;

  constructor(transport: Transport, handlers: PeerHandlers) {
    this.#transport = transport;
    this.#handlers = handlers;
    // Nothing may be thrown into a transport: it would stop in the middle of reading.
    transport.onMessage = (text) => this.#guarded("a message", () => this.#receive(text));
    transport.onTooLong = (head) => this.#guarded("a message over the size limit", () => this.#refuseTooLong(head));
    transport.onDrain = () => this.#guarded("the end of a backlog", () => this.#continue());
    transport.onClose = (error) => this.#guarded("the end of the connection", () => this.#end(error));
  }

  get closed(): boolean {
    return this.#closed;
  }
  get backlog(): number {
    return this.#transport.backlog;
  }
  /** Requests of the other side that are not answered yet. */
  get inFlight(): number {
    return this.#inFlight;
  }
  notify(method: string, params: unknown): void {
    this.#transport.send(JSON.stringify(params === undefined ? { method } : { method, params }));
  }
  /** Sends a message that was serialized once for many peers. */
  send(json: string): void {
    this.#transport.send(json);
  }
  /** The same for messages that differ only in their middle. */
  sendSeries(series: MessageSeries): void {
    if (this.#transport.sendSeries !== undefined) return this.#transport.sendSeries(series);
    for (const message of series.messages) this.#transport.send(message);
  }
  /** Sends what this tick has produced so far without waiting for its end. */
  flush(): void {
    this.#transport.flush?.();
  }
  /** Answers a request that `takeRequest` accepted. */
  respond(id: string | number, outcome: Outcome): void {
    this.#respond(id, "a request that was taken", outcome);
  }
  /** Sends a request and waits for the response. Rejects with RpcError, with ConnectionClosed, or with the signal's reason. */
  async call(method: string, params: unknown, signal?: AbortSignal): Promise<unknown> {
    if (this.#closed) throw new ConnectionClosed();
    signal?.throwIfAborted();
    const id = this.#nextId++;
    const answer = Promise.withResolvers<unknown>();
    this.#waiting.set(id, answer);
    const abort = (): void => answer.reject(signal?.reason);
    signal?.addEventListener("abort", abort, { once: true });
    this.#transport.send(JSON.stringify({ id, method, params }));
    try {
      return await answer.promise;
    } finally {
      this.#waiting.delete(id);
      signal?.removeEventListener("abort", abort);
    }
  }
  close(): void {
    this.#transport.close();
  }
  /** Closes the connection because the other side does not keep up. */
  cutOff(why: string): void {
    this.#transport.cutOff(why);
  }

  #receive(text: string): void {
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch (error) {
      return this.#handlers.unreadable?.(text.trim() === "" ? "empty line" : String((error as Error).message));
    }
    if (typeof message !== "object" || message === null || Array.isArray(message))
      return this.#handlers.unreadable?.("not a message object");
    const { id, method, params, result, error } = message as Record<string, unknown>;
    const exact = exactId(id, text);
    if (typeof method === "string") {
      if (exact === undefined) return this.#handlers.notification(method, params);
      if (!(exact instanceof BigId) && this.#handlers.takeRequest?.(exact, method, params, text) === true) return;
      return this.serve(exact, method, params);
    }
    if (exact === undefined || exact instanceof BigId) return this.#handlers.unreadable?.("neither a request nor an answer");
    if (error !== undefined) return this.#settle(exact, { error: errorFromWire(error) });
    if (Object.hasOwn(message, "result")) return this.#settle(exact, { result });
    this.#handlers.unreadable?.("an id without method, result or error");
  }

  /** Answers a request through the handlers; also one that `takeRequest` accepted and could not pass on. */
  serve(id: Id, method: string, params: unknown): void {
    if (this.#inFlight >= maxInFlight) return this.#respond(id, method, { error: overloaded() });
    const afterwards: (() => void)[] = [];
    const finish = (outcome: Outcome): void => {
      this.#inFlight--;
      if (!("result" in outcome) || outcome.result !== answeredLater) this.#respond(id, method, outcome);
      for (const run of afterwards) this.#guarded(method, run);
    };
    const fail = (error: unknown): void => {
      if (!(error instanceof RpcError)) this.#report(method, error, true);
      finish({ error: error instanceof RpcError ? error : internalError() });
    };
    this.#inFlight++;
    let result: unknown;
    try {
      result = this.#handlers.request(method, params, (run) => afterwards.push(run), id);
    } catch (error) {
      return fail(error);
    }
    if (result instanceof Promise) result.then((value) => finish({ result: value }), fail);
    else finish({ result });
  }

  #respond(id: Id, method: string, outcome: Outcome): void {
    this.#transport.send(this.#written(id, method, outcome));
    if (this.#paused || this.#transport.backlog <= highWater) return;
    this.#paused = true;
    this.#transport.pause();
  }

  /** A result that is too large, or cannot be serialized as JSON, is still answered, with an error. */
  #written(id: Id, method: string, outcome: Outcome): string {
    const shown = id instanceof BigId ? id.digits : JSON.stringify(id);
    const failed = (error: RpcError): string => `{"error":${JSON.stringify(errorToWire(error))},"id":${shown}}`;
    try {
      if ("error" in outcome) return failed(outcome.error);
      const result = outcome.result instanceof JsonText ? outcome.result.text : JSON.stringify(outcome.result ?? {});
      return isTooLarge(result) ? failed(this.#tooLarge(method)) : `{"id":${shown},"result":${result}}`;
    } catch (error) {
      // No string is long enough for it.
      if (error instanceof RangeError && error.message === "Invalid string length") return failed(this.#tooLarge(method));
      this.#report(method, error, true);
      return failed(internalError());
    }
  }

  #tooLarge(method: string): RpcError {
    return this.#handlers.tooLarge?.(method) ?? invalidRequest(`the answer to ${method} is too large to be sent`);
  }

  #guarded(what: string, run: () => void): void {
    try {
      run();
    } catch (error) {
      this.#report(what, error, false);
    }
  }

  #report(what: string, error: unknown, isAnswered: boolean): void {
    try {
      this.#handlers.bug?.(what, error, isAnswered);
    } catch {
      // The log itself has failed: there is nowhere left to report it.
    }
  }

  #continue(): void {
    this.#handlers.drained?.();
    if (!this.#paused) return;
    this.#paused = false;
    this.#transport.resume();
  }

  #settle(id: string | number, outcome: Outcome): void {
    const waiting = typeof id === "number" ? this.#waiting.get(id) : undefined;
    if (waiting === undefined) return this.#handlers.answer?.(id, outcome);
    if ("error" in outcome) waiting.reject(outcome.error);
    else waiting.resolve(outcome.result);
  }

  #refuseTooLong(head: string): void {
    const id = /"id"\s*:\s*(-?\d+|"(?:[^"\\]|\\.)*")/.exec(head)?.[1];
    if (id === undefined) return this.#handlers.unreadable?.("a message over the size limit");
    const error = errorToWire(invalidRequest("Invalid request: the message is over the size limit"));
    this.#transport.send(`{"error":${JSON.stringify(error)},"id":${id}}`);
  }

  #end(error?: Error): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const answer of this.#waiting.values()) answer.reject(new ConnectionClosed());
    this.#handlers.closed(error);
  }
}

/** The id exactly as sent; undefined if it is invalid (null, a fraction, a boolean), which makes the message a notification. */
function exactId(id: unknown, text: string): Id | undefined {
  if (typeof id === "string") return id;
  if (typeof id !== "number" || !Number.isInteger(id)) return undefined;
  if (Number.isSafeInteger(id)) return id;
  const sources = new WeakMap<object, string>();
  const root: unknown = JSON.parse(text, function (this: object, key: string, value: unknown, context?: { source?: string }) {
    if (key === "id" && context?.source !== undefined) sources.set(this, context.source);
    return value;
  });
  const digits = sources.get(root as object);
  return digits !== undefined && /^-?\d+$/.test(digits) ? new BigId(digits) : undefined;
}

/** An error message that repeats invalid input must not grow with it. */
const maxMessage = 2000;
function errorToWire(error: RpcError): object {
  const message = error.message.length > maxMessage ? `${error.message.slice(0, maxMessage)}…` : error.message;
  return { code: error.code, message, ...(error.data === undefined ? {} : { data: error.data }) };
}

function errorFromWire(error: unknown): RpcError {
  const { code, message, data } = (typeof error === "object" && error !== null ? error : {}) as Record<string, unknown>;
  return new RpcError(typeof code === "number" ? code : -32603, typeof message === "string" ? message : "unreadable error", data);
}
