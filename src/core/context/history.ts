/** A thread's history as the model sees it: items in order, their size, and the form in which they are sent. */
import type { ModelItem } from "../ports/model-client.ts";
import type { ToolContent } from "../ports/tool.ts";
import { estimateTokens } from "./tokens.ts";

/** The calls and outputs in the history, and which of them are unpaired. */
class Pairs {
  readonly called = new Set<string>();
  readonly answered = new Set<string>();
  readonly alone = new Set<string>();

  take(item: ModelItem): void {
    this.#note(callOf(item), this.called, this.answered);
    this.#note(outputOf(item), this.answered, this.called);
  }
  #note(id: string | undefined, own: Set<string>, other: ReadonlySet<string>): void {
    if (id === undefined) return;
    own.add(id);
    if (other.has(id)) this.alone.delete(id);
    else this.alone.add(id);
  }
}

export class History {
  #items: ModelItem[];
  /** Tokens the provider counted for everything up to `#countedItems`. */
  #countedTokens = 0;
  #countedItems = 0;
  /** How many items were in the last request that the model answered; undefined before the first. */
  #answeredItems: number | undefined;
  /** Tokens that instructions and tools add to every request: part of a provider's count, and of an estimate. */
  fixedTokens = 0;
  /** How often it was replaced, by a summary for example. */
  window = 0;

  /** Updated with each item, so that a request need not scan the whole history for calls without an output. */
  #pairs = new Pairs();

  constructor(items: readonly ModelItem[] = []) {
    this.#items = [...items];
    for (const item of items) this.#pairs.take(item);
  }

  get items(): readonly ModelItem[] {
    return this.#items;
  }
  add(item: ModelItem): void {
    this.#items.push(item);
    this.#pairs.take(item);
  }
  replace(items: readonly ModelItem[]): void {
    this.#items = [...items];
    this.#pairs = new Pairs();
    for (const item of items) this.#pairs.take(item);
    this.#countedTokens = 0;
    this.#countedItems = 0;
    this.#answeredItems = undefined;
    this.window++;
  }
  /** Replaces some items; the provider's count is corrected by the difference. */
  revise(change: (item: ModelItem) => ModelItem): void {
    this.#items = this.#items.map((item, i) => {
      const next = change(item);
      if (next !== item && i < this.#countedItems) this.#countedTokens += estimateTokens(next) - estimateTokens(item);
      return next;
    });
    this.#countedTokens = Math.max(0, this.#countedTokens);
  }
  /** The model has answered a request that contained the first `count` items. */
  answered(count: number): void {
    this.#answeredItems = count;
  }
  /** The last answer and everything after it, which the model has not seen yet. Empty when that is unknown. */
  sinceRequest(): readonly ModelItem[] {
    return this.#answeredItems === undefined ? [] : this.#items.slice(this.#answeredItems);
  }
  /** The provider's own count of the request and its answer, which are all in the history now. */
  counted(totalTokens: number): void {
    this.#countedTokens = totalTokens;
    this.#countedItems = this.#items.length;
  }
  /** Whether there is a call with this id; some servers reuse the same ids in every answer. */
  hasCall(callId: string): boolean {
    return this.#pairs.called.has(callId);
  }
  /** Tokens of the next request: exact where a provider has counted, estimated for what was added since. */
  tokens(): number {
    let tokens = this.#countedItems === 0 ? this.fixedTokens : this.#countedTokens;
    for (let i = this.#countedItems; i < this.#items.length; i++) tokens += estimateTokens(this.#items[i]);
    return tokens;
  }

  /** Every call has its output and every output its call: providers refuse anything else. */
  forRequest(): readonly ModelItem[] {
    const { called, answered, alone } = this.#pairs;
    if (alone.size === 0) return this.#items;
    return this.#items.flatMap((item) => {
      const output = outputOf(item);
      if (output !== undefined && !called.has(output)) return [];
      const call = callOf(item);
      return call === undefined || answered.has(call) ? [item] : [item, outputFor(item, "aborted")];
    });
  }
}

/** The id of a call that gets an output. */
export function callIdOf(item: ModelItem): string | undefined {
  if (item.type === "local_shell_call") return item.call_id ?? item.id ?? undefined;
  return callOf(item);
}
export function callOf(item: ModelItem): string | undefined {
  return item.type === "function_call" || item.type === "custom_tool_call" ? item.call_id : undefined;
}
export function outputOf(item: ModelItem): string | undefined {
  return item.type === "function_call_output" || item.type === "custom_tool_call_output" ? (item.call_id ?? undefined) : undefined;
}
/** A call's output, of the kind that answers it. */
export function outputFor(call: ModelItem, output: string | ToolContent[]): ModelItem {
  const type = call.type === "custom_tool_call" ? "custom_tool_call_output" : "function_call_output";
  return { type, call_id: callIdOf(call) ?? "", output } as ModelItem;
}

export const userMessage = (text: string): ModelItem => ({ type: "message", role: "user", content: [{ type: "input_text", text }] });
export const developerMessage = (text: string): ModelItem => ({
  type: "message",
  role: "developer",
  content: [{ type: "input_text", text }],
});
