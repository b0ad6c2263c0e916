import assert from "node:assert/strict";
import { test } from "node:test";
import type { Audience } from "../core/ports/audience.ts";
import type { Log } from "../core/ports/log.ts";
import type { ModelClients, ModelEvent, ModelRequest } from "../core/ports/model-client.ts";
import { succeeded, type Tool, type ToolContext } from "../core/ports/tool.ts";
import { builtInProvider } from "../models/providers.ts";
import { otelFrom } from "./otel-settings.ts";
import { createTelemetry } from "./telemetry.ts";
import { watched } from "./watch-turns.ts";

const silent: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const nobody: Audience = {
  ...{
    toThread: () => {},
    textToThread: () => {},
    toOlder: () => {},
    toAll: () => {},
    isWatched: () => true,
    forget: () => {},
    hurry: () => {},
    caughtUp: () => undefined,
  },
  ask: async () => ({ kind: "answered", result: { decision: "accept" }, by: "t" }),
};
const otel = { exporter: { "otlp-http": { endpoint: "http://collector.invalid:4318/v1/logs", headers: { "x-key": "k" } } } };

interface Span {
  readonly name: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly traceId: string;
  readonly attributes: readonly { readonly key: string; readonly value: Record<string, unknown> }[];
  readonly status: { readonly code?: number };
}

/** A collector that keeps what it receives. */
function collector(answers: readonly number[] = []) {
  const sent: { readonly url: string; readonly headers: Headers; readonly body: Record<string, unknown> }[] = [];
  const statuses = [...answers];
  const send: typeof fetch = async (url, init) => {
    sent.push({ url: String(url), headers: new Headers(init?.headers), body: JSON.parse(String(init?.body)) });
    return new Response("{}", { status: statuses.shift() ?? 200 });
  };
  const spans = (): readonly Span[] =>
    sent
      .filter(({ url }) => url.endsWith("/v1/traces"))
      .flatMap(({ body }) => (body as never as Traces).resourceSpans[0].scopeSpans[0].spans);
  return { sent, send, spans };
}
interface Traces {
  readonly resourceSpans: readonly [{ readonly scopeSpans: readonly [{ readonly spans: readonly Span[] }] }];
}

const attribute = (span: Span | undefined, key: string): unknown => {
  const found = span?.attributes.find((entry) => entry.key === key)?.value;
  return found === undefined ? undefined : Object.values(found)[0];
};

const usage = { inputTokens: 100, cachedInputTokens: 40, outputTokens: 7, reasoningOutputTokens: 0, totalTokens: 107 };
const models = (events: readonly ModelEvent[]): ModelClients => ({
  clientFor: () => ({
    async *stream() {
      for (const event of events) yield [event];
    },
  }),
});
const provider = builtInProvider("openai", {});
const request = { threadId: "t1", turnId: "u1", model: "m" } as ModelRequest;
const turn = { id: "u1", items: [], itemsView: "notLoaded", status: "inProgress", error: null } as const;

async function playTurn(raw: unknown, events: readonly ModelEvent[], answers: readonly number[] = []) {
  const { sent, send, spans } = collector(answers);
  const warnings: string[] = [];
  let now = 1000;
  const telemetry = createTelemetry({
    settings: () => otelFrom(raw, (message) => warnings.push(message)),
    version: "1",
    system: "test",
    now: () => (now += 10),
    log: { ...silent, warn: (message) => warnings.push(message) },
    send,
  });
  const audience = watched(nobody, [telemetry.watcher]);
  const command = { type: "commandExecution", id: "c1", command: "ls", cwd: "/", status: "inProgress", commandActions: [] } as const;
  const prompt = { type: "userMessage", id: "m1", content: [{ type: "text", text: "my secret plan" }] } as const;
  audience.toThread("t1", "turn/started", { threadId: "t1", turn: { ...turn, items: [] } });
  audience.toThread("t1", "item/started", {
    threadId: "t1",
    turnId: "u1",
    item: { ...prompt, content: [...prompt.content] },
    startedAtMs: 1,
  });
  assert.ok(provider !== undefined);
  for await (const _ of telemetry.models(models(events)).clientFor(provider).stream(request, AbortSignal.timeout(60_000))) {
  }
  audience.toThread("t1", "item/started", { threadId: "t1", turnId: "u1", item: { ...command, commandActions: [] }, startedAtMs: 1 });
  const about = { threadId: "t1", turnId: "u1", itemId: "c1" } as never;
  await audience.ask("t1", "item/commandExecution/requestApproval", about, { signal: AbortSignal.timeout(60_000) });
  const done = { ...command, commandActions: [], status: "completed" } as const;
  audience.toThread("t1", "item/completed", { threadId: "t1", turnId: "u1", item: { ...done, commandActions: [] }, completedAtMs: 2 });
  const tool: Tool = {
    name: "look",
    face: { type: "function", description: "", parameters: {} },
    plan: () => ({ kind: "direct", run: async () => succeeded("seen") }),
  };
  const [source] = telemetry.tools([{ tools: () => [tool] }]);
  const [offered] = (await source?.tools({} as never, AbortSignal.timeout(60_000))) ?? [];
  const action = offered?.plan({ callId: "d1", name: "look", args: {}, text: "" }, {} as never);
  if (action !== undefined && "run" in action) await action.run({ threadId: "t1", callId: "d1" } as ToolContext);
  audience.toThread("t1", "turn/completed", { threadId: "t1", turn: { ...turn, items: [], status: "completed" } });
  await telemetry.close();
  return { sent, spans, warnings };
}
const completed: ModelEvent = { type: "completed", responseId: "r1", usage };

