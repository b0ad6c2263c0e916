/** What the methods of the older API work with: the connection they serve and what they share on it. */
import type { Client } from "../../client/client.ts";
import type { ParamsOf, ResultOf } from "../../protocol/define.ts";
import type { ThreadStartResponse } from "../../protocol/thread.ts";
import type { v1Requests } from "../../protocol/v1/methods.ts";
import type { UndeliveredEvents } from "./undelivered-events.ts";

/** What the adapter needs of the connection it serves. */
export interface V1Edge {
  /** Another connection to the same server, in today's language. */
  connect(): Promise<Client>;
  notify(method: string, params: unknown): void;
  /** Asks the client itself; a refusal or a vanished client resolves to undefined. */
  ask(method: string, params: unknown): Promise<unknown>;
  readonly userAgent: string;
  authStatus(params: { includeToken: boolean; refreshToken: boolean }): Promise<ResultOf<(typeof v1Requests)["getAuthStatus"]>>;
  diffToRemote(cwd: string): Promise<{ sha: string; diff: string } | undefined>;
}

/** One subscription. */
export interface ConversationListener {
  readonly conversationId: string;
  /** It wants the model's items as they are, too. */
  readonly raw: boolean;
}

/** What the methods share. */
export interface V1Context extends V1Edge {
  readonly client: Client;
  /** Settings of the conversations opened here, for the events that repeat them. */
  readonly opened: Map<string, ThreadStartResponse>;
  readonly listeners: Map<string, ConversationListener>;
  /** Events of conversations that were opened here and that nobody listens to. */
  readonly undelivered: UndeliveredEvents;
  /** The running turn of each conversation. */
  readonly running: Map<string, string>;
  event(threadId: string, turnId: string, msg: { readonly type: string }): void;
}

export type V1Methods = {
  readonly [M in keyof typeof v1Requests]: (
    params: ParamsOf<(typeof v1Requests)[M]>,
    context: V1Context,
  ) => Promise<ResultOf<(typeof v1Requests)[M]>>;
};
