// Generated from the method tables of Parley's app-server. Do not edit.

export type McpServerOauthLoginResponse = { authorizationUrl: string, authorization_url?: string, loginId?: string | null };
