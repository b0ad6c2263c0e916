// Generated from the method tables of Parley's app-server. Do not edit.

import type { AccountSessionWorkspace } from "./AccountSessionWorkspace";

export type AccountSession = { displayName?: string | null, email?: string | null, imageUrl?: string | null, isActive: boolean, lastUsedAt: number, selectedWorkspaceAccountId?: string | null, sessionId: string, userId?: string | null, workspaces: Array<AccountSessionWorkspace> };
