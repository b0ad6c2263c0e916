// Generated from the method tables of Parley's app-server. Do not edit.

import type { AbsolutePathBuf } from "./AbsolutePathBuf";

export type SandboxSettings = { excludeSlashTmp?: boolean | null, excludeTmpdirEnvVar?: boolean | null, networkAccess?: boolean | null, writableRoots?: Array<AbsolutePathBuf> | null };
