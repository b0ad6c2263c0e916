// Generated from the method tables of Parley's app-server. Do not edit.

import type { ThreadItem } from "./ThreadItem";

export type ItemStartedNotification = { item: ThreadItem, startedAtMs: number, threadId: string, turnId: string };
