/** One model answer, written as each vendor's event stream. Formats follow the vendors' public documentation. */

export interface MockReply {
  /** A summary for people. */
  readonly summary?: string;
  /** The model's raw reasoning. */
  readonly raw?: string;
  readonly text?: string;
  /** The number of pieces the text is split into. */
  readonly deltas?: number;
  readonly calls?: readonly {
    readonly id: string;
    readonly name: string;
    readonly namespace?: string;
    readonly args: string;
    readonly custom?: boolean;
  }[];
  /** The history in the provider's sealed form, as returned for `compaction_trigger` (responses only). */
  readonly compaction?: string;
  /** The answer ends at the output limit (chat and anthropic). */
  readonly isCut?: boolean;
  readonly usage?: { readonly input: number; readonly cached: number; readonly output: number; readonly reasoning: number };
}

export const standardUsage = { input: 120, cached: 40, output: 30, reasoning: 0 };

export function pieces(text: string, count: number): string[] {
  const letters = [...text];
  const size = Math.max(1, Math.ceil(letters.length / Math.max(1, count)));
  return Array.from({ length: Math.ceil(letters.length / size) }, (_, i) => letters.slice(i * size, (i + 1) * size).join(""));
}

const named = (event: Record<string, unknown> & { type: string }): string => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;

export function responsesFrames(reply: MockReply): string[] {
  const frames: string[] = [];
  let sequence_number = 0;
  const emit = (type: string, fields: Record<string, unknown>): void =>
    void frames.push(named({ type, sequence_number: sequence_number++, ...fields }));
  let output_index = 0;
  emit("response.created", { response: { id: "resp_1", object: "response", status: "in_progress", output: [] } });
  if (reply.summary !== undefined || reply.raw !== undefined) {
    const id = "rs_1";
    emit("response.output_item.added", { output_index, item: { type: "reasoning", id, summary: [] } });
    if (reply.summary !== undefined) {
      emit("response.reasoning_summary_part.added", {
        output_index,
        item_id: id,
        summary_index: 0,
        part: { type: "summary_text", text: "" },
      });
      for (const delta of pieces(reply.summary, 3))
        emit("response.reasoning_summary_text.delta", { output_index, item_id: id, summary_index: 0, delta });
    }
    for (const delta of reply.raw === undefined ? [] : pieces(reply.raw, 3))
      emit("response.reasoning_text.delta", { output_index, item_id: id, content_index: 0, delta });
    emit("response.output_item.done", {
      output_index,
      item: {
        type: "reasoning",
        id,
        summary: reply.summary === undefined ? [] : [{ type: "summary_text", text: reply.summary }],
        ...(reply.raw === undefined ? {} : { content: [{ type: "reasoning_text", text: reply.raw }] }),
        encrypted_content: "gAAAA-opaque",
      },
    });
    output_index++;
  }
  if (reply.compaction !== undefined) {
    const item = { type: "compaction", id: "cmp_1", encrypted_content: reply.compaction };
    emit("response.output_item.done", { output_index, item });
    output_index++;
  }
  if (reply.text !== undefined) {
    const id = "msg_1";
    const part = { type: "output_text", text: "", annotations: [] };
    emit("response.output_item.added", {
      output_index,
      item: { type: "message", id, role: "assistant", status: "in_progress", content: [] },
    });
    emit("response.content_part.added", { output_index, item_id: id, content_index: 0, part });
    for (const delta of pieces(reply.text, reply.deltas ?? 4))
      emit("response.output_text.delta", { output_index, item_id: id, content_index: 0, delta });
    emit("response.output_text.done", { output_index, item_id: id, content_index: 0, text: reply.text });
    const content = [{ ...part, text: reply.text }];
    emit("response.output_item.done", { output_index, item: { type: "message", id, role: "assistant", status: "completed", content } });
    output_index++;
  }
  for (const call of reply.calls ?? []) {
    const id = `fc_${call.id}`;
    const type = call.custom === true ? "custom_tool_call" : "function_call";
    const field = call.custom === true ? "input" : "arguments";
    const head = { type, id, call_id: call.id, name: call.name, ...(call.namespace === undefined ? {} : { namespace: call.namespace }) };
    const kind = call.custom === true ? "response.custom_tool_call_input.delta" : "response.function_call_arguments.delta";
    emit("response.output_item.added", { output_index, item: { ...head, status: "in_progress", [field]: "" } });
    for (const delta of pieces(call.args, 2)) emit(kind, { output_index, item_id: id, delta });
    emit("response.output_item.done", { output_index, item: { ...head, status: "completed", [field]: call.args } });
    output_index++;
  }
  const usage = reply.usage ?? standardUsage;
  emit("response.completed", {
    response: {
      id: "resp_1",
      object: "response",
      status: "completed",
      output: [],
      usage: {
        input_tokens: usage.input,
        input_tokens_details: { cached_tokens: usage.cached },
        output_tokens: usage.output,
        output_tokens_details: { reasoning_tokens: usage.reasoning },
        total_tokens: usage.input + usage.output,
      },
    },
  });
  return frames;
}

/** A tool's name on a wire without namespaces, and its arguments as JSON. */
const flatName = (call: { name: string; namespace?: string }): string =>
  call.namespace === undefined ? call.name : `${call.namespace}__${call.name}`;
const flatArgs = (call: { args: string; custom?: boolean }): string =>
  call.custom === true ? JSON.stringify({ input: call.args }) : call.args;

