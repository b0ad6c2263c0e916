// Generated from the method tables of Parley's app-server. Do not edit.

import type { AccountSession } from "./AccountSession";

export type AccountSessionsResponse = { activeSessionId?: string | null, sessions: Array<AccountSession> };
