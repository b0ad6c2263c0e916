// Generated from the method tables of Parley's app-server. Do not edit.

import type { AppBranding } from "./AppBranding";
import type { AppMetadata } from "./AppMetadata";

export type AppInfo = { id: string, name: string, appMetadata?: AppMetadata | null, branding?: AppBranding | null, description?: string | null, distributionChannel?: string | null, iconAssets?: { [key in string]?: string } | null, iconDarkAssets?: { [key in string]?: string } | null, installUrl?: string | null, isAccessible?: boolean, isEnabled?: boolean, labels?: { [key in string]?: string } | null, logoUrl?: string | null, logoUrlDark?: string | null, pluginDisplayNames?: Array<string> };
