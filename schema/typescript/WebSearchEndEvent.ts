// Generated from the method tables of Parley's app-server. Do not edit.

import type { WebSearchAction } from "./WebSearchAction";

export type WebSearchEndEvent = { type: "web_search_end", call_id: string, query: string, action: WebSearchAction };
