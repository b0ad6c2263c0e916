// Generated from the method tables of Parley's app-server. Do not edit.

export type TurnStartedEvent = { type: "task_started", model_context_window?: number | null, collaboration_mode_kind?: string };
