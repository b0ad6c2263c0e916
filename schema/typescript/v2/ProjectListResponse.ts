// Generated from the method tables of Parley's app-server. Do not edit.

import type { Project } from "./Project";

export type ProjectListResponse = { data: Array<Project>, nextCursor?: string | null };
