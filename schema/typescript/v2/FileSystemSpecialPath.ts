// Generated from the method tables of Parley's app-server. Do not edit.

import type { LegacyAppPathString } from "../LegacyAppPathString";

export type FileSystemSpecialPath = { kind: "root" } | { kind: "minimal" } | { kind: "project_roots", subpath?: LegacyAppPathString | null } | { kind: "tmpdir" } | { kind: "slash_tmp" } | { kind: "unknown", path: string, subpath?: LegacyAppPathString | null };
