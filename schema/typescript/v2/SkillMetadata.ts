// Generated from the method tables of Parley's app-server. Do not edit.

import type { LegacyAppPathString } from "../LegacyAppPathString";
import type { SkillDependencies } from "./SkillDependencies";
import type { SkillInterface } from "./SkillInterface";
import type { SkillScope } from "./SkillScope";

export type SkillMetadata = { description: string, enabled: boolean, name: string, path: LegacyAppPathString, scope: SkillScope, dependencies?: SkillDependencies | null, interface?: SkillInterface | null, pluginId?: string | null, shortDescription?: string | null };
