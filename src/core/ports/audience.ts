/** Port: everybody who listens to a thread, as one. Who they are and how they are reached is the server's business. */
import type { ParamsOf } from "../../protocol/define.ts";
import type { ServerNotifications, ServerRequests } from "../../protocol/methods.ts";

/** How a question to the people ended. Anything but "answered" counts as a no. */
export type Answer =
  /** `by` names the client that answered first, for the audit and for the others. */
  | { readonly kind: "answered"; readonly result: unknown; readonly by: string }
  /** An error answer: the person or the client would not. */
  | { readonly kind: "refused"; readonly message: string; readonly by: string }
  | { readonly kind: "timedOut" }
  /** No client that could answer is there, or the last one on stdio went away. */
  | { readonly kind: "nobody" };

/** The audience of one thread, for those who work in it. */
export interface Channel {
  notify<M extends keyof ServerNotifications>(method: M, params: ParamsOf<ServerNotifications[M]>): void;
  /** Asks the people who watch the thread; the thread shows what it waits for meanwhile. */
  ask<M extends keyof ServerRequests>(method: M, params: ParamsOf<ServerRequests[M]>, signal?: AbortSignal): Promise<Answer>;
}

export interface Audience {
  /** To every subscriber of the thread; `rawResponseItem/completed` and `rawResponse/completed` only to those who asked for them. */
  toThread<M extends keyof ServerNotifications>(threadId: string, method: M, params: ParamsOf<ServerNotifications[M]>): void;
  /** To the subscribers that speak the documents' generation only. */
  toOlder<M extends keyof ServerNotifications>(threadId: string, method: M, params: ParamsOf<ServerNotifications[M]>): void;
  /** To every initialized connection. */
  toAll<M extends keyof ServerNotifications>(method: M, params: ParamsOf<ServerNotifications[M]>): void;
  /**
   * Asks every subscriber; the first answer wins and the others hear `serverRequest/resolved`. Whoever joins the thread meanwhile is asked
   * under the same id. Contract: never rejects except with the reason of an aborted `signal`.
   */
  ask<M extends keyof ServerRequests>(
    threadId: string,
    method: M,
    params: ParamsOf<ServerRequests[M]>,
    signal: AbortSignal,
  ): Promise<Answer>;
  isWatched(threadId: string): boolean;
  /** Resolves when slow readers of the thread have caught up; undefined when nobody is behind. */
  caughtUp(threadId: string): Promise<void> | undefined;
}
