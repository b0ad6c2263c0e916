/** The parts of a run and its turn that keeping the history within the window needs. */
import type { Run } from "../model/run.ts";
import type { RunTurn } from "../model/run-turn.ts";
import type { ModelItem } from "../ports/model-client.ts";
import type { ModelChoice } from "../ports/settings.ts";

export interface CompactingTurn extends RunTurn {
  readonly thread: RunTurn["thread"] & { learnWindow(of: ModelChoice, tokens: number): void };
  /** The person's message that the turn began with, as the model sees it; empty once the model has answered. */
  readonly ownInput: readonly ModelItem[];
  readonly guard: RunTurn["guard"] & {
    /** The history's tokens after the last compaction of this turn. */
    compactedTo: number | undefined;
    /** A compaction failed in this turn, and there was enough room to continue without it. */
    cannotCompact: boolean;
    /** An overflow was recovered from; a second one in the same turn is final. */
    hasRecovered: boolean;
  };
}

export type CompactingRun = Run<CompactingTurn>;
