// Generated from the method tables of Parley's app-server. Do not edit.

export type ThreadSortKey = "created_at" | "updated_at" | "recency_at" | "section_position";
