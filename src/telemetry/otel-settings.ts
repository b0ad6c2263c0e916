/** `[otel]` of config.toml as telemetry uses it: where traces and metrics go, and what they contain. */
import { isTable } from "../lib/toml.ts";

export interface OtelTarget {
  /** The whole address, `/v1/traces` or `/v1/metrics` included. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}
export interface OtelSettings {
  readonly traces: OtelTarget | undefined;
  readonly metrics: OtelTarget | undefined;
  readonly environment: string;
  readonly spanAttributes: Readonly<Record<string, string>>;
  readonly includePrompts: boolean;
}

/** Undefined when nothing is to be sent. `warn` receives settings that cannot be applied. */
export function otelFrom(raw: unknown, warn: (message: string) => void): OtelSettings | undefined {
  if (!isTable(raw)) return undefined;
  const targetOf = (key: string, signal: string): OtelTarget | undefined => {
    const exporter = raw[key] ?? raw["exporter"];
    return exporter === undefined ? undefined : targetFrom(exporter, signal, (reason) => warn(`[otel] ${key}: ${reason}`));
  };
  const traces = targetOf("trace_exporter", "traces");
  const metrics = targetOf("metrics_exporter", "metrics");
  if (traces === undefined && metrics === undefined) return undefined;
  return {
    traces,
    metrics,
    environment: typeof raw["environment"] === "string" ? raw["environment"] : "dev",
    spanAttributes: textsOf(raw["span_attributes"]),
    includePrompts: raw["log_user_prompt"] === true,
  };
}

function targetFrom(exporter: unknown, signal: string, warn: (reason: string) => void): OtelTarget | undefined {
  if (exporter === "none") return undefined;
  const http = isTable(exporter) ? exporter["otlp-http"] : undefined;
  if (!isTable(http)) {
    warn('only { otlp-http = { endpoint = "…" } } and "none" are known; nothing is sent');
    return undefined;
  }
  const { endpoint, tls } = http;
  if (typeof endpoint !== "string" || !URL.canParse(endpoint)) {
    warn("endpoint is missing or no address; nothing is sent");
    return undefined;
  }
  if (isTable(tls)) warn("tls is not read; name an own certificate authority in SSL_CERT_FILE");
  return { url: addressOf(endpoint, signal), headers: textsOf(http["headers"]) };
}

/** Collectors have one address per signal; settings name one of them, or their common part. */
function addressOf(endpoint: string, signal: string): string {
  const url = new URL(endpoint);
  url.pathname = `${url.pathname.replace(/\/v1\/(?:logs|traces|metrics)\/?$/, "").replace(/\/+$/, "")}/v1/${signal}`;
  return url.href;
}

function textsOf(value: unknown): Record<string, string> {
  if (!isTable(value)) return {};
  return Object.fromEntries(Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === "string"));
}
