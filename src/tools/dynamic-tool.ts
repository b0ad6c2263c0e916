/** The client's own tools: offered as it described them, run by sending it a request. */

import type { Answer } from "../core/ports/audience.ts";
import { failed, succeeded, type Tool, type ToolContent, type ToolContext, type ToolOutput, type ToolSource } from "../core/ports/tool.ts";
import { array, type Infer, literals, maybe, named, object, parse, string, unknown } from "../lib/schema.ts";
import { readDynamicToolAnswer } from "../protocol/dynamic-tool.ts";
import type { DynamicToolCallOutputContentItem } from "../protocol/item.ts";

const Function_ = named("DynamicFunction", () =>
  object({
    type: maybe(literals("function")),
    name: string(),
    description: maybe(string()),
    inputSchema: maybe(unknown()),
    timeoutMs: maybe(unknown()),
  }),
);
const Namespace = named("DynamicNamespace", () =>
  object({ type: literals("namespace"), name: string(), description: maybe(string()), tools: array(Function_()) }),
);
type Function_ = Infer<typeof Function_>;

export const dynamicTools: ToolSource = {
  tools: (offer) => offer.dynamicTools.flatMap((spec) => toolsFrom(spec)),
};

function toolsFrom(spec: unknown): Tool[] {
  const namespace = parse(Namespace, spec);
  if (namespace !== undefined) {
    const namespaceDescription = namespace.description ?? "";
    return namespace.tools.map((tool) => ({ ...toolFrom(tool, namespace.name), namespaceDescription }));
  }
  const single = parse(Function_, spec);
  return single === undefined ? [] : [toolFrom(single, undefined)];
}

function toolFrom(spec: Function_, namespace: string | undefined): Tool {
  const parameters = (
    typeof spec.inputSchema === "object" && spec.inputSchema !== null ? spec.inputSchema : { type: "object", properties: {} }
  ) as { readonly [key: string]: unknown };
  return {
    name: spec.name,
    ...(namespace === undefined ? {} : { namespace }),
    face: { type: "function", description: spec.description ?? "", parameters },
    plan: (call) => ({ kind: "direct", run: (context) => callClient(spec, namespace, call.args ?? {}, context) }),
  };
}

async function callClient(spec: Function_, namespace: string | undefined, args: unknown, context: ToolContext): Promise<ToolOutput> {
  const item = { type: "dynamicToolCall" as const, id: context.callId, tool: spec.name, namespace: namespace ?? null, arguments: args };
  context.startItem({ ...item, status: "inProgress", contentItems: null, success: null, durationMs: null });
  const startedAt = Date.now();
  const answer = await context
    .ask(
      "item/tool/call",
      {
        threadId: context.threadId,
        turnId: context.turnId,
        callId: context.callId,
        tool: spec.name,
        namespace: namespace ?? null,
        arguments: args,
      },
      typeof spec.timeoutMs === "number" ? AbortSignal.any([context.signal, AbortSignal.timeout(spec.timeoutMs)]) : context.signal,
    )
    .catch((error: unknown): Answer => {
      if (context.signal.aborted) throw error;
      return { kind: "timedOut" };
    });
  const read = resultFrom(answer);
  await context.completeItem({
    ...item,
    status: read.success ? "completed" : "failed",
    contentItems: [...read.content],
    success: read.success,
    durationMs: Date.now() - startedAt,
  });
  return outputFrom(read);
}

interface Result {
  readonly content: readonly DynamicToolCallOutputContentItem[];
  readonly success: boolean;
}

const refusal = (text: string): Result => ({ content: [{ type: "inputText", text }], success: false });

function resultFrom(answer: Answer): Result {
  if (answer.kind === "timedOut") return refusal("dynamic tool request timed out");
  if (answer.kind !== "answered") return refusal("dynamic tool request failed");
  const read = readDynamicToolAnswer(answer.result);
  return read === undefined ? refusal("dynamic tool response was invalid") : { content: read.contentItems, success: read.success };
}

function outputFrom({ content, success }: Result): ToolOutput {
  const only = content.length === 1 ? content[0] : undefined;
  if (only?.type === "inputText") return success ? succeeded(only.text) : failed(only.text);
  const forModel = content.map((part): ToolContent => {
    if (part.type === "inputText") return { type: "input_text", text: part.text };
    if (part.type === "inputImage") return { type: "input_image", image_url: part.imageUrl };
    return { type: "input_text", text: "[audio that cannot be passed on]" };
  });
  return { kind: "content", content: forModel, success };
}
