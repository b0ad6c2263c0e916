// Generated from the method tables of Parley's app-server. Do not edit.

import type { WebSearchContextSize } from "./WebSearchContextSize";
import type { WebSearchLocation } from "./WebSearchLocation";

export type WebSearchToolConfig = { allowed_domains?: Array<string> | null, context_size?: WebSearchContextSize | null, location?: WebSearchLocation | null };
