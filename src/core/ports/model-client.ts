/** Port: one request to a language model of any vendor. */
import type { PlanType } from "../../protocol/account.ts";
import type { ResponseItem } from "../../protocol/model-item.ts";
import type { ProviderConfig } from "./config.ts";

/** What the model sees and says: the Responses shape, which rollouts hold too. Other wires convert to and from it. */
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
  /** Free text under a grammar; wires without it get the function form of the same tool. */
  | { readonly type: "custom"; readonly name: string; readonly description: string; readonly format: JsonObject }
  | { readonly type: "namespace"; readonly name: string; readonly description: string; readonly tools: readonly ToolSpec[] }
  /** Run by the provider itself; left out on wires that have none. */
  | { readonly type: "web_search"; readonly options?: JsonObject };

export interface ModelRequest {
  readonly threadId: string;
  readonly turnId: string;
  readonly model: string;
  /** The base prompt. */
  readonly instructions: string;
  readonly input: readonly ModelItem[];
  readonly tools: readonly ToolSpec[];
  readonly parallelToolCalls: boolean;
  readonly effort: string | undefined;
  readonly summary: string | undefined;
  readonly verbosity: string | undefined;
  readonly serviceTier: string | undefined;
  /** Constrains the final message of this turn. */
  readonly outputSchema: unknown;
  /** `clientInfo.name` of who started the thread, cleaned; goes upstream as `originator`. */
  readonly originator: string;
  readonly userAgent: string;
}

export interface TokenUsage {
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
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
  /** For the user: says what failed and, where it can, what to do. Never holds a key. */
  readonly message: string;
  readonly httpStatus?: number;
  readonly details?: string;
  /** It came as an event inside a stream that had begun. */
  readonly begun?: boolean;
  /** Whether the same request may succeed when sent again, and how long the provider asked to wait. */
  readonly retry: false | { readonly afterMs?: number };
}

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
  | { readonly type: "rateLimits"; readonly rateLimits: RateLimits }
  /** The provider answered with another model than the one asked for. */
  | { readonly type: "rerouted"; readonly model: string }
  /** Something of the request could not be carried by this wire, or the provider said something a person should read. */
  | { readonly type: "warning"; readonly message: string }
  /** `goesOn`: the model has more to say and wants to be asked again, though it calls no tool. */
  | { readonly type: "completed"; readonly responseId: string; readonly usage: TokenUsage | undefined; readonly goesOn?: boolean }
  | { readonly type: "failed"; readonly failure: ModelFailure };

export interface ModelClient {
  /**
   * Streams one model response as batches, one for each piece that arrived from the network.
   * Contract: the last event is `completed` or `failed`, exactly one of them; a provider's failure is never thrown.
   * An aborted `signal` rejects with its reason and closes the connection. Retrying is the caller's business.
   */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<readonly ModelEvent[]>;
}

/** Finds the client for a provider; one for each provider's settings, kept with its connection pool. */
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
  /** Which shell tool it was trained on. An unknown model is offered the full set. */
  readonly shellTool: "exec_command" | "shell_command" | "shell" | "all";
  readonly applyPatch: "freeform" | "function" | "none";
  /** The model its maker recommends instead. */
  readonly upgrade?: string;
  readonly serviceTiers?: readonly { readonly id: string; readonly name: string; readonly description: string }[];
  readonly defaultServiceTier?: string;
}

/** What is known of models, from the bundled catalogue and the providers' own lists. */
export interface ModelCatalog {
  /** Never undefined: an unknown name gets cautious defaults and `known: false`. */
  find(model: string): ModelInfo & { readonly known: boolean };
  list(): readonly ModelInfo[];
  /** Asks the provider in use for its own list. Resolves when it has answered or failed; cheap when asked again soon. */
  refresh(): Promise<void>;
}
