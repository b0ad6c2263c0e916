// Generated from the method tables of Parley's app-server. Do not edit.

export type SandboxReadResponse = { engine: "bubblewrap" | "namespaces" | "landlock" | "seatbelt" | "none", standing: "full" | "weaker" | "refused", line: string, fix?: string | null };
