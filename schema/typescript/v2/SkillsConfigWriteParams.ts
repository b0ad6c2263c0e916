// Generated from the method tables of Parley's app-server. Do not edit.

import type { AbsolutePathBuf } from "../AbsolutePathBuf";

export type SkillsConfigWriteParams = { enabled: boolean, name?: string | null, path?: AbsolutePathBuf | null };
