/** The items of the open session that wait for a person, so that each can say so at its place in the transcript. */
import { createContext } from "react";

export const WaitingItems = createContext<ReadonlySet<string>>(new Set());
