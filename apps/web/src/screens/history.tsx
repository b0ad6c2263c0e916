/** What happened in a session, and where a text occurs in it: both lead to the place in the conversation. */
import { type ReactElement, useCallback, useEffect, useState } from "react";
import { useApp } from "../app-context.tsx";
import { Refused } from "../connection/connection.ts";
import type { Occurrence, Page, TimelineEntry } from "../connection/more-calls.ts";
import { timelineLabel } from "../parts/timeline.ts";
import { clock, duration, plural } from "../state/format.ts";
import { Button, Empty, focusIt } from "../ui/controls.tsx";
import { Icon } from "../ui/icons.tsx";

export interface HistoryProps {
  readonly sessionId: string;
  readonly onJump: (turnId: string, itemId: string | null) => void;
}

const pauseMs = 200;

export default function History({ sessionId, onJump }: HistoryProps): ReactElement {
  const [query, setQuery] = useState("");
  const wanted = query.trim();
  return (
    <div className="history">
      <div className="history-search">
        <Icon name="search" size={15} />
        <input
          ref={focusIt}
          type="search"
          aria-label="Find in this session"
          placeholder="Find in this session"
          value={query}
          maxLength={400}
          onChange={(e) => setQuery(e.target.value)}
        />
      </div>
      {wanted === "" ? <Timeline sessionId={sessionId} onJump={onJump} /> : <Occurrences key={wanted} {...{ sessionId, onJump, wanted }} />}
    </div>
  );
}

/** Pages that are loaded one after another; a newer wish makes an older answer void. */
function usePages<T>(
  read: (cursor: string | null) => Promise<Page<T>>,
  delayMs: number,
): {
  readonly data: readonly T[] | undefined;
  readonly more: (() => void) | undefined;
  readonly problem: string | undefined;
} {
  const [pages, setPages] = useState<Page<T>>();
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    let wanted = true;
    const timer = setTimeout(() => {
      read(null).then(
        (page) => wanted && setPages(page),
        (error: unknown) => wanted && setProblem(error instanceof Refused ? error.message : "It cannot be read at the moment."),
      );
    }, delayMs);
    return () => {
      wanted = false;
      clearTimeout(timer);
    };
  }, [read, delayMs]);
  const cursor = pages?.nextCursor ?? null;
  const more = (): void => {
    read(cursor).then(
      (page) => setPages((before) => ({ data: [...(before?.data ?? []), ...page.data], nextCursor: page.nextCursor })),
      () => setProblem("It cannot be read at the moment."),
    );
  };
  return { data: pages?.data, problem, more: cursor === null ? undefined : more };
}

function Occurrences({ sessionId, onJump, wanted }: HistoryProps & { wanted: string }): ReactElement {
  const { search } = useApp().controller.connection;
  const read = useCallback(
    (cursor: string | null): Promise<Page<Occurrence>> =>
      search?.inSession(sessionId, wanted, cursor) ?? Promise.resolve({ data: [], nextCursor: null }),
    [search, sessionId, wanted],
  );
  const { data, more, problem } = usePages(read, pauseMs);
  if (problem !== undefined) return <p className="problem">{problem}</p>;
  return (
    <>
      <p className="hint" role="status">
        {data === undefined
          ? "Searching…"
          : data.length === 0
            ? "Nothing found in the messages."
            : `${plural(data.length, "place")}${more === undefined ? "" : " and more"}`}
      </p>
      <ol className="hits" aria-label="Places found">
        {(data ?? []).map((place, i) => (
          <li key={i}>
            <button type="button" className="hit" onClick={() => onJump(place.turnId, place.itemId)}>
              <span className="hit-text" dir="auto">
                {place.snippet.slice(0, place.start)}
                <mark>{place.snippet.slice(place.start, place.end)}</mark>
                {place.snippet.slice(place.end)}
              </span>
            </button>
          </li>
        ))}
      </ol>
      {more === undefined ? null : <Button onClick={more}>More places</Button>}
    </>
  );
}

function Timeline({ sessionId, onJump }: HistoryProps): ReactElement {
  const { search } = useApp().controller.connection;
  const read = useCallback(
    async (cursor: string | null): Promise<Page<TimelineEntry>> => {
      const page = await (search?.timeline(sessionId, cursor) ?? Promise.resolve({ data: [], nextCursor: null }));
      // Newest first over all pages; within a page the engine sends them in order.
      return { data: page.data.toReversed(), nextCursor: page.nextCursor };
    },
    [search, sessionId],
  );
  const { data, more, problem } = usePages(read, 0);
  if (problem !== undefined) return <p className="problem">{problem}</p>;
  if (data === undefined) return <p className="hint">Loading…</p>;
  if (data.length === 0)
    return (
      <Empty icon="clock" title="Nothing has happened yet">
        <p>Messages, commands and edits are listed here in order.</p>
      </Empty>
    );
  return (
    <>
      <ol className="timeline" aria-label="Time line">
        {data.map((entry) => (
          <li key={entry.position} className={`timeline-${entry.type}`}>
            <TimelineLine entry={entry} onJump={onJump} />
          </li>
        ))}
      </ol>
      {more === undefined ? null : <Button onClick={more}>Earlier</Button>}
    </>
  );
}

function TimelineLine({ entry, onJump }: { entry: TimelineEntry; onJump: HistoryProps["onJump"] }): ReactElement {
  const { icon, text } = timelineLabel(entry);
  const itemId = entry.type === "item" ? entry.item.id : null;
  const at =
    entry.type === "item" ? (entry.item.startedAtMs ?? null) : (entry.startedAt ?? null) === null ? null : Number(entry.startedAt) * 1000;
  return (
    <button type="button" className="timeline-line" onClick={() => onJump(entry.turnId, itemId)}>
      <Icon name={icon} size={14} />
      <span className="timeline-text" dir="auto">
        {text}
      </span>
      {entry.type === "turnCompleted" && entry.durationMs != null ? <span className="hint">{duration(entry.durationMs)}</span> : null}
      {entry.type !== "turnCompleted" && at !== null ? <time className="hint">{clock(at)}</time> : null}
    </button>
  );
}
