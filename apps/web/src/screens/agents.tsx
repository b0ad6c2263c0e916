/** The sub-agents of a session as a tree: what each does, its state, and a way into it. */
import { type CSSProperties, type ReactElement, useMemo } from "react";
import { allows, useApp, useAppState } from "../app-context.tsx";
import { ago } from "../state/format.ts";
import { type AgentRow, isWorking, stateLabel, waitingCounts } from "../state/list.ts";
import type { SessionSummary } from "../state/model.ts";
import { Empty, IconButton } from "../ui/controls.tsx";
import { ChangeCount } from "./arrange.tsx";
import { useNow } from "./sidebar.tsx";
import { useAgents } from "./use-agents.ts";

/** The session at the top of the tree that this one belongs to. */
function useTop(session: SessionSummary): SessionSummary {
  const sessions = useAppState((s) => s.sessions);
  return useMemo(() => {
    const seen = new Set<string>();
    let top = session;
    for (;;) {
      const parent = top.parentSessionId == null ? undefined : sessions.get(top.parentSessionId);
      if (parent === undefined || seen.has(parent.sessionId)) return top;
      seen.add(parent.sessionId);
      top = parent;
    }
  }, [session, sessions]);
}

export function Agents({ session }: { session: SessionSummary }): ReactElement {
  const top = useTop(session);
  const rows = useAgents(top.sessionId);
  const now = useNow(30_000);
  if (rows.length === 0)
    return (
      <Empty icon="users" title="No sub-agents">
        <p>When the agent hands a part of its work to others, they are listed here.</p>
      </Empty>
    );
  return (
    <ul className="agents" aria-label="Agents of this session">
      <AgentLine row={{ session: top, depth: 0 }} isOpen={top.sessionId === session.sessionId} now={now} name="Main agent" />
      {rows.map((row) => (
        <AgentLine
          key={row.session.sessionId}
          row={{ ...row, depth: row.depth + 1 }}
          isOpen={row.session.sessionId === session.sessionId}
          now={now}
          name={row.session.agentName ?? "Sub-agent"}
        />
      ))}
    </ul>
  );
}

function AgentLine({ row, isOpen, now, name }: { row: AgentRow; isOpen: boolean; now: number; name: string }): ReactElement {
  const { go, controller, scope } = useApp();
  const { session, depth } = row;
  const waiting = useAppState((s) => waitingCounts(s.pending).get(session.sessionId) ?? 0);
  const state = stateLabel(session, waiting, session.unread);
  return (
    <li className="agent-line" style={{ "--depth": Math.min(depth, 6) } as CSSProperties}>
      <button
        type="button"
        className="agent-open"
        aria-current={isOpen ? "page" : undefined}
        onClick={() => go({ name: "session", sessionId: session.sessionId, requestId: null })}
      >
        <span className={`state-dot state-${state.id}`} aria-hidden="true" />
        <span className="session-text">
          <span className="session-title" dir="auto">
            {name}
          </span>
          <span className="agent-task" dir="auto">
            {session.title}
          </span>
          <span className="session-sub">
            <span className={`state-word state-word-${state.id}`}>{state.text}</span>
            <span>{ago(session.updatedAt, now)}</span>
            <ChangeCount session={session} />
          </span>
        </span>
      </button>
      {isWorking(session) && depth > 0 && allows(scope, "drive") ? (
        <IconButton
          icon="stop"
          size={16}
          label={`Stop ${name}`}
          onClick={() => void controller.try(controller.connection.interrupt(session.sessionId))}
        />
      ) : null}
    </li>
  );
}
