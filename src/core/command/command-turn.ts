/** The parts of a turn and its thread that running a command needs. */
import type { EditThread, EditTurn } from "../edit/edit-turn.ts";
import type { ModelChoice } from "../ports/settings.ts";
import type { BackgroundTerminals } from "./background.ts";

export interface CommandThread extends EditThread {
  /** Its background commands. */
  readonly terminals: BackgroundTerminals;
  /** The most tokens of one output that the model reads. */
  outputLimit(of: ModelChoice): number;
}

export interface CommandTurn extends EditTurn {
  readonly thread: CommandThread;
  /** Whether it has ended: its background commands may outlive it, and nobody is asked about them any more. */
  readonly isOver: boolean;
  /** For warnings that could repeat within one turn. */
  warnOnce(message: string): void;
}
