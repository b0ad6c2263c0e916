// Generated from the method tables of Parley's app-server. Do not edit.

import type { SkillErrorInfo } from "./SkillErrorInfo";
import type { SkillMetadata } from "./SkillMetadata";

export type SkillsListEntry = { cwd: string, errors: Array<SkillErrorInfo>, skills: Array<SkillMetadata> };
