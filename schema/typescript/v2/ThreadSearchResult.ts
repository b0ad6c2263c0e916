// Generated from the method tables of Parley's app-server. Do not edit.

import type { Thread } from "./Thread";

export type ThreadSearchResult = { snippet: string, thread: Thread };
