// Generated from the method tables of Parley's app-server. Do not edit.

import type { OtelHttpProtocol } from "./OtelHttpProtocol";
import type { OtelTlsConfig } from "./OtelTlsConfig";

export type OtelExporter = "none" | "statsig" | { "otlp-http": { endpoint: string, headers: { [key in string]?: string }, protocol: OtelHttpProtocol, tls?: OtelTlsConfig | null } } | { "otlp-grpc": { endpoint: string, headers: { [key in string]?: string }, tls?: OtelTlsConfig | null } };
