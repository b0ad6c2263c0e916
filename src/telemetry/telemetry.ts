/** Telemetry of turns, in OpenTelemetry terms: one tree of spans per turn (model calls, tools, approvals), and metrics. */
import { randomBytes } from "node:crypto";
import type { Answer } from "../core/ports/audience.ts";
import type { Log } from "../core/ports/log.ts";
import type { ModelClient, ModelClients, ModelEvent, ModelRequest } from "../core/ports/model-client.ts";
import type { Action, Tool, ToolContext, ToolOutput, ToolSource } from "../core/ports/tool.ts";
import type { ThreadItem } from "../protocol/item.ts";
import type { OtelSettings } from "./otel-settings.ts";
import { type Attributes, Otlp } from "./otlp.ts";
import { decisionOf, type TurnWatcher } from "./watch-turns.ts";

export interface Telemetry {
  readonly watcher: TurnWatcher;
  models(of: ModelClients): ModelClients;
  tools(of: readonly ToolSource[]): readonly ToolSource[];
  close(): Promise<void>;
}

export interface TelemetryOptions {
  /** Called once, when the first turn begins: settings are not read at start-up. */
  readonly settings: () => OtelSettings | undefined;
  readonly version: string;
  readonly system: string;
  readonly now: () => number;
  readonly log: Log;
  readonly send?: typeof fetch;
}

export function createTelemetry(options: TelemetryOptions): Telemetry {
  let opened: { readonly otlp: Otlp; readonly settings: OtelSettings } | "off" | undefined;
  const open = () => {
    if (opened !== undefined) return opened;
    const settings = options.settings();
    opened = settings === undefined ? "off" : { otlp: openOtlp(settings, options), settings };
    return opened;
  };
  const turns = new Map<string, TurnTrace>();
  const watcher: TurnWatcher = {
    turnStarted({ threadId, turn }) {
      const to = open();
      if (to !== "off") turns.set(threadId, new TurnTrace(to.otlp, to.settings, options.now, { threadId, turnId: turn.id }));
    },
    itemStarted: ({ threadId, item }) => turns.get(threadId)?.itemStarted(item),
    itemCompleted: ({ threadId, item }) => turns.get(threadId)?.itemCompleted(item),
    asked: (threadId, method, itemId) => turns.get(threadId)?.asked(method, itemId),
    turnSent({ threadId, turn }) {
      turns.get(threadId)?.end(turn.status, turn.error?.message);
      turns.delete(threadId);
    },
  };
  const traceOf = (threadId: string): TurnTrace | undefined => turns.get(threadId);
  return {
    watcher,
    models: (of) => ({
      clientFor(provider) {
        const client = of.clientFor(provider);
        return opened === undefined || opened === "off" ? client : watchedClient(client, provider.id, traceOf);
      },
    }),
    tools: (of) => of.map((source) => watchedSource(source, () => opened !== undefined && opened !== "off", traceOf)),
    close: async () => (opened === undefined || opened === "off" ? undefined : await opened.otlp.close()),
  };
}

function openOtlp(settings: OtelSettings, { version, system, now, log, send }: TelemetryOptions): Otlp {
  return new Otlp({
    traces: settings.traces,
    metrics: settings.metrics,
    resource: {
      "service.name": "parley",
      "service.version": version,
      "deployment.environment.name": settings.environment,
      "os.description": system,
      "process.pid": process.pid,
    },
    scope: { name: "parley", version },
    now,
    warn: (message, fields) => log.warn(message, fields),
    ...(send === undefined ? {} : { send }),
  });
}

/** An open span; ended at most once. */
interface OpenSpan {
  readonly spanId: string;
  end(attributes?: Attributes, error?: string): void;
}

class TurnTrace {
  readonly #otlp: Otlp;
  readonly #settings: OtelSettings;
  readonly #now: () => number;
  readonly #traceId = randomBytes(16).toString("hex");
  readonly #root: OpenSpan;
  readonly #startedMs: number;
  readonly #tools = new Map<string, OpenSpan>();
  readonly #open = new Set<OpenSpan>();
  #prompt: string | undefined;
  #model: Attributes = {};
  #tokens = { input: 0, output: 0 };

