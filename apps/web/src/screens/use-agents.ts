/** The sub-agents of a session, for its header and its panel. */
import { useMemo } from "react";
import { useAppState } from "../app-context.tsx";
import { type AgentRow, agentsOf } from "../state/list.ts";

export function useAgents(sessionId: string): readonly AgentRow[] {
  const sessions = useAppState((s) => s.sessions);
  return useMemo(() => agentsOf(sessionId, sessions.values()), [sessionId, sessions]);
}
