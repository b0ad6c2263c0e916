/** What the page knows, as plain immutable data. Names follow the wire; a "view" is the wire's thing plus what only a screen needs. */

import type { Decision, Project } from "../../../../src/manager/api/records.ts";
import type { ThreadItem, UserInput } from "../../../../src/protocol/item.ts";
import type { ServerNotification } from "../../../../src/protocol/methods.ts";
import type { ThreadTokenUsage } from "../../../../src/protocol/thread.ts";
import type { TurnError, TurnPlanStep } from "../../../../src/protocol/turn.ts";
import type { Actor, PendingRequest, QueuedMessage, SessionSummary } from "../../../../src/sessions/records.ts";
import {
  emptyView,
  type ThreadView as FoldedThread,
  type Notice,
  type PlanView,
  type TurnView,
} from "../../../../src/sessions/thread-view.ts";

export type {
  Actor,
  Decision,
  Notice,
  PendingRequest,
  PlanView,
  Project,
  QueuedMessage,
  SessionSummary,
  ThreadItem,
  ThreadTokenUsage,
  TurnError,
  TurnPlanStep,
  TurnView,
  UserInput,
};
export type ItemOf<T extends ThreadItem["type"]> = Extract<ThreadItem, { type: T }>;

/** A picture or a text file that goes along with a message. */
export type Attachment =
  | { readonly id: string; readonly kind: "image"; readonly name: string; readonly url: string }
  | { readonly id: string; readonly kind: "text"; readonly name: string; readonly text: string };

/** A message that left the composer and is not yet part of the transcript. */
export interface OutgoingMessage {
  readonly messageId: string;
  readonly sessionId: string;
  readonly input: readonly UserInput[];
  readonly text: string;
  readonly delivery: "auto" | "steer" | "queue";
  readonly overrides: MessageOverrides;
  /** `offline` is tried again by itself; `failed` was refused and waits for the person. */
  readonly state: "sending" | "accepted" | "offline" | "failed";
  readonly problem: string | null;
}

export interface MessageOverrides {
  readonly model?: string;
  readonly effort?: string;
  readonly approvalPolicy?: "untrusted" | "on-failure" | "on-request" | "never";
  readonly filesystemSandbox?: "read-only" | "workspace-write" | "danger-full-access";
  readonly networkAccess?: "restricted" | "enabled";
  readonly mode?: "default" | "plan";
}

/** The thread as the fold has it, and what only this page knows of it. */
export interface ThreadView extends FoldedThread {
  readonly id: string;
  /** Where older turns start; null when all are here. */
  readonly olderCursor: string | null;
  readonly queue: readonly QueuedMessage[];
  /** The number of the event that told of the queue last. */
  readonly queueSeq: number;
  /** Events up to this number are contained. */
  readonly seq: number;
  /** False until the first page is here. */
  readonly loaded: boolean;
  /** Events that arrive before the first page, or while it is read again: the answer may be older than they are. */
  readonly early: readonly EarlyEvent[];
  /** How often it is being read at the moment. */
  readonly reading: number;
}

export interface EarlyEvent {
  readonly seq: number;
  readonly message: ServerNotification;
}

export interface PendingView extends PendingRequest {
  /** Where this page's own answer is. Only the server's event ends a request. */
  readonly answer: "none" | "sending" | "accepted" | "elsewhere";
  readonly problem: string | null;
}

export interface AppState {
  readonly phase: "starting" | "signedOut" | "ready";
  /** Why this browser was signed out, where there is more to say than that. */
  readonly signedOutBecause: string | null;
  readonly link: "connecting" | "online" | "offline";
  readonly engine: { readonly running: boolean; readonly reason: string | null };
  readonly sessions: ReadonlyMap<string, SessionSummary>;
  readonly archived: ReadonlyMap<string, SessionSummary>;
  /** The number of the last event that told of each session: an answer from before it is out of date. */
  readonly toldOf: ReadonlyMap<string, number>;
  /** Whether the list has been read to its end. */
  readonly listComplete: boolean;
  readonly projects: readonly Project[];
  readonly pending: ReadonlyMap<string, PendingView>;
  /** The last requests that ended, newest first. */
  readonly resolved: readonly Decision[];
  /** What was decided in the sessions that are open, oldest first. */
  readonly decisions: ReadonlyMap<string, readonly Decision[]>;
  readonly threads: ReadonlyMap<string, ThreadView>;
  readonly outbox: readonly OutgoingMessage[];
  /** Sessions with something the person has not looked at. */
  readonly unread: ReadonlySet<string>;
  readonly openSession: string | null;
}

export const emptyState: AppState = {
  phase: "starting",
  signedOutBecause: null,
  link: "connecting",
  engine: { running: true, reason: null },
  sessions: new Map(),
  archived: new Map(),
  toldOf: new Map(),
  listComplete: false,
  projects: [],
  pending: new Map(),
  resolved: [],
  decisions: new Map(),
  threads: new Map(),
  outbox: [],
  unread: new Set(),
  openSession: null,
};

export const emptyThread = (id: string): ThreadView => ({
  ...emptyView,
  id,
  olderCursor: null,
  queue: [],
  queueSeq: 0,
  seq: 0,
  loaded: false,
  early: [],
  reading: 0,
});

/** A copy of a map with one entry set or, for undefined, removed. */
export function withEntry<K, V>(map: ReadonlyMap<K, V>, key: K, value: V | undefined): ReadonlyMap<K, V> {
  const copy = new Map(map);
  if (value === undefined) copy.delete(key);
  else copy.set(key, value);
  return copy;
}
