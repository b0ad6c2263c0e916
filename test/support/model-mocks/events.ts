/** Reads and checks the events of a ModelClient. */
import assert from "node:assert/strict";
import type { ModelClient, ModelEvent, ModelFailure, ModelItem, ModelRequest, ToolSpec } from "../../../src/core/ports/model-client.ts";

export const contractTools: readonly ToolSpec[] = [
  {
    type: "function",
    name: "exec_command",
    description: "Runs a command.",
    parameters: { type: "object", properties: { cmd: { type: "string" } }, required: ["cmd"] },
  },
  {
    type: "custom",
    name: "apply_patch",
    description: "Applies a patch.",
    format: { type: "grammar", syntax: "lark", definition: "start: /.+/" },
  },
  {
    type: "namespace",
    name: "mcp__files",
    description: "Files.",
    tools: [{ type: "function", name: "read", description: "Reads.", parameters: { type: "object", properties: {} } }],
  },
];

export function modelRequest(changes: Partial<ModelRequest> = {}): ModelRequest {
  return {
    threadId: "0199aaaa-0000-7000-8000-000000000001",
    turnId: "0199aaaa-0000-7000-8000-000000000002",
    model: "mock-model",
    instructions: "You are a test.",
    input: [userText("hello")],
    tools: contractTools,
    parallelToolCalls: true,
    effort: undefined,
    summary: undefined,
    verbosity: undefined,
    serviceTier: undefined,
    outputSchema: undefined,
    originator: "contract",
    userAgent: "contract/1",
    ...changes,
  };
}

export const userText = (text: string): ModelItem => ({ type: "message", role: "user", content: [{ type: "input_text", text }] });

/** All batches of one response. Fails the test when a batch is empty. */
export async function collect(client: ModelClient, request: ModelRequest, signal = new AbortController().signal): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const batch of client.stream(request, signal)) {
    assert.ok(batch.length > 0, "an empty batch wakes the consumer for nothing");
    events.push(...batch);
  }
  return checked(events);
}

/** The port's guarantees that apply to every response. */
export function checked(events: ModelEvent[]): ModelEvent[] {
  const ends = events.filter((event) => event.type === "completed" || event.type === "failed");
  assert.equal(ends.length, 1, `exactly one terminal event, got ${ends.length}`);
  assert.equal(ends[0], events.at(-1), "the terminal event is the last");
  const open = new Set<string>();
  const done = new Set<string>();
  for (const event of events) {
    if (event.type === "itemStarted") {
      assert.ok(!open.has(event.itemId) && !done.has(event.itemId), `item ${event.itemId} begins once`);
      open.add(event.itemId);
    } else if (event.type === "itemDone") {
      assert.ok(open.delete(event.itemId), `item ${event.itemId} began before it ended`);
      done.add(event.itemId);
    } else if ("itemId" in event) assert.ok(open.has(event.itemId), `${event.type} of ${event.itemId} comes while the item is open`);
  }
  if (ends[0]?.type === "completed") assert.equal(open.size, 0, "a completed response leaves no item open");
  return events;
}

export const itemsOf = (events: readonly ModelEvent[]): ModelItem[] =>
  events.flatMap((event) => (event.type === "itemDone" ? [event.item] : []));
export const joined = (events: readonly ModelEvent[], type: "textDelta" | "summaryDelta" | "reasoningDelta"): string =>
  events.map((event) => (event.type === type ? event.delta : "")).join("");

export function failureOf(events: readonly ModelEvent[]): ModelFailure {
  const last = events.at(-1);
  assert.equal(last?.type, "failed", JSON.stringify(events));
  return last.failure;
}

export function textOf(events: readonly ModelEvent[]): string {
  return itemsOf(events)
    .flatMap((item) => (item.type === "message" ? item.content : []))
    .map((part) => ("text" in part ? part.text : ""))
    .join("");
}

/** Replaces ids, which differ per wire, with their order, so that two runs can be compared. */
export function comparable(events: readonly ModelEvent[]): unknown {
  const names = new Map<string, string>();
  const rename = (id: string): string => {
    if (!names.has(id)) names.set(id, `item ${names.size}`);
    return names.get(id) ?? id;
  };
  const text = JSON.stringify(events);
  const ids = new Set(events.flatMap((event) => ("itemId" in event ? [event.itemId] : [])));
  let out = text;
  for (const id of ids) out = out.replaceAll(JSON.stringify(id), JSON.stringify(rename(id)));
  return JSON.parse(out);
}
