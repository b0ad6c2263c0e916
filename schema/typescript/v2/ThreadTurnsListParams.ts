// Generated from the method tables of Parley's app-server. Do not edit.

import type { SortDirection } from "./SortDirection";
import type { TurnItemsView } from "./TurnItemsView";

export type ThreadTurnsListParams = { threadId: string, cursor?: string | null, itemsView?: TurnItemsView | null, limit?: number | null, sortDirection?: SortDirection | null };
