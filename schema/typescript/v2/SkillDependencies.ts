// Generated from the method tables of Parley's app-server. Do not edit.

import type { SkillToolDependency } from "./SkillToolDependency";

export type SkillDependencies = { tools: Array<SkillToolDependency> };
