// Generated from the method tables of Parley's app-server. Do not edit.

import type { LegacyAppPathString } from "../LegacyAppPathString";

export type CommandAction = { type: "read", command: string, name: string, path: LegacyAppPathString } | { type: "listFiles", command: string, path?: string | null } | { type: "search", command: string, path?: string | null, query?: string | null } | { type: "unknown", command: string };
