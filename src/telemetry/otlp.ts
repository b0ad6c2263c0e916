/** Collects spans and metrics and sends them to an OpenTelemetry collector as OTLP over HTTP, in JSON. Never delays a turn. */

import { causeMessage } from "../lib/error-text.ts";
import type { OtelTarget } from "./otel-settings.ts";

export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

export interface SpanData {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly name: string;
  /** "client" for calls to another server. */
  readonly kind: "internal" | "client";
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Attributes;
  /** Why it failed; undefined when it did not. */
  readonly error?: string | undefined;
}

export interface OtlpOptions {
  readonly traces: OtelTarget | undefined;
  readonly metrics: OtelTarget | undefined;
  /** Facts about this process. */
  readonly resource: Attributes;
  readonly scope: { readonly name: string; readonly version: string };
  readonly now: () => number;
  readonly warn: (message: string, fields: Readonly<Record<string, unknown>>) => void;
  readonly send?: typeof fetch;
}

/** Undelivered data is kept up to this limit; then the oldest is dropped. */
const maxSpans = 2048;
const spansEveryMs = 2000;
const metricsEveryMs = 30_000;
const sendTimeoutMs = 10_000;
const lastSendMs = 2000;

const secondsBounds = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];
const tokenBounds = [1, 4, 16, 64, 256, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216, 67_108_864];

interface Figure {
  readonly name: string;
  readonly unit: string;
  readonly attributes: Attributes;
  readonly bounds: readonly number[] | undefined;
  readonly counts: number[];
  count: number;
  sum: number;
}

interface Measure {
  readonly name: string;
  readonly unit: string;
  /** Of a histogram; a counter has none. */
  readonly bounds?: readonly number[];
}

export class Otlp {
  readonly #options: OtlpOptions;
  #spans: SpanData[] = [];
  #figures = new Map<string, Figure>();
  #since: number;
  #dropped = 0;
  #hasWarned = false;
  #spanTimer: NodeJS.Timeout | undefined;
  #metricTimer: NodeJS.Timeout | undefined;
  #sending: Promise<void> = Promise.resolve();

  constructor(options: OtlpOptions) {
    this.#options = options;
    this.#since = options.now();
  }

