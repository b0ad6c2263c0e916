// Generated from the method tables of Parley's app-server. Do not edit.

export type WebSearchAction = { type: "search", queries?: Array<string> | null, query?: string | null } | { type: "openPage", url?: string | null } | { type: "findInPage", pattern?: string | null, url?: string | null } | { type: "other" };
