// Generated from the method tables of Parley's app-server. Do not edit.

export type TokenUsage = { input_tokens: number, cached_input_tokens: number, output_tokens: number, reasoning_output_tokens: number, total_tokens: number };
