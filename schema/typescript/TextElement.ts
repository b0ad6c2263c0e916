// Generated from the method tables of Parley's app-server. Do not edit.

export type TextElement = { byte_range: { start: number, end: number }, placeholder?: string | null };
