// Generated from the method tables of Parley's app-server. Do not edit.

import type { ThreadBackgroundTerminal } from "./ThreadBackgroundTerminal";

export type ThreadBackgroundTerminalsListResponse = { data: Array<ThreadBackgroundTerminal>, nextCursor?: string | null };
