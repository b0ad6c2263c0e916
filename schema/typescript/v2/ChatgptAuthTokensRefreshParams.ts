// Generated from the method tables of Parley's app-server. Do not edit.

import type { ChatgptAuthTokensRefreshReason } from "./ChatgptAuthTokensRefreshReason";

export type ChatgptAuthTokensRefreshParams = { reason: ChatgptAuthTokensRefreshReason, previousAccountId?: string | null };
