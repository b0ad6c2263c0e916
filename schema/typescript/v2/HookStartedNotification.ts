// Generated from the method tables of Parley's app-server. Do not edit.

import type { HookRunSummary } from "./HookRunSummary";

export type HookStartedNotification = { run: HookRunSummary, threadId: string, turnId?: string | null };
