// Generated from the method tables of Parley's app-server. Do not edit.

export type ChatgptAuthTokensRefreshResponse = { accessToken: string, chatgptAccountId: string, chatgptPlanType?: string | null };
