// Generated from the method tables of Parley's app-server. Do not edit.

import type { ProjectSortKey } from "./ProjectSortKey";
import type { SortDirection } from "./SortDirection";

export type ProjectListParams = { cursor?: string | null, limit?: number | null, sortDirection?: SortDirection | null, sortKey?: ProjectSortKey | null };
