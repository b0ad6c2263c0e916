/** A run: one conversation with a model inside a turn. The thread's own run, a review and a compaction differ only in these values. */
import type { ThreadItem } from "../../protocol/item.ts";
import { freshContext, instructionsFor } from "../context/context.ts";
import type { History } from "../context/history.ts";
import type { ModelItem } from "../ports/model-client.ts";
import type { ThreadSettings } from "../ports/settings.ts";
import type { Tool } from "../ports/tool.ts";
import type { RunTurn } from "./run-turn.ts";

export interface Run<T extends RunTurn = RunTurn> {
  /** The turn that owns its items, questions and commands; the turn's settings govern its tool calls. */
  readonly turn: T;
  /** Model, provider and effort of its requests. */
  readonly settings: ThreadSettings;
  readonly instructions: string;
  /** The history that its model sees. */
  readonly history: History;
  /** Whether that history is the thread's and therefore stored; a review's history ends with it. */
  readonly isThreads: boolean;
  /** Whether the model's messages are shown as the agent's. */
  readonly isVisible: boolean;
  /** For a conversation of its own beside the thread's: how providers are told apart from it. */
  readonly aside?: { readonly kind: "review" | "guardian"; readonly id: string };
  /** The thread's tools that are offered to its model. */
  readonly offers: (tool: Tool) => boolean;
  /** The messages that a history of this run begins with. */
  readonly context: () => Promise<readonly ModelItem[]>;
}

/** The thread's own run. It follows the thread's settings: a model chosen while it runs is used from the next request on. */
export function threadRun<T extends RunTurn>(turn: T): Run<T> {
  const { thread } = turn;
  const hasOverrides = Object.keys(turn.overrides).length > 0;
  return {
    turn,
    get settings() {
      return hasOverrides || turn.fallback !== undefined ? { ...thread.settings, ...turn.overrides, ...turn.fallback } : thread.settings;
    },
    get instructions() {
      return instructionsFor(thread);
    },
    history: thread.history,
    isThreads: true,
    isVisible: true,
    offers: () => true,
    context: () => {
      thread.seenContext.clear();
      return freshContext(thread);
    },
  };
}

/** Adds items to the history of this run's model. */
export async function remember(run: Run, items: readonly ModelItem[]): Promise<void> {
  if (run.isThreads) return await run.turn.items.addForModel(items);
  for (const item of items) run.history.add(item);
  run.turn.items.showRaw(items);
}

/** Completes an item that clients see, with its history items for the model. */
export async function completeItem(run: Run, item: ThreadItem, forModel: readonly ModelItem[] = []): Promise<void> {
  if (run.isThreads) return await run.turn.items.complete(item, forModel);
  await run.turn.items.complete(item);
  await remember(run, forModel);
}

/** Records a replaced history; `summary` is empty when items were only shortened. */
export async function recordHistory(run: Run, summary: string): Promise<void> {
  if (!run.isThreads) return;
  const { turn, history } = run;
  await turn.thread.record([{ type: "compacted", turnId: turn.id, summary, replacement: history.items }]);
}
