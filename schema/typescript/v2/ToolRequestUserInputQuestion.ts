// Generated from the method tables of Parley's app-server. Do not edit.

import type { ToolRequestUserInputOption } from "./ToolRequestUserInputOption";

export type ToolRequestUserInputQuestion = { header: string, id: string, question: string, isOther?: boolean, isSecret?: boolean, options?: Array<ToolRequestUserInputOption> | null, allowOther?: boolean, text?: string, multiple?: boolean, type?: "single_choice" | "multi_choice" };
