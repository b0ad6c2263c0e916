// Generated from the method tables of Parley's app-server. Do not edit.

import type { ToolRequestUserInputAnswer } from "./ToolRequestUserInputAnswer";

export type ToolRequestUserInputResponse = { answers: { [key in string]?: ToolRequestUserInputAnswer } };
