/** The parts of a turn and its thread that a conversation with a model needs. */
import type { ThreadItem } from "../../protocol/item.ts";
import type { ThreadTokenUsage } from "../../protocol/thread.ts";
import type { AskingTurn } from "../approval/approval-turn.ts";
import type { ContextThread } from "../context/context.ts";
import type { History } from "../context/history.ts";
import type { HookedThread, MomentTurn } from "../hooks/hooked.ts";
import type { ProviderConfig } from "../ports/config.ts";
import type { CorePorts } from "../ports/core-ports.ts";
import type { ModelItem, TokenUsage } from "../ports/model-client.ts";
import type { ModelChoice, ThreadSettings } from "../ports/settings.ts";
import type { ThreadRecord } from "../ports/thread-store.ts";

export interface RunThread extends HookedThread, ContextThread {
  readonly ports: CorePorts;
  readonly settings: ThreadSettings;
  readonly config: HookedThread["config"];
  readonly history: History;
  readonly usage: ThreadTokenUsage;
  /** Kept in memory only; `kept` has the records that would be on disk. */
  readonly ephemeral: boolean;
  readonly kept: readonly ThreadRecord[];
  readonly clients: {
    readonly dynamicTools: readonly unknown[];
    readonly userAgent: string;
    readonly isInteractive: boolean;
    readonly refusesTour: boolean;
  };
  provider(of: ModelChoice): ProviderConfig;
  countTokens(last: TokenUsage): void;
  /** Writes records in order; resolves when they would survive a crash of this process. */
  record(records: readonly ThreadRecord[]): Promise<void>;
}

export interface RunItems {
  readonly all: readonly ThreadItem[];
  /** Ends an item for subscribers; it becomes part of neither the turn nor the thread. */
  abandon(item: ThreadItem): void;
  /** For subscribers of raw items. */
  showRaw(items: readonly ModelItem[]): void;
  /** An answer of the model is over, for subscribers of raw items. */
  notifyAnswered(responseId: string, usage: TokenUsage | undefined): void;
}

export interface RunTurn extends MomentTurn, AskingTurn {
  readonly thread: RunThread;
  /** The settings that govern its tool calls. */
  readonly settings: ThreadSettings;
  readonly outputSchema: unknown;
  readonly startedAtMs: number;
  /** What the client wants the provider to record with the turn's requests. */
  readonly clientMetadata: Readonly<Record<string, string>>;
  /** Settings for this turn only, in place of the thread's. */
  readonly overrides: Partial<ThreadSettings>;
  readonly items: MomentTurn["items"] & RunItems;
  readonly guard: { countRequest(): void };
  /** What may turn out to be the turn's last announcement, once it is stored: `told` waits for it. */
  tellLast(told: Promise<void>): void;
  /** For what no client waits for: done when the turn's end was announced, or before its next request. */
  postpone(work: () => void): void;
  catchUp(): void;
  /** Notified when the model is about to run a command. */
  readonly edits: { readonly snapshot: { expectCommand(): void } };
  lastAgentMessage: string | null;
  /** The fallback model that replaces an overloaded one until the turn ends. */
  fallback: ModelChoice | undefined;
}
