// Generated from the method tables of Parley's app-server. Do not edit.

import type { ConfiguredHookHandler } from "./ConfiguredHookHandler";

export type ConfiguredHookMatcherGroup = { hooks: Array<ConfiguredHookHandler>, matcher?: string | null };
