// Generated from the method tables of Parley's app-server. Do not edit.

import type { JsonValue } from "../serde_json/JsonValue";
import type { ConfigLayerMetadata } from "./ConfigLayerMetadata";

export type OverriddenMetadata = { effectiveValue: JsonValue, message: string, overridingLayer: ConfigLayerMetadata };
