// Generated from the method tables of Parley's app-server. Do not edit.

import type { EnvironmentShellInfo } from "./EnvironmentShellInfo";
import type { PathUri } from "./PathUri";

export type EnvironmentInfoResponse = { cwd?: PathUri | null, shell: EnvironmentShellInfo };
