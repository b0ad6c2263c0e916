/** All open requests, across all sessions, oldest first. */
import { type ReactElement, useMemo } from "react";
import { useApp, useAppState } from "../app-context.tsx";
import { DecisionLine } from "../parts/requests/decision-line.tsx";
import { ago, folderName, plural } from "../state/format.ts";
import type { PendingView, SessionSummary } from "../state/model.ts";
import { Empty } from "../ui/controls.tsx";
import { WaitingCard } from "./request-card.tsx";
import { useNow } from "./sidebar.tsx";

export function Inbox({ menuButton }: { menuButton: ReactElement | null }): ReactElement {
  const pending = useAppState((s) => s.pending);
  const sessions = useAppState((s) => s.sessions);
  const resolved = useAppState((s) => s.resolved);
  const now = useNow(15_000);
  const list = useMemo(() => [...pending.values()].sort((a, b) => a.createdAt.localeCompare(b.createdAt)), [pending]);
  return (
    <div className="page">
      <header className="page-head">
        {menuButton}
        <h1>Inbox</h1>
        <span className="page-sub">{list.length === 0 ? "" : `${plural(list.length, "thing")} waiting for you`}</span>
      </header>
      <div className="page-scroll">
        <div className="column inbox">
          {list.length === 0 ? (
            <Empty icon="inbox" title="Nothing waits for you">
              <p>Approvals, questions and tool calls of every session come together here.</p>
            </Empty>
          ) : null}
          {list.map((request, i) => (
            <InboxCard
              key={request.requestId}
              request={request}
              session={sessions.get(request.threadId)}
              now={now}
              position={`${i + 1} of ${list.length}`}
            />
          ))}
          {resolved.length === 0 ? null : (
            <section className="recent">
              <h2>Recently answered</h2>
              {resolved.slice(0, 20).map((r) => (
                <DecisionLine key={r.requestId} decision={r} />
              ))}
            </section>
          )}
        </div>
      </div>
    </div>
  );
}

function InboxCard({
  request,
  session,
  now,
  position,
}: {
  request: PendingView;
  session: SessionSummary | undefined;
  now: number;
  position: string;
}): ReactElement {
  const { go } = useApp();
  return (
    <WaitingCard
      request={request}
      session={session}
      position={position}
      context={
        <CardContext
          request={request}
          session={session}
          now={now}
          onOpen={() => go({ name: "session", sessionId: request.threadId, requestId: request.requestId })}
        />
      }
    />
  );
}

function CardContext({
  request,
  session,
  now,
  onOpen,
}: {
  request: PendingView;
  session: SessionSummary | undefined;
  now: number;
  onOpen: () => void;
}): ReactElement {
  return (
    <div className="card-context">
      <button type="button" className="link-button" dir="auto" onClick={onOpen}>
        {session?.title ?? request.sessionTitle ?? "Open the session"}
      </button>
      <span>{session === undefined ? "" : folderName(session.cwd)}</span>
      <span className="spacer" />
      <time dateTime={request.createdAt}>{ago(Date.parse(request.createdAt) / 1000, now)}</time>
    </div>
  );
}
