/** What an approval needs of the turn in which something is to be done, and of its thread. */
import type { HookedThread, HookedTurn } from "../hooks/hooked.ts";
import type { Channel } from "../ports/audience.ts";
import type { Ids } from "../ports/clock.ts";
import type { ThreadSettings } from "../ports/settings.ts";
import type { Grants } from "./grants.ts";

export interface ApprovalThread extends HookedThread {
  readonly grants: Grants;
}

export interface ApprovalTurn extends HookedTurn, Channel {
  readonly thread: ApprovalThread;
  /** The rules for what is done in it. */
  readonly settings: ThreadSettings;
  interrupt(): void;
}

/** A turn that may put a question of its own to the people who watch. */
export interface AskingTurn extends Channel {
  readonly id: string;
  readonly thread: {
    readonly id: string;
    /** False in non-interactive runs: nobody can answer. */
    readonly clients: { readonly isInteractive: boolean };
    readonly ports: { readonly ids: Pick<Ids, "item"> };
  };
}
