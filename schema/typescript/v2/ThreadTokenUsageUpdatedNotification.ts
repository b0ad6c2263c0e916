// Generated from the method tables of Parley's app-server. Do not edit.

import type { ThreadTokenUsage } from "./ThreadTokenUsage";

export type ThreadTokenUsageUpdatedNotification = { threadId: string, tokenUsage: ThreadTokenUsage, turnId: string };
