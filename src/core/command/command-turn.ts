/** What carrying out a command needs of its turn and of its thread. */
import type { EditThread, EditTurn } from "../edit/edit-turn.ts";
import type { ModelChoice } from "../ports/settings.ts";
import type { BackgroundTerminals } from "./background.ts";

export interface CommandThread extends EditThread {
  /** Its commands that run on in the background. */
  readonly terminals: BackgroundTerminals;
  /** Tokens that the model reads of one output. */
  outputLimit(of: ModelChoice): number;
}

export interface CommandTurn extends EditTurn {
  readonly thread: CommandThread;
  /** For what may come again and again in one turn. */
  warnOnce(message: string): void;
}
