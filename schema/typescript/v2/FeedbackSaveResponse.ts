// Generated from the method tables of Parley's app-server. Do not edit.

import type { LegacyAppPathString } from "../LegacyAppPathString";

export type FeedbackSaveResponse = { promptHash?: string | null, savedPath: LegacyAppPathString, threadId: string };
