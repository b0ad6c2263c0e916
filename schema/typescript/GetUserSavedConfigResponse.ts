// Generated from the method tables of Parley's app-server. Do not edit.

import type { UserSavedConfig } from "./UserSavedConfig";

export type GetUserSavedConfigResponse = { config: UserSavedConfig };
