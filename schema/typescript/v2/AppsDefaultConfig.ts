// Generated from the method tables of Parley's app-server. Do not edit.

import type { AppToolApproval } from "./AppToolApproval";
import type { ApprovalsReviewer } from "./ApprovalsReviewer";

export type AppsDefaultConfig = { approvals_reviewer?: ApprovalsReviewer | null, default_tools_approval_mode?: AppToolApproval | null, destructive_enabled?: boolean, enabled?: boolean, open_world_enabled?: boolean };
