// Generated from the method tables of Parley's app-server. Do not edit.

import type { AbsolutePathBuf } from "../AbsolutePathBuf";

export type PluginSource = { type: "local", path: AbsolutePathBuf } | { type: "git", url: string, path?: string | null, refName?: string | null, sha?: string | null } | { type: "npm", package: string, registry?: string | null, version?: string | null } | { type: "remote" };
