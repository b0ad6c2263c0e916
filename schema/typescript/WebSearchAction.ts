// Generated from the method tables of Parley's app-server. Do not edit.

export type WebSearchAction = { type: "search", query?: string | null, queries?: Array<string> | null } | { type: "open_page", url?: string | null } | { type: "find_in_page", url?: string | null, pattern?: string | null } | { type: "other" };
