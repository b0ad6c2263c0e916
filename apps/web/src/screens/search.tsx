/** Search in the messages of all sessions: the first results at once, more while it searches on, and nothing goes on after leaving. */
import { type ReactElement, useEffect, useRef, useState } from "react";
import { useApp } from "../app-context.tsx";
import { Refused } from "../connection/connection.ts";
import type { SearchHit } from "../connection/more-calls.ts";
import { ago, folderName, plural } from "../state/format.ts";
import { marked } from "../state/marked-text.ts";
import { Button, Empty, focusIt, Switch } from "../ui/controls.tsx";
import { Icon } from "../ui/icons.tsx";
import { useNow } from "./sidebar.tsx";

/** Typing pauses this long before the search starts. */
const pauseMs = 250;
/** Results after which the search waits for the person. */
const atOnce = 30;

interface Found {
  readonly hits: readonly SearchHit[];
  readonly cursor: string | null;
  readonly searching: boolean;
  readonly problem: string | null;
}
const nothing: Found = { hits: [], cursor: null, searching: false, problem: null };

/** Pages are read one after another until there are enough hits; a new query or leaving the screen ends it after the current page. */
function useSearch(query: string, archived: boolean): { found: Found; more: () => void } {
  const { search } = useApp().controller.connection;
  const [found, setFound] = useState<Found>(nothing);
  const run = useRef(0);
  const read = async (from: string | null, before: readonly SearchHit[], wanted: number): Promise<void> => {
    const mine = ++run.current;
    let [cursor, hits] = [from, before];
    setFound({ hits, cursor: null, searching: true, problem: null });
    try {
      do {
        const page = await search?.all(query, { archived, cursor });
        if (page === undefined || run.current !== mine) return;
        const known = new Set(hits.map((hit) => hit.session.sessionId));
        hits = [...hits, ...page.data.filter((hit) => !known.has(hit.session.sessionId))];
        cursor = page.nextCursor;
        setFound({ hits, cursor, searching: cursor !== null && hits.length < wanted, problem: null });
      } while (cursor !== null && hits.length < wanted);
    } catch (error) {
      if (run.current === mine)
        setFound({
          hits,
          cursor: null,
          searching: false,
          problem: error instanceof Refused ? error.message : "It cannot be searched at the moment.",
        });
    }
  };
  useEffect(() => {
    if (query.length < 2) {
      run.current++;
      setFound(nothing);
      return;
    }
    const timer = setTimeout(() => void read(null, [], atOnce), pauseMs);
    return () => {
      clearTimeout(timer);
      run.current++;
    };
  }, [query, archived, search]);
  return { found, more: () => void read(found.cursor, found.hits, found.hits.length + atOnce) };
}

export default function SearchScreen({ query, menuButton }: { query: string; menuButton: ReactElement | null }): ReactElement {
  const { go } = useApp();
  const [text, setText] = useState(query);
  const [archived, setArchived] = useState(false);
  const wanted = text.trim();
  const { found, more } = useSearch(wanted, archived);
  const now = useNow(30_000);
  /** The address gets the query first, so that going back from a result comes back to the results. */
  const open = (sessionId: string): void => {
    if (wanted !== query) go({ name: "search", query: wanted });
    go({ name: "session", sessionId, requestId: null });
  };
  return (
    <div className="page">
      <header className="page-head">
        {menuButton}
        <h1>Search</h1>
      </header>
      <div className="page-scroll">
        <div className="column search-page">
          <div className="history-search">
            <Icon name="search" size={16} />
            <input
              ref={focusIt}
              type="search"
              aria-label="Search in all messages"
              placeholder="Search in all messages"
              value={text}
              maxLength={400}
              onChange={(e) => setText(e.target.value)}
            />
          </div>
          <Switch label="In the archive" checked={archived} onChange={setArchived} />
          <p className="hint" role="status">
            {statusOf(found, wanted)}
          </p>
          <ul className="hits" aria-label="Sessions found">
            {found.hits.map(({ session, snippet }) => (
              <li key={session.sessionId}>
                <button type="button" className="hit" onClick={() => open(session.sessionId)}>
                  <span className="hit-title">
                    <span className="session-title" dir="auto">
                      {session.title}
                    </span>
                    <span className="hint">
                      {folderName(session.cwd)} · {ago(session.updatedAt, now)}
                    </span>
                  </span>
                  <span className="hit-text" dir="auto">
                    {marked(snippet, wanted).map((part, i) => (part.isMatch ? <mark key={i}>{part.text}</mark> : part.text))}
                  </span>
                </button>
              </li>
            ))}
          </ul>
          {found.cursor !== null && !found.searching ? <Button onClick={more}>Search on</Button> : null}
          {wanted === "" ? (
            <Empty icon="search" title="Find what was said">
              <p>Your own messages and the agent's answers are searched, in every session.</p>
            </Empty>
          ) : null}
        </div>
      </div>
    </div>
  );
}

function statusOf({ hits, cursor, searching, problem }: Found, wanted: string): string {
  if (problem !== null) return problem;
  if (wanted.length < 2) return wanted === "" ? "" : "Type at least two letters.";
  const count = hits.length === 0 ? "" : plural(hits.length, "session");
  if (searching) return count === "" ? "Searching…" : `${count} so far, searching on…`;
  if (hits.length === 0) return cursor === null ? "Nothing found." : "Nothing found yet.";
  return cursor === null ? count : `${count}, and there is more to search`;
}
