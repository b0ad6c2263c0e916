// Generated from the method tables of Parley's app-server. Do not edit.

import type { LegacyAppPathString } from "../LegacyAppPathString";
import type { SkillInterface } from "./SkillInterface";

export type SkillSummary = { description: string, enabled: boolean, name: string, interface?: SkillInterface | null, path?: LegacyAppPathString | null, shortDescription?: string | null };
