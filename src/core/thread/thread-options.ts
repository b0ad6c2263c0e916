/** What a live thread is made from: settings, what was stored of it, and the lock that its process holds. */
import type { ThreadTokenUsage } from "../../protocol/thread.ts";
import type { StartSource } from "../hooks/hook-state.ts";
import type { ModelItem } from "../ports/model-client.ts";
import type { Lease, ThreadMeta } from "../ports/thread-store.ts";
import type { LiveTurn } from "../turn/live-turn.ts";
import type { LiveSettingsOptions } from "./live-settings.ts";

export interface ThreadOptions extends LiveSettingsOptions {
  readonly meta: ThreadMeta;
  /** Kept in memory only: no file, not listed. */
  readonly ephemeral: boolean;
  /** The `source` for SessionStart hooks. */
  readonly startedBy?: StartSource | undefined;
  readonly history?: readonly ModelItem[];
  readonly usage?: ThreadTokenUsage | undefined;
  /** The provider's count of `history`. */
  readonly countedTokens?: number | undefined;
  readonly windows?: number;
  readonly name?: string | null;
  readonly preview?: string;
  readonly updatedAtMs?: number;
  /** Already stored: its first line is on disk. */
  readonly stored: boolean;
  readonly lease?: Lease | undefined;
  /** The User-Agent of requests to providers; by default it names the originator and this server. */
  readonly userAgent?: string | undefined;
  /** How its last stored turn ended, and the id of the last one with a message of the person. */
  readonly lastOutcome?: LiveTurn["outcome"];
  readonly lastTurnId?: string | undefined;
  /** Opened although another process holds it: turns are refused with this message. */
  readonly readOnlyBecause?: string | undefined;
}
