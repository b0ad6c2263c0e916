// Generated from the method tables of Parley's app-server. Do not edit.

import type { ConnectorMetadata } from "./ConnectorMetadata";

export type AppsReadResponse = { apps: Array<ConnectorMetadata>, missingAppIds: Array<string> };
