/** Port: all subscribers of a thread, as one. Who they are and how they are reached is up to the server. */
import type { ParamsOf } from "../../protocol/define.ts";
import type { ServerNotifications, ServerRequests } from "../../protocol/methods.ts";

/** How a question to the subscribers ended. Anything but "answered" counts as a no. */
export type Answer =
  /** `by` names the client that answered first, for the audit log and for the others. */
  | { readonly kind: "answered"; readonly result: unknown; readonly by: string }
  /** An error response: the person or the client declined. */
  | { readonly kind: "refused"; readonly message: string; readonly by: string }
  | { readonly kind: "timedOut" }
  /** No client that could answer is connected, or the last one on stdio disconnected. */
  | { readonly kind: "nobody" };

export interface Asking {
  /** Aborted when the answer is no longer wanted. */
  readonly signal: AbortSignal;
  /** Called with the answer before anybody is notified that the question has ended: an answer that counts must be stored by then. */
  readonly keep?: ((answer: Answer) => Promise<void>) | undefined;
}

/** The audience of one thread, for code that runs in it. */
export interface Channel {
  notify<M extends keyof ServerNotifications>(method: M, params: ParamsOf<ServerNotifications[M]>): void;
  /** Asks the thread's subscribers; the thread's status shows meanwhile what it is waiting for. */
  ask<M extends keyof ServerRequests>(method: M, params: ParamsOf<ServerRequests[M]>, signal?: AbortSignal): Promise<Answer>;
}

/** The message that a text belongs to. */
export type TextPlace = Pick<ParamsOf<ServerNotifications["item/agentMessage/delta"]>, "threadId" | "turnId" | "itemId">;

export interface Audience {
  /** Notifies every subscriber of the thread; `rawResponseItem/completed` and `rawResponse/completed` only those who requested them. */
  toThread<M extends keyof ServerNotifications>(threadId: string, method: M, params: ParamsOf<ServerNotifications[M]>): void;
  /** Pieces of a message's text that arrived together: a notification for each, as by `toThread`, and together cheaper to write. */
  textToThread(at: TextPlace, deltas: readonly string[]): void;
  /** Notifies only subscribers that use the documented protocol generation. */
  toOlder<M extends keyof ServerNotifications>(threadId: string, method: M, params: ParamsOf<ServerNotifications[M]>): void;
  /** Notifies every initialized connection. */
  toAll<M extends keyof ServerNotifications>(method: M, params: ParamsOf<ServerNotifications[M]>): void;
  /**
   * Asks every subscriber; the first answer wins and the others are notified with `serverRequest/resolved`. A subscriber that joins meanwhile is asked
   * under the same id. Contract: rejects only with the reason of an aborted `signal`, or as `keep` does.
   */
  ask<M extends keyof ServerRequests>(threadId: string, method: M, params: ParamsOf<ServerRequests[M]>, asking: Asking): Promise<Answer>;
  /** What was sent to the thread's subscribers leaves now, before the work that follows in this tick; or at its end, before anything that has arrived meanwhile. */
  hurry(threadId: string, when?: "now" | "atTickEnd"): void;
  isWatched(threadId: string): boolean;
  /** From here on nobody is notified of the thread here, and nobody is notified of that: it is another worker's. */
  forget(threadId: string): void;
  /** Resolves when the thread's slow subscribers have caught up; undefined when none is behind. */
  caughtUp(threadId: string): Promise<void> | undefined;
}
