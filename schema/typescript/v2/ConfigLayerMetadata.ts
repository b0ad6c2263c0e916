// Generated from the method tables of Parley's app-server. Do not edit.

import type { ConfigLayerSource } from "./ConfigLayerSource";

export type ConfigLayerMetadata = { name: ConfigLayerSource, version: string };
