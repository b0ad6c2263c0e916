// Generated from the method tables of Parley's app-server. Do not edit.

import type { HookEventName } from "./HookEventName";

export type PluginHookSummary = { eventName: HookEventName, key: string };
