// Generated from the method tables of Parley's app-server. Do not edit.

import type { ThreadItem } from "./ThreadItem";

export type ThreadItemEntry = { item: ThreadItem, turnId: string, completedAtMs?: number | null, startedAtMs?: number | null };
