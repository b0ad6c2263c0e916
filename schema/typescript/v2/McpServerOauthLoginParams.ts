// Generated from the method tables of Parley's app-server. Do not edit.

import type { McpServerOauthClientRegistration } from "./McpServerOauthClientRegistration";

export type McpServerOauthLoginParams = { name: string, clientRegistration?: McpServerOauthClientRegistration | null, scopes?: Array<string> | null, threadId?: string | null, timeoutSecs?: number | null };
