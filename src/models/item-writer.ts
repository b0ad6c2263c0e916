/** Writes output items for wires that stream blocks instead of items: opens, fills and closes them in the order of the ModelClient contract. */
import { type ModelEvent, type ModelItem, maxCalls } from "../core/ports/model-client.ts";
import { KeptText } from "../lib/kept-text.ts";
import { randomUuid } from "../lib/random.ts";
import type { FlatTools } from "./tools.ts";

/** Longer arguments are not valid: the truncated text does not parse, and the model gets an error. */
const maxArguments = 32 * 1024 * 1024;

interface OpenCall {
  readonly itemId: string;
  readonly callId: string;
  readonly name: string;
  args: string;
  sealed: string | undefined;
}

interface OpenText {
  readonly itemId: string;
  readonly text: KeptText;
}

interface OpenReasoning {
  readonly itemId: string;
  /** By section. */
  readonly summary: KeptText[];
  readonly content: KeptText;
  sealed: (() => string) | undefined;
}

export class ItemWriter {
  readonly #tools: FlatTools;
  readonly #calls = new Map<string, OpenCall>();
  #message: OpenText | undefined;
  #reasoning: OpenReasoning | undefined;
  #written = 0;
  #begunCalls = 0;

  constructor(tools: FlatTools) {
    this.#tools = tools;
  }

  /** How many items were begun. */
  get count(): number {
    return this.#written;
  }

