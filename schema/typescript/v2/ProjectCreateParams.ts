// Generated from the method tables of Parley's app-server. Do not edit.

import type { ProjectRoot } from "./ProjectRoot";

export type ProjectCreateParams = { idempotencyKey: string, metadata?: { [key in string]?: string } | null, name: string, roots: Array<ProjectRoot> };
