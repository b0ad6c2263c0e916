// Generated from the method tables of Parley's app-server. Do not edit.

export type AppBranding = { isDiscoverableApp: boolean, category?: string | null, developer?: string | null, privacyPolicy?: string | null, termsOfService?: string | null, website?: string | null };
