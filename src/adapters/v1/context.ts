/** What the v1 methods work with: the connection they serve and the state they share on it. */
import type { Client } from "../../client/client.ts";
import type { ParamsOf, ResultOf } from "../../protocol/define.ts";
import type { ThreadStartResponse } from "../../protocol/thread.ts";
import type { v1Requests } from "../../protocol/v1/methods.ts";
import type { UndeliveredEvents } from "./undelivered-events.ts";

/** What the adapter needs from the connection it serves. */
export interface V1Edge {
  /** Opens another connection to the same server, using the current protocol. */
  connect(): Promise<Client>;
  notify(method: string, params: unknown): void;
  /** Sends a request to the client; resolves to undefined if the client refuses or disconnects. */
  ask(method: string, params: unknown): Promise<unknown>;
  readonly userAgent: string;
  authStatus(params: { includeToken: boolean; refreshToken: boolean }): Promise<ResultOf<(typeof v1Requests)["getAuthStatus"]>>;
  diffToRemote(cwd: string): Promise<{ sha: string; diff: string } | undefined>;
}

/** One subscription. */
export interface ConversationListener {
  readonly conversationId: string;
  /** Also send the model's raw items. */
  readonly raw: boolean;
}

/** State shared by the methods. */
export interface V1Context extends V1Edge {
  readonly client: Client;
  /** Settings of the conversations opened on this connection, for the events that repeat them. */
  readonly opened: Map<string, ThreadStartResponse>;
  readonly listeners: Map<string, ConversationListener>;
  /** Events of conversations that were opened on this connection and have no listener. */
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
