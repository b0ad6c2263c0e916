/** Port: stores threads. A thread is an append-only list of records; the index can be rebuilt from it. */
import type { ThreadItem } from "../../protocol/item.ts";
import type { SessionSource } from "../../protocol/policy.ts";
import type { ThreadTokenUsage } from "../../protocol/thread.ts";
import type { TurnError, TurnStatus } from "../../protocol/turn.ts";
import type { ModelItem } from "./model-client.ts";
import type { ThreadSettings } from "./settings.ts";

export interface ThreadMeta {
  readonly id: string;
  /** The thread that a person opened and to whose work this one belongs; undefined for the thread itself. */
  readonly sessionId?: string | undefined;
  readonly createdAtMs: number;
  readonly cwd: string;
  readonly originator: string;
  readonly cliVersion: string;
  readonly source: SessionSource;
  readonly modelProvider: string;
  readonly baseInstructions: string | undefined;
  readonly forkedFromId?: string | undefined;
  readonly parentThreadId?: string | undefined;
  readonly git?: { readonly sha: string | null; readonly branch: string | null; readonly originUrl: string | null } | undefined;
  readonly dynamicTools?: readonly unknown[] | undefined;
  readonly threadSource?: string | undefined;
  /** How its file is written: in the lines that every version reads, or in numbered ones, as current Codex versions do. */
  readonly historyMode?: "legacy" | "paginated" | undefined;
}

/** One event, in our two vocabularies. The store writes it in the format that other tools read. */
export type ThreadRecord =
  | { readonly type: "meta"; readonly meta: ThreadMeta }
  | {
      readonly type: "turnStarted";
      readonly turnId: string;
      readonly atMs: number;
      readonly contextWindow: number | undefined;
      readonly mode: string;
    }
  | { readonly type: "turnContext"; readonly turnId: string; readonly settings: ThreadSettings }
  | { readonly type: "modelItem"; readonly item: ModelItem; readonly turnId?: string | undefined }
  | {
      readonly type: "item";
      readonly turnId: string;
      readonly item: ThreadItem;
      readonly startedAtMs: number;
      readonly completedAtMs: number;
    }
  /** Input that was added to a running turn and accepted. Its item follows when the turn takes it in, unless the turn died first. */
  | {
      readonly type: "steered";
      readonly turnId: string;
      readonly item: Extract<ThreadItem, { type: "userMessage" }>;
      readonly settings: ThreadSettings;
      readonly atMs: number;
    }
  | { readonly type: "tokenUsage"; readonly turnId: string; readonly usage: ThreadTokenUsage; readonly rateLimits?: unknown }
  /** The model's history was replaced; `replacement` is all it sees from here on. */
  | { readonly type: "compacted"; readonly turnId: string; readonly summary: string; readonly replacement: readonly ModelItem[] }
  | { readonly type: "rolledBack"; readonly numTurns: number }
  | {
      readonly type: "turnEnded";
      readonly turnId: string;
      readonly status: TurnStatus;
      readonly error: TurnError | null;
      readonly lastAgentMessage: string | null;
      readonly atMs: number;
      readonly durationMs: number;
    };

export interface StoredThread {
  readonly id: string;
  /** Its path on disk; always set, even before the first write. */
  readonly path: string;
  readonly preview: string;
  readonly name: string | null;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly cwd: string;
  readonly cliVersion: string;
  readonly source: SessionSource;
  readonly originator: string;
  readonly modelProvider: string;
  readonly archived: boolean;
  readonly forkedFromId: string | null;
  readonly parentThreadId: string | null;
  readonly sessionId: string | null;
  readonly threadSource: string | null;
  readonly historyMode: "legacy" | "paginated";
  readonly git: ThreadMeta["git"] | null;
  readonly hasUserMessage: boolean;
}

export interface ThreadQuery {
  readonly cursor: string | null;
  readonly limit: number;
  /** By `section_position` they are in the order of `ids`. */
  readonly sortKey: "created_at" | "updated_at" | "recency_at" | "section_position";
  readonly sortDirection: "asc" | "desc";
  /** Empty means all. */
  readonly modelProviders: readonly string[];
  readonly sourceKinds: readonly string[];
  readonly archived: boolean;
  readonly cwds: readonly string[];
  readonly searchTerm: string | null;
  /** Only threads started by this one; with `ancestorId`, also those started by them. */
  readonly parentId?: string | undefined;
  readonly ancestorId?: string | undefined;
  /** Only these threads. */
  readonly ids?: readonly string[] | undefined;
  readonly excludedIds?: readonly string[];
  readonly originators?: readonly string[];
  /** Called after the answer with the threads of a page that is probably requested next: as an object, it is the list that is returned then. */
  readonly onAhead?: ((threads: readonly StoredThread[]) => void) | undefined;
}
export interface ThreadPage {
  readonly threads: readonly StoredThread[];
  /** The same list of threads, as an object, is returned again while nothing changes. */
  readonly isKept?: boolean | undefined;
  readonly nextCursor: string | null;
  readonly backwardsCursor: string | null;
}

