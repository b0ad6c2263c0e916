/** What the page knows, as plain immutable data. Names follow the wire; a "view" is the wire's object plus what only a screen needs. */

import type { Decision, Project } from "../../../../src/manager/api/records.ts";
import type { ThreadItem, UserInput } from "../../../../src/protocol/item.ts";
import type { ServerNotification } from "../../../../src/protocol/methods.ts";
import type { ThreadTokenUsage } from "../../../../src/protocol/thread.ts";
import type { TurnError, TurnPlanStep } from "../../../../src/protocol/turn.ts";
import type { Actor, FilesOnRollback, PendingRequest, QueuedMessage, SessionSummary } from "../../../../src/sessions/records.ts";
import {
  emptyView,
  type ThreadView as FoldedThread,
  type Notice,
  type PlanView,
  type TurnView,
} from "../../../../src/sessions/thread-view.ts";
import type { Goal, Section, TimelineEntry } from "../connection/more-calls.ts";

export type {
  Actor,
  Decision,
  FilesOnRollback,
  Goal,
  Notice,
  PendingRequest,
  PlanView,
  Project,
  QueuedMessage,
  Section,
  SessionSummary,
  ThreadItem,
  ThreadTokenUsage,
  TimelineEntry,
  TurnError,
  TurnPlanStep,
  TurnView,
  UserInput,
};
export type ItemOf<T extends ThreadItem["type"]> = Extract<ThreadItem, { type: T }>;

/** A picture or text file attached to a message. */
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
  /** `offline` is retried automatically; `failed` was refused and waits for the user. */
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

/** The folded thread, and what only this page knows about it. */
export interface ThreadView extends FoldedThread {
  readonly id: string;
  /** The cursor for older turns; null if all are loaded. */
  readonly olderCursor: string | null;
  readonly queue: readonly QueuedMessage[];
  /** The number of the last event about the queue. */
  readonly queueSeq: number;
  /** Events up to this number are included. */
  readonly seq: number;
  /** False until the first page is loaded. */
  readonly loaded: boolean;
  /** Events that arrive before the first page, or while it is reloaded: the response may be older than they are. */
  readonly early: readonly EarlyEvent[];
  /** The number of loads in progress. */
  readonly reading: number;
}

export interface EarlyEvent {
  readonly seq: number;
  readonly message: ServerNotification;
}

export interface PendingView extends PendingRequest {
  /** The state of this page's own answer. Only the server's event ends a request. */
  readonly answer: "none" | "sending" | "accepted" | "elsewhere";
  readonly problem: string | null;
}

export interface AppState {
  readonly phase: "starting" | "signedOut" | "ready";
  /** Why this browser was signed out, if there is a specific reason. */
  readonly signedOutBecause: string | null;
  readonly link: "connecting" | "online" | "offline";
  readonly engine: { readonly running: boolean; readonly reason: string | null };
  readonly sessions: ReadonlyMap<string, SessionSummary>;
  readonly archived: ReadonlyMap<string, SessionSummary>;
  /** The number of the last event about each session: a response from before it is out of date. */
  readonly lastEventOf: ReadonlyMap<string, number>;
  /** Whether the whole list has been loaded. */
  readonly listComplete: boolean;
  readonly projects: readonly Project[];
  readonly pending: ReadonlyMap<string, PendingView>;
  /** The last requests that ended, newest first. */
  readonly resolved: readonly Decision[];
  /** Decisions in the open sessions, oldest first. */
  readonly decisions: ReadonlyMap<string, readonly Decision[]>;
  readonly threads: ReadonlyMap<string, ThreadView>;
  readonly outbox: readonly OutgoingMessage[];
  /** Pinned first; empty if the backend has none. */
  readonly sections: readonly Section[];
  /** The goals of the open sessions. */
  readonly goals: ReadonlyMap<string, Goal>;
  readonly openSession: string | null;
  /** How the last sign-in of the engine ended. */
  readonly lastLogin: { readonly loginId?: string | null; readonly success: boolean; readonly error?: string | null } | null;
  /** How often templates and schedules have changed: screens that show them read them again. */
  readonly templateChanges: number;
  readonly scheduleChanges: number;
}

export const emptyState: AppState = {
  phase: "starting",
  signedOutBecause: null,
  link: "connecting",
  engine: { running: true, reason: null },
  sessions: new Map(),
  archived: new Map(),
  lastEventOf: new Map(),
  listComplete: false,
  projects: [],
  pending: new Map(),
  resolved: [],
  decisions: new Map(),
  threads: new Map(),
  outbox: [],
  sections: [],
  goals: new Map(),
  openSession: null,
  lastLogin: null,
  templateChanges: 0,
  scheduleChanges: 0,
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
