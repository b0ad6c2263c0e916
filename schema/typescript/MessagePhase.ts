// Generated from the method tables of Parley's app-server. Do not edit.

export type MessagePhase = "commentary" | "partial_answer" | "final_answer";
