// Generated from the method tables of Parley's app-server. Do not edit.

import type { ThreadItem } from "./ThreadItem";
import type { TurnError } from "./TurnError";
import type { TurnStatus } from "./TurnStatus";

export type ThreadTimelineEntry = { item: ThreadItem, position: number, turnId: string, type: "item" } | { position: number, startedAt?: number | null, turnId: string, type: "turnStarted" } | { completedAt?: number | null, durationMs?: number | null, error?: TurnError | null, position: number, startedAt?: number | null, status: TurnStatus, turnId: string, type: "turnCompleted" };
