/** What a vendor's wire has to say for itself, so that one HTTP client can serve them all. */
import type { IncomingHttpHeaders } from "node:http";
import type { ModelEvent, ModelFailure, ModelItem, ModelRequest } from "../core/ports/model-client.ts";
import type { CatalogEntry } from "./catalog.ts";

/** Things a model or server may be unable to take. Known from the catalogue, or learnt from a refusal and then kept for that model. */
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
  /** Ids of tool calls of any form: Mistral's servers and templates want exactly nine letters or digits. */
  | "freeCallIds"
  /** Several tool calls in one message: the templates of some Llama models take one alone. */
  | "severalCalls"
  /** Messages of the user behind others of the user, with calls and their results between them or not: templates that alternate refuse them. */
  | "freeRoles"
  | "systemRole"
  | "cacheControl"
  | "maxTokens"
  | "hostedTools"
  | "pdf";
export type Lacks = ReadonlySet<Lack>;

/** A body in parts, for a connection that is sent only what it does not know yet. */
export interface BodyParts {
  /** All fields but the two below, without the braces. */
  readonly settings: string;
  readonly tools: string;
  readonly items: readonly string[];
  /** The text under which an item of the answer will stand among the items of the next request; undefined: it will not. */
  readonly textOf: (item: ModelItem) => string | undefined;
}

export interface WireRequest {
  readonly body: string;
  readonly parts?: BodyParts;
  /** Headers that follow from the body. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The tools in the order in which the body has them: refusals name them by number. */
  readonly toolNames: readonly string[];
  /** Whether this JSON is the answer, from a server that does not stream. */
  readonly isWholeAnswer?: (json: string) => boolean;
  /** What was left out or changed, for the user. */
  readonly warnings: readonly string[];
  /** Reads the answer to this very request. */
  readonly reader: EventReader;
}

/** Reads the events of one response. Has state; used once. */
export interface EventReader {
  /** Adds what the event means to `out`; true once the terminal event was added. Unreadable events are skipped. */
  read(data: string, event: string | undefined, out: ModelEvent[]): boolean;
  /** The stream is over without a terminal event: adds one. */
  end(out: ModelEvent[]): void;
}

export interface Wire {
  /** Appended to base_url. */
  readonly path: string;
  /** How a key is shown. */
  auth(key: string): Readonly<Record<string, string>>;
  headers(request: ModelRequest): Readonly<Record<string, string>>;
  encode(request: ModelRequest, model: CatalogEntry, lacks: Lacks): WireRequest;
  /** Events that the response headers hold (rate limits, another model than asked for). */
  greet(request: ModelRequest, headers: IncomingHttpHeaders): readonly ModelEvent[];
  /** What the server may have been unable to take, read from its refusal, the likeliest first; none when it is about something else. */
  lacksFrom(failure: ModelFailure, request: ModelRequest): readonly Lack[];
}
