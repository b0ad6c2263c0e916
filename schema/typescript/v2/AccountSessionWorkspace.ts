// Generated from the method tables of Parley's app-server. Do not edit.

import type { AccountSessionWorkspaceKind } from "./AccountSessionWorkspaceKind";

export type AccountSessionWorkspace = { accountId: string, imageUrl?: string | null, kind?: AccountSessionWorkspaceKind | null, name?: string | null };
