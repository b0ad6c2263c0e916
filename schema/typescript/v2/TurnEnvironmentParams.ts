// Generated from the method tables of Parley's app-server. Do not edit.

import type { LegacyAppPathString } from "../LegacyAppPathString";

export type TurnEnvironmentParams = { cwd: LegacyAppPathString, environmentId: string, runtimeWorkspaceRoots?: Array<LegacyAppPathString> | null };
