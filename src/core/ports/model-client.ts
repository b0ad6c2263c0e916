/** Port: one request to a language model of any vendor. */
import type { PlanType } from "../../protocol/account.ts";
import type { ResponseItem } from "../../protocol/model-item.ts";
import type { ProviderConfig } from "./config.ts";

/** What the model sees and says, in the Responses format that rollouts also use. */
export type ModelItem = ResponseItem;

export type JsonObject = { readonly [key: string]: unknown };

/** A tool as it is offered to the model. */
export type ToolSpec =
  | {
      readonly type: "function";
      readonly name: string;
      readonly description: string;
      readonly parameters: JsonObject;
      readonly strict?: boolean;
    }
  /** Free text constrained by a grammar; wires without it get the same tool as a function. */
  | { readonly type: "custom"; readonly name: string; readonly description: string; readonly format: JsonObject }
  | { readonly type: "namespace"; readonly name: string; readonly description: string; readonly tools: readonly ToolSpec[] }
  /** Run by the provider itself: offered only where `ModelInfo.hosted` lists it, and left out on wires without such tools. */
  | { readonly type: "web_search"; readonly options?: JsonObject }
  | { readonly type: "web_fetch"; readonly options?: JsonObject };

export interface ModelRequest {
  readonly threadId: string;
  readonly turnId: string;
  readonly model: string;
  /** The base prompt. */
  readonly instructions: string;
  readonly input: readonly ModelItem[];
  readonly tools: readonly ToolSpec[];
  readonly parallelToolCalls: boolean;
  /** "none": the tools stay in the request because they are part of the cached prefix, but the model must answer with text. Default: "auto". */
  readonly toolChoice?: "auto" | "none";
  readonly effort: string | undefined;
  readonly summary: string | undefined;
  readonly verbosity: string | undefined;
  readonly serviceTier: string | undefined;
  /** Constrains the final message of this turn. */
  readonly outputSchema: unknown;
  /** `clientInfo.name` of the client that started the thread, sanitized; sent upstream as `originator`. */
  readonly originator: string;
  readonly userAgent: string;
  /** Undefined for requests that belong to no thread. */
  readonly metadata?: RequestMetadata;
}

/** The place of a request among others, and what the client wants its provider to record; sent only on wires that have a field for it. */
export interface RequestMetadata {
  readonly kind: "turn" | "compaction" | "prewarm";
  /** The thread that the person opened: a sub-agent's session is that of its first ancestor. */
  readonly sessionId: string;
  /** Not the thread's own id in a review, which is a conversation of its own. */
  readonly threadId: string;
  readonly parentThreadId: string | undefined;
  readonly forkedFromId: string | undefined;
  /** Which kind of sub-agent asks; undefined for a person's thread. */
  readonly subAgent: string | undefined;
  readonly threadSource: string | undefined;
  /** How often the history was replaced by a summary before this request. */
  readonly window: number;
  readonly sandboxMode: string;
  readonly startedAtMs: number;
  readonly ofClient: Readonly<Record<string, string>>;
}

export interface TokenUsage {
  /** All input: fresh, read from the provider's cache, and written to it. */
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  /** The part of the input that the provider wrote to its cache, priced separately; absent where it is not reported. */
  readonly cacheWriteInputTokens?: number;
  readonly outputTokens: number;
  readonly reasoningOutputTokens: number;
  readonly totalTokens: number;
}

export interface RateLimitWindow {
  readonly usedPercent: number;
  readonly windowDurationMins: number | null;
  readonly resetsAt: number | null;
}
export interface RateLimits {
  readonly primary: RateLimitWindow | null;
  readonly secondary: RateLimitWindow | null;
  readonly planType?: PlanType | null;
}

export type ModelFailureKind =
  | "contextWindowExceeded"
  | "usageLimitExceeded"
  /** The provider classified the request as a cyber attack. */
  | "cyberPolicy"
  | "modelNotFound"
  /** The provider has no room for this model right now. */
  | "serverOverloaded"
  | "rateLimitExceeded"
  /** No room for requests at the lower price. */
  | "flexUnavailable"
  /** The request could not be sent at all. */
  | "httpConnectionFailed"
  /** Sent, but no stream came back. */
  | "responseStreamConnectionFailed"
  /** The stream ended before it was complete. */
  | "responseStreamDisconnected"
  | "badRequest"
  | "unauthorized"
  | "internalServerError"
  | "other";

export interface ModelFailure {
  readonly kind: ModelFailureKind;
  /** For the user: says what failed and, if possible, what to do. Never contains a key. */
  readonly message: string;
  readonly httpStatus?: number;
  readonly details?: string;
  /** It arrived as an event inside a stream that had begun. */
  readonly begun?: boolean;
  /** Whether a retry may succeed, and how long the provider asked to wait. */
  readonly retry: false | { readonly afterMs?: number };
}

/** The most calls of one answer that are parsed and run; no normal answer has as many. */
export const maxCalls = 128;

