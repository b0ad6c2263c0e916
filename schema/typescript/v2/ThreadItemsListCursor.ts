// Generated from the method tables of Parley's app-server. Do not edit.

import type { ThreadItemsListAnchor } from "./ThreadItemsListAnchor";

export type ThreadItemsListCursor = string | ThreadItemsListAnchor;
