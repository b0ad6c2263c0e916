/** Unsent state of each session besides the draft text: attachments, comments on lines, the open panel. */
import { readDraft, readJson, type Shelf, writeDraft, writeJson } from "./settings.ts";

/** Storage for values that are too large for the shelf. */
export interface Depot {
  read(key: string): Promise<unknown>;
  /** Undefined removes the entry. */
  write(key: string, value: unknown): Promise<void>;
}

const depotName = "parley";
const tableName = "attachments";

/** The browser's database. If it is forbidden or full the page still works, but forgets on the next reload. */
export function browserDepot(): Depot {
  let opened: Promise<IDBDatabase> | undefined;
  const open = (): Promise<IDBDatabase> => {
    opened ??= new Promise((resolve, reject) => {
      const request = indexedDB.open(depotName, 1);
      request.onupgradeneeded = () => request.result.createObjectStore(tableName);
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
    return opened;
  };
  const run = async (mode: IDBTransactionMode, act: (table: IDBObjectStore) => IDBRequest): Promise<unknown> => {
    try {
      const table = (await open()).transaction(tableName, mode).objectStore(tableName);
      const request = act(table);
      return await new Promise((resolve) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => resolve(undefined);
      });
    } catch {
      return undefined;
    }
  };
  return {
    read: (key) => run("readonly", (table) => table.get(key)),
    write: async (key, value) => {
      await run("readwrite", (table) => (value === undefined ? table.delete(key) : table.put(value, key)));
    },
  };
}

/** Attachments by draft: in memory for this page load, in the depot for the next one. */
export class KeptAttachments<T> {
  readonly #depot: Depot;
  readonly #known = new Map<string, readonly T[]>();
  readonly #followers = new Map<string, (list: readonly T[]) => void>();

  constructor(depot: Depot) {
    this.#depot = depot;
  }

  now(draft: string): readonly T[] {
    return this.#known.get(draft) ?? [];
  }

  /** What an earlier page load stored; undefined once this one has changed it. */
  async fromBefore(draft: string): Promise<readonly T[] | undefined> {
    if (this.#known.has(draft)) return undefined;
    const stored = await this.#depot.read(draft);
    if (this.#known.has(draft) || !Array.isArray(stored) || stored.length === 0) return undefined;
    this.#known.set(draft, stored);
    return stored;
  }

  set(draft: string, list: readonly T[]): void {
    this.#known.set(draft, list);
    this.#followers.get(draft)?.(list);
    void this.#depot.write(draft, list.length === 0 ? undefined : list);
  }

  /** For the composer on the screen: what is attached from elsewhere, as with a prompt that comes back. */
  follow(draft: string, follow: (list: readonly T[]) => void): () => void {
    this.#followers.set(draft, follow);
    return () => {
      if (this.#followers.get(draft) === follow) this.#followers.delete(draft);
    };
  }
}

/** Puts text into a composer from elsewhere, whether it is on the screen or not. */
export class PutDrafts {
  readonly #shelf: Shelf;
  readonly #composers = new Map<string, (text: string) => void>();

  constructor(shelf: Shelf) {
    this.#shelf = shelf;
  }

  /** Text that is there already stays below. */
  put(draft: string, text: string): void {
    if (text === "") return;
    const shown = this.#composers.get(draft);
    if (shown !== undefined) return shown(text);
    const before = readDraft(this.#shelf, draft);
    writeDraft(this.#shelf, draft, before === "" ? text : `${text}\n\n${before}`);
  }

  /** Called by the composer on the screen. */
  take(draft: string, take: (text: string) => void): () => void {
    this.#composers.set(draft, take);
    return () => {
      if (this.#composers.get(draft) === take) this.#composers.delete(draft);
    };
  }
}

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

/** Comments on lines of a session's diff that were not sent yet. */
export function readComments<T>(shelf: Shelf, sessionId: string): readonly T[] {
  const saved = readJson(shelf, `parley.comments.${sessionId}`);
  return isList(saved) ? (saved as readonly T[]) : [];
}
export const writeComments = (shelf: Shelf, sessionId: string, comments: readonly unknown[]): boolean =>
  writeJson(shelf, `parley.comments.${sessionId}`, comments.length === 0 ? null : comments);

/** Which panel was open beside a session. */
export function readPanel<T extends string>(shelf: Shelf, sessionId: string, known: readonly T[]): T | undefined {
  const saved = readJson(shelf, `parley.panel.${sessionId}`);
  return known.find((name) => name === saved);
}
export const writePanel = (shelf: Shelf, sessionId: string, panel: string | undefined): boolean =>
  writeJson(shelf, `parley.panel.${sessionId}`, panel ?? null);

const answersKey = "parley.answers";

/** Unfinished answers, by request and part of its card: all of them during this page load, those without secrets for the next one too. */
export class KeptAnswers {
  readonly #shelf: Shelf;
  readonly #now = new Map<string, unknown>();
  #stored: Readonly<Record<string, unknown>>;

  constructor(shelf: Shelf) {
    this.#shelf = shelf;
    const saved = readJson(shelf, answersKey);
    this.#stored = typeof saved === "object" && saved !== null ? { ...saved } : {};
  }

  read(key: string): unknown {
    return this.#now.has(key) ? this.#now.get(key) : this.#stored[key];
  }

  write(key: string, value: unknown, stored: unknown): void {
    this.#now.set(key, value);
    this.#save({ ...this.#stored, [key]: stored });
  }

  /** Deletes those of requests that are no longer open. */
  keepOnly(isWaiting: (requestId: string) => boolean): void {
    const isOver = (key: string): boolean => !isWaiting(key.slice(0, key.lastIndexOf("#")));
    for (const key of this.#now.keys()) if (isOver(key)) this.#now.delete(key);
    const left = Object.entries(this.#stored).filter(([key]) => !isOver(key));
    if (left.length < Object.keys(this.#stored).length) this.#save(Object.fromEntries(left));
  }

  #save(stored: Readonly<Record<string, unknown>>): void {
    this.#stored = stored;
    writeJson(this.#shelf, answersKey, Object.keys(stored).length === 0 ? null : stored);
  }
}

/** A comment being written on a line. */
export const readCommentDraft = (shelf: Shelf, sessionId: string): unknown => readJson(shelf, `parley.comment.${sessionId}`);
export const writeCommentDraft = (shelf: Shelf, sessionId: string, draft: unknown): boolean =>
  writeJson(shelf, `parley.comment.${sessionId}`, draft ?? null);