  constructor(otlp: Otlp, settings: OtelSettings, now: () => number, ids: { readonly threadId: string; readonly turnId: string }) {
    this.#otlp = otlp;
    this.#settings = settings;
    this.#now = now;
    this.#startedMs = now();
    this.#root = this.#start("invoke_agent parley", undefined, "internal", {
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.name": "parley",
      "gen_ai.conversation.id": ids.threadId,
      "parley.turn.id": ids.turnId,
      ...settings.spanAttributes,
    });
  }

  #start(name: string, parent: OpenSpan | undefined, kind: "internal" | "client", begun: Attributes): OpenSpan {
    const spanId = randomBytes(8).toString("hex");
    const startMs = this.#now();
    const span: OpenSpan = {
      spanId,
      end: (attributes = {}, error) => {
        if (!this.#open.delete(span)) return;
        const times = { startMs, endMs: this.#now() };
        const base = { traceId: this.#traceId, spanId, parentSpanId: parent?.spanId, name, kind, ...times };
        this.#otlp.add({ ...base, attributes: { ...begun, ...attributes }, error });
      },
    };
    this.#open.add(span);
    return span;
  }

  /** Call `began` when the first chunk arrives, `ended` with the last event; without one the call was aborted. */
  modelCall(request: ModelRequest, provider: string): { began(): void; ended(last: ModelEvent | undefined): void } {
    this.#model = { "gen_ai.request.model": request.model, "gen_ai.provider.name": provider };
    const about = { "gen_ai.operation.name": "chat", ...this.#model };
    const span = this.#start(`chat ${request.model}`, this.#root, "client", about);
    const begun = this.#now();
    let firstMs: number | undefined;
    const began = (): void => {
      firstMs ??= this.#now();
    };
    const ended = (last: ModelEvent | undefined): void => {
      const usage = last?.type === "completed" ? last.usage : undefined;
      const kind = last?.type === "failed" ? last.failure.kind : last === undefined ? "aborted" : undefined;
      const failed = kind === undefined ? {} : { "error.type": kind };
      this.#otlp.seconds("gen_ai.client.operation.duration", { ...about, ...failed }, this.#now() - begun);
      if (usage !== undefined) {
        this.#tokens.input += usage.inputTokens;
        this.#tokens.output += usage.outputTokens;
        this.#otlp.tokens("gen_ai.client.token.usage", { ...about, "gen_ai.token.type": "input" }, usage.inputTokens);
        this.#otlp.tokens("gen_ai.client.token.usage", { ...about, "gen_ai.token.type": "output" }, usage.outputTokens);
      }
      const attributes: Attributes = {
        ...failed,
        "gen_ai.usage.input_tokens": usage?.inputTokens,
        "gen_ai.usage.cache_read.input_tokens": usage?.cachedInputTokens,
        "gen_ai.usage.output_tokens": usage?.outputTokens,
        "gen_ai.response.id": last?.type === "completed" ? last.responseId : undefined,
        "gen_ai.response.time_to_first_chunk": firstMs === undefined ? undefined : (firstMs - begun) / 1000,
        "http.response.status_code": last?.type === "failed" ? last.failure.httpStatus : undefined,
      };
      span.end(attributes, kind);
    };
    return { began, ended };
  }

  toolCall(name: string, callId: string): (success: boolean, why?: string) => void {
    const span = this.#start(`execute_tool ${name}`, this.#root, "internal", {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": name,
      "gen_ai.tool.call.id": callId,
    });
    const begun = this.#now();
    this.#tools.set(callId, span);
    return (success, why = "failed") => {
      const about = { "gen_ai.tool.name": name, "parley.tool.success": success };
      if (this.#tools.get(callId) === span) this.#tools.delete(callId);
      this.#otlp.count("parley.tool.calls", about);
      this.#otlp.seconds("parley.tool.duration", about, this.#now() - begun);
      span.end({ "parley.tool.success": success }, success ? undefined : why);
    };
  }

  /** Commands and edits run in core and appear as items; other tools are observed where they run. */
  readonly #items = new Map<string, (success: boolean, why?: string) => void>();
  itemStarted(item: ThreadItem): void {
    if (item.type === "userMessage" && this.#settings.includePrompts)
      this.#prompt ??= item.content.map((part) => (part.type === "text" ? part.text : `[${part.type}]`)).join("\n");
    const name = item.type === "commandExecution" ? "shell" : item.type === "fileChange" ? "apply_patch" : undefined;
    if (name !== undefined && !this.#items.has(item.id)) this.#items.set(item.id, this.toolCall(name, item.id));
  }
  itemCompleted(item: ThreadItem): void {
    if (item.type !== "commandExecution" && item.type !== "fileChange") return;
    if (!this.#items.has(item.id)) this.itemStarted(item);
    this.#items.get(item.id)?.(item.status === "completed", item.status);
    this.#items.delete(item.id);
  }

  asked(method: string, itemId: string | undefined): (answer: Answer | undefined) => void {
    const kind = method.endsWith("requestApproval") ? "approval" : "question";
    const parent = itemId === undefined ? undefined : this.#tools.get(itemId);
    const span = this.#start(kind, parent ?? this.#root, "internal", { "rpc.method": method });
    return (answer) => {
      const decision = decisionOf(answer);
      this.#otlp.count("parley.approvals", { "rpc.method": method, "parley.decision": decision });
      span.end({ "parley.decision": decision });
    };
  }

  end(status: string, error: string | undefined): void {
    for (const span of this.#open) if (span !== this.#root) span.end({}, "the turn ended before it");
    this.#otlp.count("parley.turns", { "parley.turn.status": status });
    this.#otlp.seconds("parley.turn.duration", { "parley.turn.status": status }, this.#now() - this.#startedMs);
    this.#root.end(
      {
        ...this.#model,
        "parley.turn.status": status,
        "gen_ai.usage.input_tokens": this.#tokens.input,
        "gen_ai.usage.output_tokens": this.#tokens.output,
        "parley.prompt": this.#prompt,
      },
      status === "failed" ? (error ?? "failed") : undefined,
    );
  }
}

type FindTrace = (threadId: string) => TurnTrace | undefined;

const watchedClient = (client: ModelClient, provider: string, traceOf: FindTrace): ModelClient => ({
  ...(client.warmUp === undefined ? {} : { warmUp: client.warmUp.bind(client) }),
  async *stream(request, signal) {
    const call = traceOf(request.threadId)?.modelCall(request, provider);
    let last: ModelEvent | undefined;
    try {
      for await (const batch of client.stream(request, signal)) {
        call?.began();
        const newest = batch.at(-1);
        if (newest?.type === "completed" || newest?.type === "failed") last = newest;
        yield batch;
      }
    } finally {
      call?.ended(last);
    }
  },
});

const watchedSource = (source: ToolSource, isOn: () => boolean, traceOf: FindTrace): ToolSource => ({
  tools(offer, signal) {
    const watchedTools = (tools: readonly Tool[]): readonly Tool[] => (isOn() ? tools.map((tool) => watchedTool(tool, traceOf)) : tools);
    const found = source.tools(offer, signal);
    return found instanceof Promise ? found.then(watchedTools) : watchedTools(found);
  },
});

function watchedTool(tool: Tool, traceOf: FindTrace): Tool {
  const name = tool.namespace === undefined ? tool.name : `${tool.namespace}.${tool.name}`;
  return {
    ...tool,
    plan(call, settings) {
      const action = tool.plan(call, settings);
      return "success" in action || action.kind !== "direct" ? action : watchedAction(action, name, traceOf);
    },
  };
}

function watchedAction(action: Extract<Action, { kind: "direct" }>, name: string, traceOf: FindTrace): Action {
  return {
    kind: "direct",
    async run(context: ToolContext): Promise<ToolOutput> {
      const end = traceOf(context.threadId)?.toolCall(name, context.callId);
      let output: ToolOutput | undefined;
      try {
        output = await action.run(context);
        return output;
      } finally {
        end?.(output?.success === true);
      }
    },
  };
}
