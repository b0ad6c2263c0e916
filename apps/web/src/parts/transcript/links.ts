/** How parts of a transcript lead to other sessions, such as those of sub-agents. Empty where there is nowhere to go. */
import { createContext } from "react";

export interface SessionLinks {
  /** What the session is called; undefined for one that is not known here. */
  titleOf(sessionId: string): string | undefined;
  open(sessionId: string): void;
}

export const SessionLinksContext = createContext<SessionLinks | undefined>(undefined);
