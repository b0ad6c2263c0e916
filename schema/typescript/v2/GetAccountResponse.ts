// Generated from the method tables of Parley's app-server. Do not edit.

import type { Account } from "./Account";
import type { WorkspaceRouting } from "./WorkspaceRouting";

export type GetAccountResponse = { requiresOpenaiAuth: boolean, account?: Account | null, workspaceRouting?: WorkspaceRouting | null };
