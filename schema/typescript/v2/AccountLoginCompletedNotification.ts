// Generated from the method tables of Parley's app-server. Do not edit.

import type { DesktopOnboardingEntrypoint } from "./DesktopOnboardingEntrypoint";

export type AccountLoginCompletedNotification = { success: boolean, error?: string | null, loginId?: string | null, onboardingEntrypoint?: DesktopOnboardingEntrypoint | null };