  text(delta: string, out: ModelEvent[]): void {
    if (delta === "") return;
    this.#closeReasoning(out);
    if (this.#message === undefined) {
      this.#message = { itemId: this.#newId("msg"), text: new KeptText() };
      out.push({
        type: "itemStarted",
        itemId: this.#message.itemId,
        item: { type: "message", id: this.#message.itemId, role: "assistant", content: [] },
      });
    }
    this.#message.text.add(delta);
    out.push({ type: "textDelta", itemId: this.#message.itemId, delta });
  }

  /** The model's raw reasoning. */
  think(delta: string, out: ModelEvent[]): void {
    if (delta === "") return;
    const open = this.#openReasoning(out);
    open.content.add(delta);
    out.push({ type: "reasoningDelta", itemId: open.itemId, index: 0, delta });
  }

  /** A reasoning summary for people; `section` grows by one when a new part begins. */
  summarize(delta: string, out: ModelEvent[], section = 0): void {
    if (delta === "") return;
    const open = this.#openReasoning(out);
    const index = Math.min(section, open.summary.length);
    let pieces = open.summary[index];
    if (pieces === undefined) {
      pieces = new KeptText();
      open.summary.push(pieces);
      out.push({ type: "summaryPartAdded", itemId: open.itemId, index });
    }
    pieces.add(delta);
    out.push({ type: "summaryDelta", itemId: open.itemId, index, delta });
  }

  get isReasoning(): boolean {
    return this.#reasoning !== undefined;
  }

  /** Sets the data that the wire expects back with the open reasoning item (or starts an empty one); `sealed` is called when it closes. */
  sealReasoning(sealed: () => string, out: ModelEvent[]): void {
    this.#openReasoning(out).sealed = sealed;
  }

  /** Calls beyond the limit for one answer are only counted. */
  beginCall(key: string, call: { readonly callId: string; readonly name: string }, out: ModelEvent[]): void {
    this.closeTexts(out);
    if (++this.#begunCalls > maxCalls) return;
    const itemId = this.#newId("fc");
    this.#calls.set(key, { itemId, ...call, args: "", sealed: undefined });
    out.push({ type: "itemStarted", itemId, item: withId(this.#tools.callBegin(call.callId, call.name), itemId) });
  }

  hasCall(key: string): boolean {
    return this.#calls.has(key);
  }

  callInput(key: string, delta: string, out: ModelEvent[]): void {
    const call = this.#calls.get(key);
    if (call === undefined || delta === "") return;
    if (call.args.length < maxArguments) call.args += delta;
    out.push({ type: "toolInputDelta", itemId: call.itemId, delta });
  }

  sealCall(key: string, sealed: string): void {
    const call = this.#calls.get(key);
    if (call !== undefined) call.sealed = sealed;
  }

  /** Whether the arguments of an open call do not parse: it is incomplete, or was cut off. */
  isTorn(key: string): boolean {
    const call = this.#calls.get(key);
    return call !== undefined && call.args !== "" && !isJson(call.args);
  }

  /** Whether the arguments of an open call are complete. Parses all of them: do not call for each delta. */
  isWhole(key: string): boolean {
    const call = this.#calls.get(key);
    return call !== undefined && call.args !== "" && isJson(call.args);
  }

  /** Ends the calls that the output limit cut, even before their arguments, without input, and returns their ids. */
  endTornCalls(out: ModelEvent[]): readonly string[] {
    const torn = [...this.#calls.keys()].filter((key) => !this.isWhole(key));
    return torn.map((key) => {
      const call = this.#calls.get(key);
      if (call !== undefined) call.args = "";
      this.endCall(key, out);
      return call?.callId ?? key;
    });
  }

  endCall(key: string, out: ModelEvent[]): void {
    const call = this.#calls.get(key);
    if (call === undefined) return;
    this.#calls.delete(key);
    const { itemId, callId, name, args, sealed } = call;
    const item = this.#tools.callIn({ callId, name, args, ...(sealed === undefined ? {} : { sealed }) });
    out.push({ type: "itemDone", itemId, item: withId(item, itemId) });
  }

  closeTexts(out: ModelEvent[]): void {
    this.#closeReasoning(out);
    this.#closeMessage(out);
  }

  closeAll(out: ModelEvent[]): void {
    this.closeTexts(out);
    for (const key of [...this.#calls.keys()]) this.endCall(key, out);
    if (this.#begunCalls > maxCalls) out.push({ type: "callsLeftOut", count: this.#begunCalls - maxCalls });
    this.#begunCalls = Math.min(this.#begunCalls, maxCalls);
  }

  #openReasoning(out: ModelEvent[]): OpenReasoning {
    this.#closeMessage(out);
    if (this.#reasoning === undefined) {
      const itemId = this.#newId("rs");
      this.#reasoning = { itemId, summary: [], content: new KeptText(), sealed: undefined };
      out.push({ type: "itemStarted", itemId, item: { type: "reasoning", id: itemId, summary: [] } });
    }
    return this.#reasoning;
  }

  #closeReasoning(out: ModelEvent[]): void {
    const open = this.#reasoning;
    if (open === undefined) return;
    this.#reasoning = undefined;
    const item: ModelItem = {
      type: "reasoning",
      id: open.itemId,
      summary: open.summary.map((pieces) => ({ type: "summary_text", text: pieces.toString() })),
      ...(open.content.isEmpty ? {} : { content: [{ type: "reasoning_text", text: open.content.toString() }] }),
      ...(open.sealed === undefined ? {} : { encrypted_content: open.sealed() }),
    };
    out.push({ type: "itemDone", itemId: open.itemId, item });
  }

  #closeMessage(out: ModelEvent[]): void {
    const open = this.#message;
    if (open === undefined) return;
    this.#message = undefined;
    const content = [{ type: "output_text" as const, text: open.text.toString() }];
    out.push({ type: "itemDone", itemId: open.itemId, item: { type: "message", id: open.itemId, role: "assistant", content } });
  }

  /** These wires give no item ids, or ids that repeat. */
  #newId(prefix: string): string {
    this.#written++;
    return `${prefix}_${randomUuid().replaceAll("-", "")}`;
  }
}

const withId = (item: ModelItem, id: string): ModelItem =>
  item.type === "function_call" || item.type === "custom_tool_call" ? { ...item, id } : item;

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
