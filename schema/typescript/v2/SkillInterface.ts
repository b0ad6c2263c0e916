// Generated from the method tables of Parley's app-server. Do not edit.

import type { AbsolutePathBuf } from "../AbsolutePathBuf";

export type SkillInterface = { brandColor?: string | null, defaultPrompt?: string | null, displayName?: string | null, iconLarge?: AbsolutePathBuf | null, iconLargeUrl?: string | null, iconSmall?: AbsolutePathBuf | null, iconSmallUrl?: string | null, shortDescription?: string | null };
