// Generated from the method tables of Parley's app-server. Do not edit.

import type { TextRange } from "./TextRange";

export type ConfigWarningNotification = { summary: string, details?: string | null, path?: string | null, range?: TextRange | null };
