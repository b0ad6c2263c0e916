// Generated from the method tables of Parley's app-server. Do not edit.

export type JsonValue = number | string | boolean | Array<JsonValue> | { [key in string]?: JsonValue } | null;
