// Generated from the method tables of Parley's app-server. Do not edit.

import type { AbsolutePathBuf } from "../AbsolutePathBuf";

export type PluginInterface = { capabilities: Array<string>, screenshotUrls: Array<string>, screenshots: Array<AbsolutePathBuf>, brandColor?: string | null, category?: string | null, composerIcon?: AbsolutePathBuf | null, composerIconUrl?: string | null, defaultPrompt?: Array<string> | null, developerName?: string | null, displayName?: string | null, logo?: AbsolutePathBuf | null, logoDark?: AbsolutePathBuf | null, logoUrl?: string | null, logoUrlDark?: string | null, longDescription?: string | null, privacyPolicyUrl?: string | null, shortDescription?: string | null, termsOfServiceUrl?: string | null, websiteUrl?: string | null };
