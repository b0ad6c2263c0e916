/** `fuzzyFileSearch`: finds files by a few letters, once or while the user types. */
import type { FileIndex, FoundFile } from "../core/ports/file-search.ts";
import { invalidRequest } from "../protocol/errors.ts";
import type { FuzzyFileSearchResult, fuzzyFileSearchRequests } from "../protocol/fuzzy-file-search.ts";
import type { Call, HandlersFor, Session } from "./app.ts";

const maxResults = 50;
const maxSessions = 64;

export const fuzzyFileSearchHandlers: HandlersFor<typeof fuzzyFileSearchRequests> = {
  async fuzzyFileSearch(params, { app, session }) {
    const { byToken } = searchesOf(session);
    const abort = new AbortController();
    const token = params.cancellationToken ?? undefined;
    if (token !== undefined) {
      // A newer search with the same token makes the older one pointless.
      byToken.get(token)?.abort();
      byToken.set(token, abort);
    }
    const index = app.fileSearch.open(params.roots);
    try {
      return { files: (await index.search(params.query, maxResults, abort.signal)).map(toWire) };
    } catch (error) {
      if (abort.signal.aborted) return { files: [] };
      throw error;
    } finally {
      index.close();
      if (token !== undefined && byToken.get(token) === abort) byToken.delete(token);
    }
  },

  "fuzzyFileSearch/sessionStart"(params, call) {
    const { app, session } = call;
    const { byId } = searchesOf(session);
    if (params.sessionId === "") throw invalidRequest("sessionId must not be empty");
    endSession(byId, params.sessionId);
    if (byId.size >= maxSessions) throw invalidRequest(`too many search sessions on this connection (at most ${maxSessions})`);
    const search = { index: app.fileSearch.open(params.roots), running: undefined };
    byId.set(params.sessionId, search);
    // Clients wait for the result of an empty query before they show that the search is ready.
    begin(search, { sessionId: params.sessionId, query: "" }, call);
    return {};
  },

  "fuzzyFileSearch/sessionUpdate"(params, call) {
    const { sessionId, query } = params;
    const search = searchesOf(call.session).byId.get(sessionId);
    if (search === undefined) throw invalidRequest(`fuzzy file search session not found: ${sessionId}`);
    begin(search, { sessionId, query }, call);
    return {};
  },

  "fuzzyFileSearch/sessionStop"(params, { session }) {
    endSession(searchesOf(session).byId, params.sessionId);
    return {};
  },
};

/** Starts a query that replaces the session's last one. */
function begin(search: SearchSession, asked: { sessionId: string; query: string }, call: Call): void {
  search.running?.abort();
  const abort = new AbortController();
  search.running = abort;
  call.after(() => void answer(search.index, asked, abort.signal, call));
}

/** Sends partial results while the listing runs, then all results, then the completion. A replaced query sends nothing more. */
async function answer(
  index: FileIndex,
  { sessionId, query }: { sessionId: string; query: string },
  signal: AbortSignal,
  { app, session }: Call,
): Promise<void> {
  const send = (found: readonly FoundFile[]): void => {
    if (!signal.aborted) session.notify("fuzzyFileSearch/sessionUpdated", { sessionId, query, files: found.map(toWire) });
  };
  try {
    send(await index.search(query, maxResults, signal, send));
    if (!signal.aborted) session.notify("fuzzyFileSearch/sessionCompleted", { sessionId });
  } catch (error) {
    if (!signal.aborted) app.log.error("file search failed", { sessionId, error: String(error) });
  }
}

function toWire({ root, path, kind, score, indices }: FoundFile): FuzzyFileSearchResult {
  return { root, path, match_type: kind, file_name: path.slice(path.lastIndexOf("/") + 1), score, indices: [...indices] };
}

interface SearchSession {
  readonly index: FileIndex;
  running: AbortController | undefined;
}
interface Searches {
  readonly byId: Map<string, SearchSession>;
  readonly byToken: Map<string, AbortController>;
}

/** The searches of each connection. They end with the session. */
const searchesBySession = new WeakMap<Session, Searches>();

function searchesOf(session: Session): Searches {
  let searches = searchesBySession.get(session);
  if (searches === undefined) {
    const fresh: Searches = { byId: new Map(), byToken: new Map() };
    session.onClose.add(() => {
      for (const id of [...fresh.byId.keys()]) endSession(fresh.byId, id);
      for (const abort of fresh.byToken.values()) abort.abort();
    });
    searchesBySession.set(session, fresh);
    searches = fresh;
  }
  return searches;
}

function endSession(byId: Map<string, SearchSession>, id: string): void {
  const search = byId.get(id);
  search?.running?.abort();
  search?.index.close();
  byId.delete(id);
}
