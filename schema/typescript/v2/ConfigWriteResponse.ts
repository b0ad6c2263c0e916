// Generated from the method tables of Parley's app-server. Do not edit.

import type { AbsolutePathBuf } from "../AbsolutePathBuf";
import type { OverriddenMetadata } from "./OverriddenMetadata";
import type { WriteStatus } from "./WriteStatus";

export type ConfigWriteResponse = { filePath: AbsolutePathBuf, status: WriteStatus, version: string, overriddenMetadata?: OverriddenMetadata | null };
