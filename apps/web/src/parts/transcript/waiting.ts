/** The items of the open session that wait for the user, so that each can be marked in the transcript. */
import { createContext } from "react";

export const WaitingItems = createContext<ReadonlySet<string>>(new Set());
