// Generated from the method tables of Parley's app-server. Do not edit.

export type WebSearchBeginEvent = { type: "web_search_begin", call_id: string };
