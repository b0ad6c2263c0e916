/** Converts a thread between its file's head, its row in the index and what callers of the store get. */
import type { StoredThread } from "../../core/ports/thread-store.ts";
import { gitFromFacts, sourceFromDisk, sourceKind, sourceToDisk } from "../rollout/session-meta.ts";
import { isObject, type Json, objectOf, textOf, textOrNull } from "../rollout/shapes.ts";
import type { FoundFile } from "./folders.ts";
import type { HeadReader, ThreadHead } from "./head.ts";
import type { Names } from "./names.ts";
import type { IndexRow } from "./sqlite-index.ts";

export interface RowSources {
  readonly heads: HeadReader;
  readonly pathOfSegment: (segment: string) => string | undefined;
}

/** Reads a file's head into a row; undefined if it is not a thread. What a fork shares with its parent is looked up there. */
export function rowOfFile(file: FoundFile, sources: RowSources): IndexRow | undefined {
  const head = sources.heads.read(file.path);
  if (head === undefined || head.meta.id !== file.id) return undefined;
  const shared = inherited(head, sources);
  const { meta } = head;
  const preview = shared.preview ?? head.preview;
  return {
    path: file.path,
    id: meta.id,
    segment: file.segment,
    archived: file.archived,
    createdMs: shared.createdMs ?? meta.createdAtMs,
    updatedMs: head.mtimeMs,
    size: head.size,
    hasUser: preview !== undefined,
    preview: preview ?? "",
    cwd: meta.cwd,
    provider: meta.modelProvider,
    sourceKind: sourceKind(meta.source),
    sharedFacts: JSON.stringify({
      source: sourceToDisk(meta.source),
      originator: meta.originator,
      cliVersion: meta.cliVersion,
      threadSource: meta.threadSource ?? undefined,
      historyMode: meta.historyMode,
      git: meta.git && { branch: meta.git.branch, originUrl: meta.git.originUrl },
    }),
    facts: JSON.stringify({
      forkedFromId: meta.forkedFromId ?? undefined,
      parentThreadId: meta.parentThreadId ?? undefined,
      sessionId: meta.sessionId === meta.id ? undefined : (meta.sessionId ?? undefined),
      sha: meta.git?.sha ?? undefined,
      // The segment that contains a fork's history: its file must not be deleted.
      base: head.base?.segment,
    }),
  };
}

interface Inherited {
  readonly preview?: string | undefined;
  /** Only from an earlier file of the same thread. */
  readonly createdMs?: number | undefined;
}

function inherited(head: ThreadHead, sources: RowSources, depth = 0): Inherited {
  const parentPath = head.base === undefined || depth > 50 ? undefined : sources.pathOfSegment(head.base.segment);
  const parent = parentPath === undefined ? undefined : sources.heads.read(parentPath, head.base?.endOffset);
  if (parent === undefined) return {};
  const above = inherited(parent, sources, depth + 1);
  const isSame = parent.meta.id === head.meta.id;
  return { preview: above.preview ?? parent.preview, createdMs: isSame ? (above.createdMs ?? parent.meta.createdAtMs) : undefined };
}

export type FactsOfPage = Map<string, ReturnType<typeof factsOf>>;

/** `read` has the facts of other rows of the same page: most have them in common. */
export function threadOfRow(row: IndexRow, names: Names, read: FactsOfPage = new Map()): StoredThread {
  const key = row.facts === "{}" ? row.sharedFacts : row.facts + row.sharedFacts;
  const known = read.get(key);
  const facts = known ?? factsOf(row);
  if (known === undefined) read.set(key, facts);
  return {
    id: row.id,
    path: row.path,
    preview: row.preview,
    name: names.of(row.id),
    createdAtMs: row.createdMs,
    updatedAtMs: row.updatedMs,
    cwd: row.cwd,
    modelProvider: row.provider,
    archived: row.archived,
    hasUserMessage: row.hasUser,
    // One by one: a page spends ten times as long on copying them in one go.
    cliVersion: facts.cliVersion,
    source: facts.source,
    originator: facts.originator,
    forkedFromId: facts.forkedFromId,
    parentThreadId: facts.parentThreadId,
    sessionId: facts.sessionId,
    threadSource: facts.threadSource,
    historyMode: facts.historyMode,
    git: facts.git,
  };
}

function factsOf(row: IndexRow) {
  const own = objectOf(JSON.parse(row.facts));
  const facts: Json = { ...objectOf(JSON.parse(row.sharedFacts)), ...own };
  // Newer facts about the repository, which are not in the file's head, are among the thread's own.
  const git = "git" in own || !isObject(facts["git"]) ? facts["git"] : { ...facts["git"], sha: own["sha"] };
  return {
    cliVersion: textOf(facts["cliVersion"]),
    source: sourceFromDisk(facts["source"]),
    originator: textOf(facts["originator"]),
    forkedFromId: textOrNull(facts["forkedFromId"]),
    parentThreadId: textOrNull(facts["parentThreadId"]),
    sessionId: textOrNull(facts["sessionId"]),
    threadSource: textOrNull(facts["threadSource"]),
    historyMode: facts["historyMode"] === "paginated" ? ("paginated" as const) : ("legacy" as const),
    git: gitFromFacts(git),
  };
}
