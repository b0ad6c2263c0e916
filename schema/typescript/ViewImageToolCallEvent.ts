// Generated from the method tables of Parley's app-server. Do not edit.

export type ViewImageToolCallEvent = { type: "view_image_tool_call", call_id: string, path: string };
