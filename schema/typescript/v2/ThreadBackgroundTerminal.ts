// Generated from the method tables of Parley's app-server. Do not edit.

import type { LegacyAppPathString } from "../LegacyAppPathString";

export type ThreadBackgroundTerminal = { command: string, cwd: LegacyAppPathString, itemId: string, processId: string, cpuPercent?: number | null, osPid?: number | null, rssKb?: number | null };
