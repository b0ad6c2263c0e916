/** What the screens ask of a backend beside sessions and messages: arranging, finding, goals, files, cost. A backend may lack any of these. */
import type { RouteName, RouteOutput } from "../../../../src/manager/api.ts";
import type { SessionSummary, UserInput } from "../state/model.ts";

type Answer<K extends RouteName> = RouteOutput<K>;
export type Section = Answer<"GET /api/sections">["data"][number];
export type Goal = NonNullable<Answer<"GET /api/sessions/:sessionId/goal">["goal"]>;
export type SearchHit = Answer<"GET /api/search">["data"][number];
export type Occurrence = Answer<"GET /api/sessions/:sessionId/search">["data"][number];
export type TimelineEntry = Answer<"GET /api/sessions/:sessionId/timeline">["data"][number];
export type ItemEntry = Answer<"GET /api/sessions/:sessionId/turns/:turnId/items/:itemId">["data"][number];
export type OpenFile = Answer<"GET /api/sessions/:sessionId/file">;
export type FoundFolders = Answer<"GET /api/folders">;
export type UsageTable = Answer<"GET /api/usage">;
export type SessionAttachment = Answer<"GET /api/sessions/:sessionId/attachments">["data"][number];

export interface Page<T> {
  readonly data: readonly T[];
  readonly nextCursor: string | null;
}

/** Every change returns the new sections. */
export interface ListCalls {
  sections(): Promise<readonly Section[]>;
  makeSection(name: string): Promise<readonly Section[]>;
  renameSection(sectionId: string, name: string): Promise<readonly Section[]>;
  removeSection(sectionId: string): Promise<readonly Section[]>;
  /** Null takes the session out of its section; without `before` it is put at the end. */
  move(sessionId: string, sectionId: string | null, before?: string): Promise<readonly Section[]>;
  /** Seconds since 1970; null ends it. */
  snooze?(sessionId: string, until: number | null): Promise<void>;
  archiveMany(sessionIds: readonly string[]): Promise<Answer<"POST /api/archive">>;
}

export interface GoalChange {
  readonly objective?: string;
  readonly status?: "active" | "paused";
  /** Null removes the budget. */
  readonly tokenBudget?: number | null;
}
export interface GoalCalls {
  read(sessionId: string): Promise<Goal | null>;
  change(sessionId: string, change: GoalChange): Promise<Goal | null>;
  clear(sessionId: string): Promise<void>;
}

export interface QueueCalls {
  change(sessionId: string, messageId: string, input: readonly UserInput[]): Promise<void>;
  /** Names all messages that wait. */
  reorder(sessionId: string, messageIds: readonly string[]): Promise<void>;
  sendNow(sessionId: string, messageId: string): Promise<void>;
}

/** A page may hold few or no hits while more of the store is still to be searched: its cursor continues. */
export interface SearchCalls {
  all(query: string, options: { readonly archived: boolean; readonly cursor: string | null }): Promise<Page<SearchHit>>;
  inSession(sessionId: string, query: string, cursor: string | null): Promise<Page<Occurrence>>;
  timeline(sessionId: string, cursor: string | null): Promise<Page<TimelineEntry>>;
  item(sessionId: string, turnId: string, itemId: string): Promise<ItemEntry | undefined>;
}

export interface FileCalls {
  read(sessionId: string, path: string): Promise<OpenFile>;
  /** Refused with the code `file_changed` if somebody has changed the file since `version`. Returns the new version. */
  save(sessionId: string, file: { readonly path: string; readonly text: string; readonly version: string }): Promise<string>;
}

export interface AttachmentCalls {
  list(sessionId: string): Promise<readonly SessionAttachment[]>;
  add(
    sessionId: string,
    attachment: { attachmentType: string; identityKey: string; payload: unknown },
  ): Promise<readonly SessionAttachment[]>;
  remove(sessionId: string, attachment: { attachmentType: string; identityKey: string }): Promise<readonly SessionAttachment[]>;
}

export interface BudgetChange {
  readonly moneyPerDay: number | null;
  readonly moneyPerThread: number | null;
  readonly tokensPerDay: number | null;
  readonly tokensPerThread: number | null;
}
export interface UsageCalls {
  read(days: number): Promise<UsageTable>;
  setBudget(budget: BudgetChange): Promise<void>;
}

export interface MoreCalls {
  readonly lists?: ListCalls;
  readonly goals?: GoalCalls;
  readonly queue?: QueueCalls;
  readonly search?: SearchCalls;
  readonly fileView?: FileCalls;
  readonly attachments?: AttachmentCalls;
  readonly usage?: UsageCalls;
  /** Marks a session as read or unread for all clients. */
  markRead?(sessionId: string, read: boolean): Promise<SessionSummary | undefined>;
  /** Folders on the engine's machine whose path begins like this. */
  folders?(typed: string): Promise<FoundFolders>;
}

const budgetKeys = {
  moneyPerDay: "money_per_day",
  moneyPerThread: "money_per_thread",
  tokensPerDay: "tokens_per_day",
  tokensPerThread: "tokens_per_thread",
} as const satisfies Record<keyof BudgetChange, string>;

/** The edits of the user's settings that set this budget; null removes a limit. */
export const budgetEdits = (
  budget: BudgetChange,
): { readonly keyPath: string; readonly value: number | null; readonly mergeStrategy: "replace" }[] =>
  (Object.keys(budgetKeys) as (keyof BudgetChange)[]).map((name) => ({
    keyPath: `parley.budget.${budgetKeys[name]}`,
    value: budget[name],
    mergeStrategy: "replace",
  }));
