// Generated from the method tables of Parley's app-server. Do not edit.

import type { ProjectRoot } from "./ProjectRoot";

export type Project = { createdAt: number, id: string, metadata: { [key in string]?: string }, name: string, position: number, recencyAt?: number | null, roots: Array<ProjectRoot>, updatedAt: number };
