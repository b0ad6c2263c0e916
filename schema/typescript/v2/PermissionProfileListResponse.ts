// Generated from the method tables of Parley's app-server. Do not edit.

import type { PermissionProfileSummary } from "./PermissionProfileSummary";

export type PermissionProfileListResponse = { data: Array<PermissionProfileSummary>, nextCursor?: string | null };