export type ModelEvent =
  | { readonly type: "created"; readonly responseId: string }
  /** A new output item; text items begin empty. */
  | { readonly type: "itemStarted"; readonly item: ModelItem; readonly itemId: string }
  | { readonly type: "textDelta"; readonly itemId: string; readonly delta: string }
  | { readonly type: "summaryPartAdded"; readonly itemId: string; readonly index: number }
  | { readonly type: "summaryDelta"; readonly itemId: string; readonly index: number; readonly delta: string }
  | { readonly type: "reasoningDelta"; readonly itemId: string; readonly index: number; readonly delta: string }
  /** Arguments or free-form input of a tool call as they are written; for previews only. */
  | { readonly type: "toolInputDelta"; readonly itemId: string; readonly delta: string }
  | { readonly type: "itemDone"; readonly item: ModelItem; readonly itemId: string }
  /** How many calls exceeded the limit for one answer; no other event mentions them. */
  | { readonly type: "callsLeftOut"; readonly count: number }
  | { readonly type: "rateLimits"; readonly rateLimits: RateLimits }
  /** The provider answered with a different model than requested. */
  | { readonly type: "rerouted"; readonly model: string }
  /** Part of the request could not be sent on this wire, or the provider sent a notice for people. */
  | { readonly type: "warning"; readonly message: string }
  | {
      readonly type: "completed";
      readonly responseId: string;
      readonly usage: TokenUsage | undefined;
      /** The model has more to say and asks for another request, though it calls no tool. */
      readonly goesOn?: boolean;
      readonly cut?: OutputCut;
    }
  | { readonly type: "failed"; readonly failure: ModelFailure };

/**
 * The answer ended at the output limit. Calls whose arguments were cut are items of the answer with empty input (`{}`; free-form ones: no
 * text); they must not be run, but answered with a note that they were cut.
 */
export interface OutputCut {
  readonly callIds: readonly string[];
  /** The limit, where it is known. */
  readonly maxOutputTokens: number | undefined;
}

export interface ModelClient {
  /**
   * Streams one model response as batches, one for each piece that arrived from the network.
   * Contract: the last event is `completed` or `failed`, exactly one of them; a provider's failure is never thrown.
   * An aborted `signal` rejects with its reason and closes the connection. Retrying is the caller's business.
   */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<readonly ModelEvent[]>;
  /**
   * Sends the beginning of a thread's next request to a provider that supports it, so that the answer comes sooner. Costs nothing where that
   * is not possible, produces no answer, and never rejects.
   */
  warmUp?(request: ModelRequest, signal: AbortSignal): Promise<void>;
}

/** Finds the client for a provider; one per provider settings, kept with its connection pool. */
export interface ModelClients {
  clientFor(provider: ProviderConfig): ModelClient;
}

export interface ModelInfo {
  readonly id: string;
  readonly displayName: string;
  readonly description: string;
  readonly provider: string | undefined;
  readonly contextWindow: number;
  readonly maxOutputTokens: number | undefined;
  readonly efforts: readonly { readonly effort: string; readonly description: string }[];
  readonly defaultEffort: string | undefined;
  readonly supportsReasoningSummaries: boolean;
  readonly supportsParallelToolCalls: boolean;
  readonly supportsImages: boolean;
  readonly hidden: boolean;
  readonly isDefault: boolean;
  /** The shell tool it was trained on; "all" when unknown. */
  readonly shellTool: "exec_command" | "shell_command" | "shell" | "all";
  readonly applyPatch: "freeform" | "function" | "none";
  /** How it edits files best: with patches, or by replacing one text with another. */
  readonly edit: "patch" | "replace";
  /** The tools for sub-agents it was trained on: agents by id, or by path with a mailbox. */
  readonly agentTools: "v1" | "v2";
  /** A PDF is sent as an `input_image` whose data URL has the type application/pdf. */
  readonly supportsPdf: boolean;
  /** Tools that the provider in use runs itself for this model. */
  readonly hosted: { readonly webSearch: boolean; readonly webFetch: boolean };
  /** The provider in use compacts a history itself when its last item is `compaction_trigger`; the answer contains a `compaction` item. */
  readonly compactsRemotely: boolean;
  readonly imageLimits: ImageLimits;
  /** The source of the window's size; "default" is a guess that a person should be warned about. */
  readonly windowFrom: "catalogue" | "provider" | "config" | "default";
  /** The model that its vendor recommends instead. */
  readonly upgrade?: string;
  readonly serviceTiers?: readonly { readonly id: string; readonly name: string; readonly description: string }[];
  readonly defaultServiceTier?: string;
}

/** A provider's limits for one image; a larger one makes it refuse the whole request. */
export interface ImageLimits {
  /** Of the base64 text. */
  readonly maxBytes: number;
  /** The longest accepted side, in pixels. */
  readonly maxSide: number;
  /** The longest side, in pixels, that the provider does not scale down itself: more only costs upload time. */
  readonly bestSide: number;
}

/** USD for a million tokens. */
export interface ModelPrice {
  readonly input: number;
  readonly cachedInput: number;
  readonly cacheWrite: number;
  readonly output: number;
}

/** Facts about models, from the bundled catalogue and the providers' own lists. */
export interface ModelCatalog {
  /**
   * Never undefined: an unknown name gets cautious defaults and `known: false`. The same model differs from provider to provider (window,
   * images, hosted tools); without one, its vendor's values are used.
   */
  find(model: string, provider?: ProviderConfig): ModelInfo & { readonly known: boolean };
  /**
   * Asks a provider for facts about a model that the catalogue does not have: every local server, and unknown models of others. To be
   * awaited before a turn; undefined when nothing needs to be asked. Rejects only for the signal.
   */
  prepare(model: string, provider: ProviderConfig, signal: AbortSignal): Promise<void> | undefined;
  /** undefined: unknown. */
  price(model: string, providerId?: string): ModelPrice | undefined;
  list(): readonly ModelInfo[];
  /** Asks the provider in use for its own list. Resolves when it has answered or failed; cheap when asked again soon. */
  refresh(): Promise<void>;
}
