// Generated from the method tables of Parley's app-server. Do not edit.

import type { ProcessTerminalSize } from "./ProcessTerminalSize";

export type ProcessResizePtyParams = { processHandle: string, size: ProcessTerminalSize };
