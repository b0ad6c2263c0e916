// Generated from the method tables of Parley's app-server. Do not edit.

import type { PluginDetail } from "./PluginDetail";

export type PluginReadResponse = { plugin: PluginDetail };
