/** Port: the user's notification program, set by the `notify` key. */
import type { Config } from "./config.ts";

export type Notice =
  | {
      readonly type: "agent-turn-complete";
      readonly threadId: string;
      readonly turnId: string;
      readonly cwd: string;
      /** The name that the client gave itself. */
      readonly client: string | undefined;
      readonly inputMessages: readonly string[];
      readonly lastAssistantMessage: string | null;
    }
  | { readonly type: "turn-failed"; readonly threadId: string; readonly turnId: string; readonly cwd: string; readonly message: string }
  | { readonly type: "approval-requested" | "input-requested"; readonly threadId: string; readonly cwd: string; readonly method: string };

export interface Notifier {
  /** Starts the program and does not wait for it; a failure is only logged. */
  notify(config: Config, notice: Notice): void;
}
