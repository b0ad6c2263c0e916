// Generated from the method tables of Parley's app-server. Do not edit.

import type { EnvironmentStatusKind } from "./EnvironmentStatusKind";

export type EnvironmentStatusResponse = { error?: string | null, status: EnvironmentStatusKind };
