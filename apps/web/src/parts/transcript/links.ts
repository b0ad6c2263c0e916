/** Links from a transcript to other sessions, such as those of sub-agents. Empty if there is nothing to link to. */
import { createContext } from "react";

export interface SessionLinks {
  /** The session's title; undefined if the session is unknown here. */
  titleOf(sessionId: string): string | undefined;
  open(sessionId: string): void;
}

export const SessionLinksContext = createContext<SessionLinks | undefined>(undefined);
