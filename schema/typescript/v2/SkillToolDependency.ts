// Generated from the method tables of Parley's app-server. Do not edit.

export type SkillToolDependency = { type: string, value: string, command?: string | null, description?: string | null, transport?: string | null, url?: string | null };
