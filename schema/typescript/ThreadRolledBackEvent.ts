// Generated from the method tables of Parley's app-server. Do not edit.

export type ThreadRolledBackEvent = { type: "thread_rolled_back", num_turns: number };
