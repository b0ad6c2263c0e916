// Generated from the method tables of Parley's app-server. Do not edit.

import type { TerminalExitStatus } from "./TerminalExitStatus";

export type TerminalOutputResponse = { output: string, truncated: boolean, exitStatus?: TerminalExitStatus | null };
