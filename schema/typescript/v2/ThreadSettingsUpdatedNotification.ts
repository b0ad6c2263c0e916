// Generated from the method tables of Parley's app-server. Do not edit.

import type { ThreadSettings } from "./ThreadSettings";

export type ThreadSettingsUpdatedNotification = { threadId: string, threadSettings: ThreadSettings };
