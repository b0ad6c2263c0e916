// Generated from the method tables of Parley's app-server. Do not edit.

import type { LegacyAppPathString } from "../LegacyAppPathString";

export type FeedbackSaveParams = { classification: string, extraLogFiles?: Array<string> | null, includeLogs?: boolean, reason?: string | null, savePath: LegacyAppPathString, tags?: { [key in string]?: string } | null, threadId?: string | null };
