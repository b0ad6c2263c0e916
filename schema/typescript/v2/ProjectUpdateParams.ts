// Generated from the method tables of Parley's app-server. Do not edit.

import type { ProjectRoot } from "./ProjectRoot";

export type ProjectUpdateParams = { metadata?: { [key in string]?: string } | null, name?: string | null, projectId: string, roots?: Array<ProjectRoot> | null };
