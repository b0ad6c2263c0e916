// Generated from the method tables of Parley's app-server. Do not edit.

import type { JsonValue } from "../serde_json/JsonValue";
import type { ConfigLayerSource } from "./ConfigLayerSource";

export type ConfigLayer = { config: JsonValue, name: ConfigLayerSource, version: string, disabledReason?: string | null };
