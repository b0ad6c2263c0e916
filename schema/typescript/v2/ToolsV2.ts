// Generated from the method tables of Parley's app-server. Do not edit.

import type { WebSearchToolConfig } from "../WebSearchToolConfig";

export type ToolsV2 = { web_search?: WebSearchToolConfig | null };
