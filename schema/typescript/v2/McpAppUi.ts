// Generated from the method tables of Parley's app-server. Do not edit.

import type { McpAppDisplayMode } from "./McpAppDisplayMode";

export type McpAppUi = { preferredModelDisplayMode: McpAppDisplayMode, resourceUri: string };
