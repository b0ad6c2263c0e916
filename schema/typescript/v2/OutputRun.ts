// Generated from the method tables of Parley's app-server. Do not edit.

export type OutputRun = { stream: "stdout" | "stderr", length: number, bytes?: string };
