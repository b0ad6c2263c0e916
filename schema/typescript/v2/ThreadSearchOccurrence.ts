// Generated from the method tables of Parley's app-server. Do not edit.

import type { ThreadSearchTextRange } from "./ThreadSearchTextRange";

export type ThreadSearchOccurrence = { itemId: string, snippet: string, snippetMatchRange: ThreadSearchTextRange, turnCursor: string, turnId: string };
