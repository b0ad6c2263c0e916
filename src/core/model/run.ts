/** A run: one conversation with a model inside a turn. The thread's own, a review beside it and the compaction of either differ in these values alone. */
import type { ThreadItem } from "../../protocol/item.ts";
import { freshContext, instructionsFor } from "../context/context.ts";
import type { History } from "../context/history.ts";
import type { ModelItem } from "../ports/model-client.ts";
import type { ThreadSettings } from "../ports/settings.ts";
import type { Tool } from "../ports/tool.ts";
import type { RunTurn } from "./run-turn.ts";

export interface Run<T extends RunTurn = RunTurn> {
  /** Where its items, questions and commands belong; the turn's settings are the rules for its tool calls. */
  readonly turn: T;
  /** Model, provider and effort of its requests. */
  readonly settings: ThreadSettings;
  readonly instructions: string;
  /** What its model sees. */
  readonly history: History;
  /** Whether that history is the thread's and so kept in the store; that of a review ends with it. */
  readonly isThreads: boolean;
  /** Whether the model's messages are shown as the agent's. */
  readonly isVisible: boolean;
  /** Which of the thread's tools its model is offered. */
  readonly offers: (tool: Tool) => boolean;
  /** The messages that a history of this run begins with. */
  readonly context: () => Promise<readonly ModelItem[]>;
}

/** The thread's own run. It follows the thread's settings: a model that is chosen while it works is asked from the next request on. */
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

/** Adds to what the model of this run sees. */
export async function remember(run: Run, items: readonly ModelItem[]): Promise<void> {
  if (run.isThreads) return await run.turn.items.addForModel(items);
  for (const item of items) run.history.add(item);
  run.turn.items.showRaw(items);
}

/** Completes an item that clients see, with what the model sees of it. */
export async function completeItem(run: Run, item: ThreadItem, forModel: readonly ModelItem[] = []): Promise<void> {
  if (run.isThreads) return await run.turn.items.complete(item, forModel);
  await run.turn.items.complete(item);
  await remember(run, forModel);
}

/** Records a history that begins anew; `summary` is empty when items were only shortened. */
export async function recordHistory(run: Run, summary: string): Promise<void> {
  if (!run.isThreads) return;
  const { turn, history } = run;
  await turn.thread.record([{ type: "compacted", turnId: turn.id, summary, replacement: history.items }]);
}
