// Generated from the method tables of Parley's app-server. Do not edit.

import type { LegacyAppPathString } from "../LegacyAppPathString";
import type { HookEventName } from "./HookEventName";
import type { HookExecutionMode } from "./HookExecutionMode";
import type { HookHandlerType } from "./HookHandlerType";
import type { HookOutputEntry } from "./HookOutputEntry";
import type { HookRunStatus } from "./HookRunStatus";
import type { HookScope } from "./HookScope";
import type { HookSource } from "./HookSource";

export type HookRunSummary = { displayOrder: number, entries: Array<HookOutputEntry>, eventName: HookEventName, executionMode: HookExecutionMode, handlerType: HookHandlerType, id: string, scope: HookScope, sourcePath: LegacyAppPathString, startedAt: number, status: HookRunStatus, completedAt?: number | null, durationMs?: number | null, source?: HookSource, statusMessage?: string | null };
