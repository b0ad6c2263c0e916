// Generated from the method tables of Parley's app-server. Do not edit.

import type { GatewayOAuthStatus } from "./GatewayOAuthStatus";

export type GatewayOAuthReadResponse = { error?: string | null, providerId: string, providerName: string, required: boolean, status?: GatewayOAuthStatus | null };
