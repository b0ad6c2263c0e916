// Generated from the method tables of Parley's app-server. Do not edit.

import type { CommandExecTerminalSize } from "./CommandExecTerminalSize";

export type CommandExecResizeParams = { processId: string, size: CommandExecTerminalSize };
