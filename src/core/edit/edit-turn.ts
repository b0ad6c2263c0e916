/** The parts of a turn and its thread that an edit needs. */
import type { ApprovalThread, ApprovalTurn } from "../approval/approval-turn.ts";
import type { Outcomes } from "../approval/outcomes.ts";
import type { ItemSink } from "../hooks/hooked.ts";
import type { CorePorts } from "../ports/core-ports.ts";
import type { TurnEdits } from "./turn-edits.ts";

export interface EditThread extends ApprovalThread {
  readonly ports: CorePorts;
  readonly clients: ApprovalThread["clients"] & { readonly dynamicTools: readonly unknown[] };
  /** Checkers that took too long after an edit and are no longer used. */
  readonly slowCheckers: Set<string>;
}

export interface EditTurn extends ApprovalTurn {
  readonly thread: EditThread;
  readonly items: ItemSink;
  readonly outcomes: Outcomes;
  readonly edits: TurnEdits;
}
