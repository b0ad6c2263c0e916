// Generated from the method tables of Parley's app-server. Do not edit.

export type OtelTlsConfig = { "ca-certificate"?: string | null, "client-certificate"?: string | null, "client-private-key"?: string | null };
