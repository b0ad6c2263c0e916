// Generated from the method tables of Parley's app-server. Do not edit.

import type { SkillsListEntry } from "./SkillsListEntry";

export type SkillsListResponse = { data: Array<SkillsListEntry> };
