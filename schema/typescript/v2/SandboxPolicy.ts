// Generated from the method tables of Parley's app-server. Do not edit.

import type { AbsolutePathBuf } from "../AbsolutePathBuf";
import type { NetworkAccess } from "./NetworkAccess";

export type SandboxPolicy = { type: "dangerFullAccess" } | { type: "readOnly", networkAccess?: boolean } | { type: "externalSandbox", networkAccess?: NetworkAccess } | { type: "workspaceWrite", excludeSlashTmp?: boolean, excludeTmpdirEnvVar?: boolean, networkAccess?: boolean, writableRoots?: Array<AbsolutePathBuf> };
