/** The parts of a turn and its thread that an approval needs. */
import type { HookedThread, HookedTurn } from "../hooks/hooked.ts";
import type { ReviewedAction, ReviewVerdict } from "../ports/approval-review.ts";
import type { Channel } from "../ports/audience.ts";
import type { Ids } from "../ports/clock.ts";
import type { ThreadSettings } from "../ports/settings.ts";
import type { DeniedActions } from "./denied-actions.ts";
import type { Grants } from "./grants.ts";
import type { ReviewTally } from "./review-tally.ts";

export interface ApprovalThread extends HookedThread {
  readonly grants: Grants;
  /** What the automatic review denied. */
  readonly denied: DeniedActions;
  /** False in non-interactive runs: nobody can answer. */
  readonly clients: { readonly isInteractive: boolean };
}

export interface ApprovalTurn extends HookedTurn, Channel {
  readonly thread: ApprovalThread;
  /** The settings that govern its actions. */
  readonly settings: ThreadSettings;
  readonly questions: CallQuestions;
  /** How the turn's automatic reviews ended. */
  readonly reviews: ReviewTally;
  /** Asks the automatic reviewer. */
  review(action: ReviewedAction, itemId: string): Promise<ReviewVerdict>;
  interrupt(): void;
}

/** What is recorded of a call, so that another process can put its question again. */
export interface CallQuestions {
  /** Whether a process that died has asked about the call: then a person decides, whatever the policy allows by now. */
  isRevived(callId: string): boolean;
  /** Call before an action starts that must not start twice. Rejects with QuestionsUnwritten; the action must not start then. */
  begin(callId: string): Promise<void>;
}

/** A turn that may ask the subscribers a question of its own. */
export interface AskingTurn extends Channel {
  readonly id: string;
  readonly thread: {
    readonly id: string;
    /** False in non-interactive runs: nobody can answer. */
    readonly clients: { readonly isInteractive: boolean };
    readonly ports: { readonly ids: Pick<Ids, "item"> };
  };
}
