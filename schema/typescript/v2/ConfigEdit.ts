// Generated from the method tables of Parley's app-server. Do not edit.

import type { JsonValue } from "../serde_json/JsonValue";
import type { MergeStrategy } from "./MergeStrategy";

export type ConfigEdit = { keyPath: string, mergeStrategy: MergeStrategy, value: JsonValue };
