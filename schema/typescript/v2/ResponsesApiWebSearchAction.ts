// Generated from the method tables of Parley's app-server. Do not edit.

export type ResponsesApiWebSearchAction = { type: "search", queries?: Array<string> | null, query?: string | null } | { type: "open_page", url?: string | null } | { type: "find_in_page", pattern?: string | null, url?: string | null } | { type: "other" };
