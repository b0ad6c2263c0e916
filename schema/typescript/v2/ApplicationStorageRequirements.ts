// Generated from the method tables of Parley's app-server. Do not edit.

import type { LegacyAppPathString } from "../LegacyAppPathString";

export type ApplicationStorageRequirements = { defaultProjectParent?: LegacyAppPathString | null, projectlessWorkspaceRoot?: LegacyAppPathString | null };
