// Generated from the method tables of Parley's app-server. Do not edit.

import type { ThreadMemoryMode } from "../ThreadMemoryMode";

export type ThreadMemoryModeSetParams = { mode: ThreadMemoryMode, threadId: string };
