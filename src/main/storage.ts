/** Where an app keeps what lasts: on the local disk, unless a fleet's worker brings its own. */
import type { Audit } from "../core/ports/audit.ts";
import type { Clock, Ids } from "../core/ports/clock.ts";
import type { GoalStore } from "../core/ports/goal-store.ts";
import type { Lists } from "../core/ports/lists.ts";
import type { Log } from "../core/ports/log.ts";
import type { Memories } from "../core/ports/memories.ts";
import type { QuestionLog } from "../core/ports/open-questions.ts";
import type { QueueStore } from "../core/ports/queue-store.ts";
import type { ThreadStore } from "../core/ports/thread-store.ts";
import type { ThreadWorkspaces } from "../core/ports/thread-workspace.ts";
import { createAudit } from "../store/audit.ts";
import { createGoalStore } from "../store/goals.ts";
import { createLists } from "../store/lists/lists.ts";
import { createLocalStore } from "../store/local.ts";
import { createMemories } from "../store/memories.ts";
import { createQuestionLog } from "../store/question-log.ts";
import { createQueueStore } from "../store/queue.ts";
import type { LiveSocket } from "./live-socket.ts";

export interface Storage {
  readonly store: ThreadStore;
  readonly questions: QuestionLog;
  readonly queue: QueueStore;
  readonly goals: GoalStore;
  readonly audit: Audit;
  /** Sections, projects, attachments and read marks. */
  readonly lists: Lists;
  readonly memories: Memories;
  /** Folders that are made for threads which ask for a repository; only a fleet has them. */
  readonly threadWorkspaces?: ThreadWorkspaces | undefined;
  /** False while it is not known whether the threads are still this process's: then no command is started. */
  readonly mayStart?: (() => boolean) | undefined;
}

export interface LocalStorageOptions {
  readonly codexHome: string;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly socket: LiveSocket;
  readonly syncTurns: () => boolean;
  /** For a person whose messages or goals are in a damaged file. */
  readonly report: (message: string) => void;
}

export function localStorage({ codexHome, clock, ids, log, socket, syncTurns, report }: LocalStorageOptions): Storage {
  const now = (): number => clock.now();
  return {
    store: createLocalStore({ home: codexHome, now, syncTurns, socket }),
    questions: createQuestionLog(codexHome),
    queue: createQueueStore({ home: codexHome, report, now, newId: () => ids.item() }),
    goals: createGoalStore(codexHome, report),
    audit: createAudit(codexHome, clock),
    lists: createLists({ home: codexHome, now, report: (message) => log.warn(message) }),
    memories: createMemories(codexHome),
  };
}
