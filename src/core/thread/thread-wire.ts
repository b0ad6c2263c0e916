/** A live thread as clients see it. */
import { agentNames, type Thread, type ThreadStatus, withoutExtras } from "../../protocol/thread.ts";
import type { Turn } from "../../protocol/turn.ts";
import type { ThreadSettings } from "../ports/settings.ts";
import type { ThreadMeta } from "../ports/thread-store.ts";
import { localEnvironment } from "./live-settings.ts";

interface ShownThread {
  readonly id: string;
  readonly meta: ThreadMeta;
  readonly name: string | null;
  readonly ephemeral: boolean;
  readonly settings: ThreadSettings;
  readonly path: string | null;
  status(): ThreadStatus;
}

/** What only the thread itself knows. */
interface OwnFacts {
  readonly preview: string;
  readonly updatedAtMs: number;
  readonly git: ThreadMeta["git"];
  readonly turns: readonly Turn[];
}

export function threadToWire(thread: ShownThread, { preview, updatedAtMs, git, turns }: OwnFacts): Thread {
  const { id, meta, settings } = thread;
  return {
    id,
    sessionId: meta.sessionId ?? id,
    preview,
    name: thread.name,
    ephemeral: thread.ephemeral,
    modelProvider: settings.modelProvider,
    model: settings.model,
    reasoningEffort: settings.effort,
    createdAt: Math.floor(meta.createdAtMs / 1000),
    updatedAt: Math.floor(updatedAtMs / 1000),
    recencyAt: Math.floor(updatedAtMs / 1000),
    status: thread.status(),
    path: thread.path,
    cwd: settings.cwd,
    cliVersion: meta.cliVersion,
    source: meta.source,
    originator: meta.originator,
    threadSource: meta.threadSource ?? null,
    forkedFromId: meta.forkedFromId ?? null,
    parentThreadId: meta.parentThreadId ?? null,
    gitInfo: git ?? null,
    historyMode: meta.historyMode ?? "legacy",
    projectId: null,
    ...agentNames(meta.source),
    ...withoutExtras,
    environments: settings.hasMachine === false ? [] : [localEnvironment(settings)],
    turns: [...turns],
  };
}
