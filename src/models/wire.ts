/** The interface of a vendor's wire, so that one HTTP client can serve them all. */
import type { IncomingHttpHeaders } from "node:http";
import type { ModelEvent, ModelFailure, ModelItem, ModelRequest } from "../core/ports/model-client.ts";
import type { CatalogEntry } from "./catalog.ts";

/** Things that a model or server may not support. Known from the catalogue, or learned from a refusal and then remembered for that model. */
export type Lack =
  | "images"
  | "tools"
  | "parallelToolCalls"
  | "reasoningEffort"
  | "reasoningSummary"
  | "reasoningContext"
  | "outputSchema"
  | "verbosity"
  | "streamOptions"
  | "encryptedReasoning"
  | "freeformTools"
  | "thinking"
  | "thinkingDisplay"
  /** Tool call ids of any form: Mistral's servers and templates require exactly nine letters or digits. */
  | "freeCallIds"
  /** Several tool calls in one message: the templates of some Llama models accept only one. */
  | "severalCalls"
  /** Consecutive user messages, with or without calls and results between them: alternating templates refuse them. */
  | "freeRoles"
  | "systemRole"
  | "cacheControl"
  | "maxTokens"
  | "hostedTools"
  | "pdf";
export type Lacks = ReadonlySet<Lack>;

/** A body in parts, for a connection that gets only what is new. */
export interface BodyParts {
  /** All fields but the two below, without the braces. */
  readonly settings: string;
  readonly tools: string;
  /** A field that changes with every request, which a connection therefore never leaves out. */
  readonly metadata?: () => string | undefined;
  readonly items: readonly string[];
  /** The serialized form of an answer's item in the next request; undefined: it is not sent. */
  readonly textOf: (item: ModelItem) => string | undefined;
}

export interface WireRequest {
  readonly body: string;
  readonly parts?: BodyParts;
  /** Headers that depend on the body. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The tools in the order of the body: refusals refer to them by index. */
  readonly toolNames: readonly string[];
  /** Whether this JSON is the answer, from a server that does not stream. */
  readonly isWholeAnswer?: (json: string) => boolean;
  /** Notes for the user about what was left out or changed. */
  readonly warnings: readonly string[];
  /** Parses the answer to this request. */
  readonly reader: EventReader;
}

/** Parses the events of one response. Stateful; used once. */
export interface EventReader {
  /** Adds the parsed events to `out`; true once the terminal event was added. Unreadable events are skipped. */
  read(data: string, event: string | undefined, out: ModelEvent[]): boolean;
  /** The stream ended without a terminal event: adds one. */
  end(out: ModelEvent[]): void;
}

export interface Wire {
  /** Appended to base_url. */
  readonly path: string;
  /** How a key is sent. */
  auth(key: string): Readonly<Record<string, string>>;
  headers(request: ModelRequest): Readonly<Record<string, string>>;
  encode(request: ModelRequest, model: CatalogEntry, lacks: Lacks): WireRequest;
  /** Events from the response headers (rate limits, a different model than requested). */
  headerEvents(request: ModelRequest, headers: IncomingHttpHeaders): readonly ModelEvent[];
  /** The features that the server may not support, derived from its refusal, most likely first; empty when it is about something else. */
  lacksFrom(failure: ModelFailure, request: ModelRequest): readonly Lack[];
}