/** The records of a long thread, of which old turns may lack what was said and done in them: messages, calls, outputs, reasoning. */
export interface RecentRecords {
  readonly records: readonly ThreadRecord[];
  /** The turns that lack nothing. */
  readonly wholeTurns: ReadonlySet<string>;
}

export interface ThreadHits {
  readonly hits: readonly { readonly thread: StoredThread; readonly snippet: string }[];
  readonly nextCursor: string | null;
}

/** A turn whose worker is lost ends, or the model is told of it and goes on. */
export type OnLoss = "interrupt" | "continue";

/** Who may write a thread. One writer per thread across all processes of one home, or all workers of a fleet. */
export interface Lease {
  release(): void;
  /** What the thread's client wants of a turn whose worker is lost; undefined where it has not said it. */
  readonly onLoss?: OnLoss | undefined;
  /** Aborted when the thread is another worker's, or nobody's: it stops without a word. Undefined where a lease ends only with the process. */
  readonly lost?: AbortSignal | undefined;
  /**
   * Call right before something that must not happen once another worker may have the thread. Undefined if the lease is certain; else a
   * promise that resolves when it is again, and rejects with ThreadLost when it is lost.
   */
  certain?(): Promise<void> | undefined;
}
/** The thread is no longer this worker's. What was not stored by then was never announced, and nothing is from here on. */
export class ThreadLost extends Error {
  constructor(threadId: string) {
    super(`thread ${threadId} is no longer held by this worker`);
  }
}
export class ThreadHeld extends Error {
  /** Names the holder of the thread: pid and client, or a running Codex. */
  readonly holder: string;
  constructor(holder: string) {
    super(`thread is open in another process: ${holder}`);
    this.holder = holder;
  }
}

export interface ThreadStore {
  /** The path for a thread with this id. The file is created at the first append. */
  pathFor(id: string, createdAtMs: number): string;
  /** Adds records in the given order. Resolves when they survive a crash of this process. A full or read-only disk: kept in memory, retried
   * with the next append, and reported once through `onTrouble`; it rejects only for a thread that was deleted. A shared store keeps nothing in
   * memory: it waits for its engine, and rejects with ThreadLost when the thread is another worker's by then. */
  append(threadId: string, records: readonly ThreadRecord[]): Promise<void>;
  /** All records, oldest first, of any dialect; forks that point into their parent are followed. A torn last line is dropped, not an error. */
  read(threadId: string): Promise<readonly ThreadRecord[]>;
  /**
   * Enough of a long thread for its last turns and for its history since the last compaction, in a fraction of the time and memory.
   * Undefined where that takes all its records: `read` has them.
   */
  readRecent(threadId: string): Promise<RecentRecords | undefined>;
  /**
   * The id of the thread in this file. A file outside the home becomes known by that id, as long as this process runs: it is read and
   * continued where it is, and no list shows it. Throws RpcError where it is no thread's file, or the home has another of that thread.
   */
  adopt(file: string): Promise<string>;
  /** Knows archived threads too; undefined when there is no such thread. */
  find(threadId: string): Promise<StoredThread | undefined>;
  /** In a fleet: whether a worker runs the thread's last turn, or will end it or go on with it when it has taken the thread over. */
  hasOpenTurn?(threadId: string): Promise<boolean>;
  /** The settings that the thread last used; null where its file does not say. */
  lastModel(threadId: string): Promise<{ readonly model: string | null; readonly effort: string | null }>;
  list(query: ThreadQuery): Promise<ThreadPage>;
  /**
   * Text search over titles, previews and messages, newest thread first unless `among` says otherwise; it narrows as in `list`. One call
   * takes a limited time; the cursor continues from there, even if nothing was found yet.
   */
  search(term: string, limit: number, among?: Partial<ThreadQuery>): Promise<ThreadHits>;
  rename(threadId: string, name: string): Promise<void>;
  updateGit(threadId: string, git: ThreadMeta["git"]): Promise<void>;
  archive(threadId: string): Promise<void>;
  unarchive(threadId: string): Promise<void>;
  /** Throws RpcError that names the threads whose history is in this thread's file, as Codex forks them. A copied fork is independent. */
  refuseForked(threadId: string): Promise<void>;
  /** Throws RpcError as `refuseForked` does: the forks' history would be lost. */
  delete(threadId: string): Promise<void>;
  /** The name of the socket at which another process on this home serves the thread; undefined if none does. */
  socketOf(threadId: string): string | undefined;
  /**
   * Throws ThreadHeld. Ends with `release` or with the process. `config`: the overrides that a new thread is started with; a fleet finds the
   * labels of its workers there.
   */
  lease(threadId: string, client: string, config?: Readonly<Record<string, unknown>> | null): Promise<Lease>;
  /** The workers of a fleet share it: a thread that is not held is not kept in memory, and a turn whose worker died is ended in the store. */
  readonly isShared?: boolean;
  onTrouble: (message: string) => void;
  /** Something that people should know once and need not fix, such as a list that was rebuilt after an upgrade. */
  onNotice?: (message: string) => void;
  close(): Promise<void>;
}