  add(span: SpanData): void {
    if (this.#options.traces === undefined) return;
    this.#spans.push(span);
    if (this.#spans.length > maxSpans) {
      this.#spans.shift();
      this.#dropped++;
    }
    this.#spanTimer ??= setTimeout(() => void this.#sendSpans(sendTimeoutMs), spansEveryMs).unref();
  }

  /** Adds to a sum. */
  count(name: string, attributes: Attributes, by = 1): void {
    this.#figure({ name, unit: "1" }, attributes, by);
  }
  seconds(name: string, attributes: Attributes, ms: number): void {
    this.#figure({ name, unit: "s", bounds: secondsBounds }, attributes, ms / 1000);
  }
  tokens(name: string, attributes: Attributes, tokens: number): void {
    this.#figure({ name, unit: "{token}", bounds: tokenBounds }, attributes, tokens);
  }

  /** Sends the rest; resolves after a short while at the latest. */
  async close(): Promise<void> {
    clearTimeout(this.#spanTimer);
    clearTimeout(this.#metricTimer);
    await Promise.all([this.#sendSpans(lastSendMs), this.#sendMetrics(lastSendMs)]);
  }

  #figure({ name, unit, bounds }: Measure, attributes: Attributes, value: number): void {
    if (this.#options.metrics === undefined) return;
    const key = JSON.stringify([name, attributes]);
    const figure = this.#figures.get(key) ?? {
      name,
      unit,
      attributes,
      bounds,
      counts: bounds?.map(() => 0).concat(0) ?? [],
      count: 0,
      sum: 0,
    };
    this.#figures.set(key, figure);
    figure.count++;
    figure.sum += value;
    if (bounds !== undefined) {
      const found = bounds.findIndex((bound) => value <= bound);
      const at = found === -1 ? bounds.length : found;
      figure.counts[at] = (figure.counts[at] ?? 0) + 1;
    }
    this.#metricTimer ??= setTimeout(() => void this.#sendMetrics(sendTimeoutMs), metricsEveryMs).unref();
  }

  #sendSpans(limitMs: number): Promise<void> {
    this.#spanTimer = undefined;
    const batch = this.#spans;
    this.#spans = [];
    if (batch.length === 0 || this.#options.traces === undefined) return this.#sending;
    const { traces } = this.#options;
    const body = {
      resourceSpans: [{ resource: this.#resource(), scopeSpans: [{ scope: this.#options.scope, spans: batch.map(spanJson) }] }],
    };
    return this.#post(traces, body, limitMs, () => {
      this.#spans = [...batch, ...this.#spans].slice(-maxSpans);
    });
  }

  #sendMetrics(limitMs: number): Promise<void> {
    this.#metricTimer = undefined;
    const figures = [...this.#figures.values()];
    this.#figures = new Map();
    const [from, to] = [this.#since, this.#options.now()];
    this.#since = to;
    if (figures.length === 0 || this.#options.metrics === undefined) return this.#sending;
    const names = Map.groupBy(figures, (figure) => figure.name);
    const metrics = [...names].map(([name, points]) => metricJson(name, points, from, to));
    const body = { resourceMetrics: [{ resource: this.#resource(), scopeMetrics: [{ scope: this.#options.scope, metrics }] }] };
    return this.#post(this.#options.metrics, body, limitMs, () => {});
  }

  #resource(): object {
    return {
      attributes: attributesJson({ ...this.#options.resource, ...(this.#dropped > 0 ? { "parley.dropped_spans": this.#dropped } : {}) }),
    };
  }

  /** One request at a time, so that a slow collector does not get two at once. What a full collector refuses is kept. */
  #post(target: OtelTarget, body: object, limitMs: number, keep: () => void): Promise<void> {
    const send = this.#options.send ?? fetch;
    const work = async (): Promise<void> => {
      try {
        const response = await send(target.url, {
          method: "POST",
          headers: { "content-type": "application/json", ...target.headers },
          body: JSON.stringify(body),
          signal: AbortSignal.timeout(limitMs),
        });
        await response.body?.cancel();
        if (response.ok) return;
        if (response.status === 429 || response.status >= 500) keep();
        this.#warn(target.url, `status ${response.status}`);
      } catch (error) {
        keep();
        this.#warn(target.url, causeMessage(error));
      }
    };
    this.#sending = this.#sending.then(work);
    return this.#sending;
  }

  #warn(url: string, reason: string): void {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    this.#options.warn("telemetry could not be delivered; reported only once", { url, reason });
  }
}

const nanos = (ms: number): string => `${Math.round(ms)}000000`;

function attributesJson(attributes: Attributes): object[] {
  return Object.entries(attributes).flatMap(([key, value]) => (value === undefined ? [] : [{ key, value: valueJson(value) }]));
}

function valueJson(value: string | number | boolean): object {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  return Number.isInteger(value) ? { intValue: `${value}` } : { doubleValue: value };
}

function spanJson(span: SpanData): object {
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    ...(span.parentSpanId === undefined ? {} : { parentSpanId: span.parentSpanId }),
    name: span.name,
    kind: span.kind === "client" ? 3 : 1,
    startTimeUnixNano: nanos(span.startMs),
    endTimeUnixNano: nanos(span.endMs),
    attributes: attributesJson(span.attributes),
    status: span.error === undefined ? {} : { code: 2, message: span.error },
  };
}

/** Each point covers the time since the last one. */
const delta = 1;

function metricJson(name: string, points: readonly Figure[], fromMs: number, toMs: number): object {
  const span = { startTimeUnixNano: nanos(fromMs), timeUnixNano: nanos(toMs) };
  const unit = points[0]?.unit ?? "1";
  if (points[0]?.bounds === undefined)
    return {
      name,
      unit,
      sum: {
        aggregationTemporality: delta,
        isMonotonic: true,
        dataPoints: points.map((point) => ({ ...span, attributes: attributesJson(point.attributes), asInt: `${point.sum}` })),
      },
    };
  return {
    name,
    unit,
    histogram: {
      aggregationTemporality: delta,
      dataPoints: points.map((point) => ({
        ...span,
        attributes: attributesJson(point.attributes),
        count: `${point.count}`,
        sum: point.sum,
        bucketCounts: point.counts.map(String),
        explicitBounds: point.bounds,
      })),
    },
  };
}
