/** A ThreadStore in memory: keeps what the port promises, without files. */
import { type StoredThread, ThreadHeld, type ThreadMeta, type ThreadRecord, type ThreadStore } from "../core/ports/thread-store.ts";

interface Kept {
  records: ThreadRecord[];
  meta: ThreadMeta;
  name: string | null;
  archived: boolean;
  updatedAtMs: number;
  git: ThreadMeta["git"];
}

export function memoryStore(now: () => number = Date.now): ThreadStore {
  const threads = new Map<string, Kept>();
  const held = new Map<string, string>();
  const stored = (kept: Kept): StoredThread => {
    const said = kept.records.find((r) => r.type === "item" && r.item.type === "userMessage");
    const content = said?.type === "item" && said.item.type === "userMessage" ? said.item.content : [];
    const preview = content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
    const { id, createdAtMs, cwd, cliVersion, source, originator, modelProvider } = kept.meta;
    return {
      ...{ id, createdAtMs, cwd, cliVersion, source, originator, modelProvider, name: kept.name, archived: kept.archived },
      path: `/memory/${id}.jsonl`,
      preview,
      updatedAtMs: kept.updatedAtMs,
      forkedFromId: kept.meta.forkedFromId ?? null,
      parentThreadId: kept.meta.parentThreadId ?? null,
      git: kept.git ?? null,
      hasUserMessage: said !== undefined,
    };
  };
  const change = (id: string, edit: (kept: Kept) => void): void => {
    const kept = threads.get(id);
    if (kept !== undefined) edit(kept);
  };
  return {
    onTrouble: () => {},
    pathFor: (id) => `/memory/${id}.jsonl`,
    async append(id, records) {
      const first = records[0];
      const kept =
        threads.get(id) ??
        (first?.type === "meta"
          ? { records: [], meta: first.meta, name: null, archived: false, updatedAtMs: 0, git: first.meta.git }
          : undefined);
      if (kept === undefined) throw new Error(`thread ${id} has no first record`);
      threads.set(id, kept);
      kept.records.push(...records);
      kept.updatedAtMs = now();
    },
    read: async (id) => threads.get(id)?.records ?? [],
    readPath: async () => [],
    async find(id) {
      const kept = threads.get(id);
      return kept === undefined ? undefined : stored(kept);
    },
    async list(query) {
      const time = (t: StoredThread): number => (query.sortKey === "created_at" ? t.createdAtMs : t.updatedAtMs);
      const all = [...threads.values()]
        .map(stored)
        .filter((t) => t.archived === query.archived && t.hasUserMessage)
        .filter((t) => query.modelProviders.length === 0 || query.modelProviders.includes(t.modelProvider))
        .sort((a, b) => time(b) - time(a) || (a.id < b.id ? 1 : -1));
      const ordered = query.sortDirection === "desc" ? all : all.toReversed();
      const at = query.cursor === null ? 0 : ordered.findIndex((t) => t.id === query.cursor) + 1;
      const page = ordered.slice(at, at + query.limit);
      return {
        threads: page,
        nextCursor: at + query.limit < ordered.length ? (page.at(-1)?.id ?? null) : null,
        backwardsCursor: page[0]?.id ?? null,
      };
    },
    async search(term, limit) {
      return [...threads.values()]
        .map(stored)
        .filter((t) => t.preview.includes(term))
        .slice(0, limit)
        .map((thread) => ({ thread, snippet: thread.preview }));
    },
    rename: async (id, name) => change(id, (kept) => (kept.name = name)),
    updateGit: async (id, git) => change(id, (kept) => (kept.git = git)),
    archive: async (id) => change(id, (kept) => (kept.archived = true)),
    unarchive: async (id) => change(id, (kept) => (kept.archived = false)),
    delete: async (id) => void threads.delete(id),
    async lease(id, client) {
      const holder = held.get(id);
      if (holder !== undefined) throw new ThreadHeld(holder);
      held.set(id, client);
      return { release: () => void held.delete(id) };
    },
    close: async () => {},
  };
}
