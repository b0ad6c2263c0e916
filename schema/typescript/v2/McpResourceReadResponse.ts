// Generated from the method tables of Parley's app-server. Do not edit.

import type { ResourceContent } from "../ResourceContent";

export type McpResourceReadResponse = { contents: Array<ResourceContent>, originCallId?: string | null };