export function chatFrames(reply: MockReply): string[] {
  const frames: string[] = [];
  const emit = (choices: unknown[], extra: Record<string, unknown> = {}): void =>
    void frames.push(
      `data: ${JSON.stringify({ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "m", choices, ...extra })}\n\n`,
    );
  const delta = (fields: Record<string, unknown>): void => emit([{ index: 0, delta: fields, finish_reason: null }]);
  delta({ role: "assistant", content: "" });
  for (const summary of reply.summary === undefined ? [] : pieces(reply.summary, 3))
    delta({ reasoning_details: [{ type: "reasoning.summary", summary, index: 0 }] });
  for (const reasoning_content of reply.raw === undefined ? [] : pieces(reply.raw, 3)) delta({ reasoning_content });
  for (const content of reply.text === undefined ? [] : pieces(reply.text, reply.deltas ?? 4)) delta({ content });
  for (const [index, call] of (reply.calls ?? []).entries()) {
    delta({ tool_calls: [{ index, id: call.id, type: "function", function: { name: flatName(call), arguments: "" } }] });
    for (const part of pieces(flatArgs(call), 2)) delta({ tool_calls: [{ index, function: { arguments: part } }] });
  }
  emit([{ index: 0, delta: {}, finish_reason: reply.isCut === true ? "length" : (reply.calls ?? []).length > 0 ? "tool_calls" : "stop" }]);
  const usage = reply.usage ?? standardUsage;
  emit([], {
    usage: {
      prompt_tokens: usage.input,
      completion_tokens: usage.output,
      total_tokens: usage.input + usage.output,
      prompt_tokens_details: { cached_tokens: usage.cached },
      completion_tokens_details: { reasoning_tokens: usage.reasoning },
    },
  });
  frames.push("data: [DONE]\n\n");
  return frames;
}

export function anthropicFrames(reply: MockReply): string[] {
  const frames: string[] = [];
  const usage = reply.usage ?? standardUsage;
  const emit = (type: string, fields: Record<string, unknown>): void => void frames.push(named({ type, ...fields }));
  let index = 0;
  const block = (start: Record<string, unknown>, deltas: readonly Record<string, unknown>[]): void => {
    emit("content_block_start", { index, content_block: start });
    for (const delta of deltas) emit("content_block_delta", { index, delta });
    emit("content_block_stop", { index });
    index++;
  };
  const message = { id: "msg_01", type: "message", role: "assistant", content: [], model: "m", stop_reason: null, stop_sequence: null };
  emit("message_start", {
    message: {
      ...message,
      usage: {
        input_tokens: usage.input - usage.cached,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: usage.cached,
        output_tokens: 1,
      },
    },
  });
  emit("ping", {});
  if (reply.summary !== undefined)
    block({ type: "thinking", thinking: "", signature: "" }, [
      ...pieces(reply.summary, 3).map((thinking) => ({ type: "thinking_delta", thinking })),
      { type: "signature_delta", signature: "EqQB-signed" },
    ]);
  if (reply.text !== undefined)
    block(
      { type: "text", text: "" },
      pieces(reply.text, reply.deltas ?? 4).map((text) => ({ type: "text_delta", text })),
    );
  for (const call of reply.calls ?? [])
    block(
      { type: "tool_use", id: call.id, name: flatName(call), input: {} },
      ["", ...pieces(flatArgs(call), 2)].map((partial_json) => ({ type: "input_json_delta", partial_json })),
    );
  emit("message_delta", {
    delta: {
      stop_reason: reply.isCut === true ? "max_tokens" : (reply.calls ?? []).length > 0 ? "tool_use" : "end_turn",
      stop_sequence: null,
    },
    usage: { output_tokens: usage.output },
  });
  emit("message_stop", {});
  return frames;
}

/** Stream parts of an AI SDK language model, specification v4. */
export function aiSdkParts(reply: MockReply): Record<string, unknown>[] {
  const usage = reply.usage ?? standardUsage;
  const parts: Record<string, unknown>[] = [
    { type: "stream-start", warnings: [] },
    { type: "response-metadata", id: "resp_1" },
  ];
  if (reply.summary !== undefined)
    parts.push(
      { type: "reasoning-start", id: "r" },
      ...pieces(reply.summary, 3).map((delta) => ({ type: "reasoning-delta", id: "r", delta })),
      { type: "reasoning-end", id: "r", providerMetadata: { bedrock: { signature: "signed" } } },
    );
  if (reply.text !== undefined)
    parts.push(
      { type: "text-start", id: "t" },
      ...pieces(reply.text, reply.deltas ?? 4).map((delta) => ({ type: "text-delta", id: "t", delta })),
      { type: "text-end", id: "t" },
    );
  for (const call of reply.calls ?? [])
    parts.push(
      { type: "tool-input-start", id: call.id, toolName: flatName(call) },
      ...pieces(flatArgs(call), 2).map((delta) => ({ type: "tool-input-delta", id: call.id, delta })),
      { type: "tool-input-end", id: call.id },
      { type: "tool-call", toolCallId: call.id, toolName: flatName(call), input: flatArgs(call) },
    );
  parts.push({
    type: "finish",
    finishReason: { unified: (reply.calls ?? []).length > 0 ? "tool-calls" : "stop", raw: undefined },
    usage: {
      inputTokens: { total: usage.input, noCache: usage.input - usage.cached, cacheRead: usage.cached, cacheWrite: 0 },
      outputTokens: { total: usage.output, text: usage.output, reasoning: usage.reasoning },
    },
  });
  return parts;
}
