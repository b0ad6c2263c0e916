// Generated from the method tables of Parley's app-server. Do not edit.

import type { PathUri } from "../PathUri";
import type { EnvironmentShellInfo } from "./EnvironmentShellInfo";

export type EnvironmentInfoResponse = { cwd?: PathUri | null, shell: EnvironmentShellInfo };
