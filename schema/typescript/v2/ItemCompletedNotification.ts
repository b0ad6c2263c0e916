// Generated from the method tables of Parley's app-server. Do not edit.

import type { ThreadItem } from "./ThreadItem";

export type ItemCompletedNotification = { completedAtMs: number, item: ThreadItem, threadId: string, turnId: string };
