/**
 * Port: what another process needs to put a turn's open questions again. One log per thread; it exists only while a call that has asked
 * something is unfinished, so a turn without questions costs nothing.
 */
import type { ThreadItem } from "../../protocol/item.ts";
import type { AskForApproval, SandboxPolicy } from "../../protocol/policy.ts";
import type { Answer } from "./audience.ts";
import type { ThreadSettings } from "./settings.ts";

/** An answer that a client gave; a question that ended otherwise is still open. */
export type GivenAnswer = Extract<Answer, { kind: "answered" | "refused" }>;

/** What commands may do, and when a person is asked. */
export interface Limits {
  readonly sandboxPolicy: SandboxPolicy;
  readonly approvalPolicy: AskForApproval;
}

/** The first entry: the turn whose calls the others are about. */
export interface AskingTurnEntry {
  readonly type: "turn";
  readonly turnId: string;
  /** The turn's effective settings when it asked. */
  readonly settings: ThreadSettings;
  /** The limits at that time, without grants: of the config alone, and of the thread. Where they are stricter later, the stricter ones count. */
  readonly configured: Limits;
  readonly ofThread: Limits;
  /** Settings for this turn only. */
  readonly overrides: Partial<ThreadSettings>;
  readonly outputSchema?: unknown;
  /** Calls of the same answer that had not begun. */
  readonly waiting: readonly string[];
}

export type CallEntry =
  /** It is being worked on, and may have begun. */
  | { readonly type: "entered"; readonly callId: string }
  /** A question about it is about to be sent. `digest` identifies the exact question. */
  | { readonly type: "asked"; readonly callId: string; readonly digest: string; readonly item?: ThreadItem }
  | { readonly type: "answered"; readonly callId: string; readonly digest: string; readonly answer: GivenAnswer }
  /** Its action is about to start: from here on its outcome is unknown until the call has its output. */
  | { readonly type: "begun"; readonly callId: string; readonly item?: ThreadItem };

export interface OpenQuestions {
  readonly turn: AskingTurnEntry;
  readonly calls: readonly CallEntry[];
}

export interface QuestionLog {
  /** Replaces the thread's log. Resolves when it would survive a crash of this process. */
  write(threadId: string, questions: OpenQuestions): Promise<void>;
  /** Adds to the thread's log, which exists. Resolves as `write` does. */
  add(threadId: string, entry: CallEntry): Promise<void>;
  /** Undefined when there is none, or when any of it cannot be read: half a log could make something run twice. */
  read(threadId: string): Promise<OpenQuestions | undefined>;
  /** Rejects when the log is still there. */
  clear(threadId: string): Promise<void>;
}

/** An entry that is needed before an action starts cannot be written. The message is for a person and for the model. */
export class QuestionsUnwritten extends Error {}
