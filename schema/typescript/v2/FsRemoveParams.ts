// Generated from the method tables of Parley's app-server. Do not edit.

import type { AbsolutePathBuf } from "../AbsolutePathBuf";

export type FsRemoveParams = { path: AbsolutePathBuf, force?: boolean | null, recursive?: boolean | null };