test("a turn is one tree: model call, tool with its approval below it, and another tool", async () => {
  const { sent, spans } = await playTurn(otel, [completed]);
  const byName = new Map(spans().map((span) => [span.name, span]));
  const [root, chat, shell, approval, look] = ["invoke_agent parley", "chat m", "execute_tool shell", "approval", "execute_tool look"].map(
    (name) => byName.get(name),
  );
  assert.equal(spans().length, 5);
  assert.equal(root?.parentSpanId, undefined);
  for (const child of [chat, shell, look]) assert.equal(child?.parentSpanId, root?.spanId);
  assert.equal(approval?.parentSpanId, shell?.spanId);
  assert.equal(new Set(spans().map(({ traceId }) => traceId)).size, 1);
  assert.match(root?.traceId ?? "", /^[0-9a-f]{32}$/);
  assert.match(root?.spanId ?? "", /^[0-9a-f]{16}$/);
  assert.equal(attribute(chat, "gen_ai.usage.input_tokens"), "100");
  assert.equal(attribute(root, "gen_ai.conversation.id"), "t1");
  assert.equal(attribute(approval, "parley.decision"), "accept");
  assert.deepEqual(sent.map(({ url }) => new URL(url).pathname).toSorted(), ["/v1/metrics", "/v1/traces"]);
  assert.equal(sent[0]?.headers.get("x-key"), "k");
  assert.equal(sent[0]?.headers.get("content-type"), "application/json");
});

test("metrics are sent too: tokens, durations, tools, approvals, turns", async () => {
  const { sent } = await playTurn(otel, [completed]);
  const text = JSON.stringify(sent.find(({ url }) => url.endsWith("/v1/metrics"))?.body);
  for (const name of [
    "gen_ai.client.token.usage",
    "gen_ai.client.operation.duration",
    "parley.tool.calls",
    "parley.approvals",
    "parley.turns",
  ])
    assert.ok(text.includes(`"name":"${name}"`), name);
});

test("people's messages and commands are not sent unless the settings allow it", async () => {
  const text = JSON.stringify((await playTurn(otel, [completed])).sent);
  for (const word of ["secret plan", '"ls"']) assert.ok(!text.includes(word), word);
  assert.ok(JSON.stringify((await playTurn({ ...otel, log_user_prompt: true }, [completed])).sent).includes("my secret plan"));
});

test("a failed model call is a failed span", async () => {
  const failed: ModelEvent = { type: "failed", failure: { kind: "unauthorized", message: "no", httpStatus: 401, retry: false } };
  const { spans } = await playTurn(otel, [failed]);
  const chat = spans().find(({ name }) => name === "chat m");
  assert.equal(chat?.status.code, 2);
  assert.equal(attribute(chat, "error.type"), "unauthorized");
  assert.equal(attribute(chat, "http.response.status_code"), "401");
});

test("without [otel] nothing is sent; unsupported settings are reported", async () => {
  for (const raw of [undefined, {}, { exporter: "none" }]) assert.deepEqual((await playTurn(raw, [completed])).sent, []);
  const grpc = await playTurn({ exporter: { "otlp-grpc": { endpoint: "http://x" } } }, [completed]);
  assert.deepEqual(grpc.sent, []);
  assert.match(grpc.warnings[0] ?? "", /otlp-http/);
});

test("a collector that refuses is logged once, and the turn is unaffected", async () => {
  const { warnings } = await playTurn(otel, [completed], [503, 404]);
  assert.deepEqual(warnings, ["telemetry could not be delivered; reported only once"]);
});

test("the address of a signal is found from any spelling of the endpoint", () => {
  const urlOf = (endpoint: string): string | undefined => otelFrom({ exporter: { "otlp-http": { endpoint } } }, () => {})?.traces?.url;
  for (const endpoint of ["http://h:4318", "http://h:4318/", "http://h:4318/v1/logs", "http://h:4318/v1/traces/"])
    assert.equal(urlOf(endpoint), "http://h:4318/v1/traces");
  assert.equal(urlOf("https://h/otlp/v1/metrics?x=1"), "https://h/otlp/v1/traces?x=1");
  assert.equal(urlOf("nowhere"), undefined);
});

test("traces and metrics may go to addresses of their own, with attributes on every span", () => {
  const at = (endpoint: string) => ({ "otlp-http": { endpoint } });
  const raw = { trace_exporter: at("http://t"), metrics_exporter: at("http://m"), span_attributes: { team: "blue", odd: 1 } };
  const settings = otelFrom(raw, assert.fail);
  assert.deepEqual([settings?.traces?.url, settings?.metrics?.url], ["http://t/v1/traces", "http://m/v1/metrics"]);
  assert.deepEqual(settings?.spanAttributes, { team: "blue" });
  assert.equal(otelFrom({ exporter: at("http://e"), trace_exporter: "none", metrics_exporter: "none" }, assert.fail), undefined);
});
