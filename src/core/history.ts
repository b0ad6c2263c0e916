/** What the model sees of a thread: items in order, their size, and the form in which they are sent. */
import type { ModelItem } from "./ports/model-client.ts";

/** A rule of thumb for text that no provider has counted yet. */
const charactersPerToken = 4;
const imageTokens = 1000;

/** Which calls and outputs there are, and which of them are without the other. */
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

  /** Kept with each item, so that a request need not look through the whole past for calls without an output. */
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
  }
  /** The provider's own count of the request and its answer, which are all in the history now. */
  counted(totalTokens: number): void {
    this.#countedTokens = totalTokens;
    this.#countedItems = this.#items.length;
  }
  /** Exact where a provider has counted, estimated for what came since. */
  tokens(): number {
    let tokens = this.#countedTokens;
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
      return call === undefined || answered.has(call) ? [item] : [item, abortedOutput(item, call)];
    });
  }
}

function callOf(item: ModelItem): string | undefined {
  return item.type === "function_call" || item.type === "custom_tool_call" ? item.call_id : undefined;
}
function outputOf(item: ModelItem): string | undefined {
  return item.type === "function_call_output" || item.type === "custom_tool_call_output" ? (item.call_id ?? undefined) : undefined;
}
function abortedOutput(call: ModelItem, callId: string): ModelItem {
  const type = call.type === "custom_tool_call" ? "custom_tool_call_output" : "function_call_output";
  return { type, call_id: callId, output: "aborted" } as ModelItem;
}

export function estimateTokens(item: ModelItem | undefined): number {
  if (item === undefined) return 0;
  if (item.type === "message") {
    return item.content.reduce(
      (n, part) =>
        n + (part.type === "input_image" ? imageTokens : Math.ceil(("text" in part ? part.text.length : 0) / charactersPerToken)),
      4,
    );
  }
  return Math.ceil(JSON.stringify(item).length / charactersPerToken);
}

/** Keeps the head and the tail of a long text within a budget of tokens, and says how much is missing in between. */
export function truncateMiddle(text: string, maxTokens: number): string {
  const budget = maxTokens * charactersPerToken;
  if (text.length <= budget) return text;
  const half = Math.floor(budget / 2);
  const head = cutAtLine(text.slice(0, half), "end");
  const tail = cutAtLine(text.slice(text.length - half), "start");
  const removed = Math.ceil((text.length - head.length - tail.length) / charactersPerToken);
  return `${head}…${removed} tokens truncated…${tail}`;
}

/** Prefers a line border when one is near, and never splits a surrogate pair. */
function cutAtLine(text: string, side: "start" | "end"): string {
  if (side === "end") {
    const border = text.lastIndexOf("\n");
    if (border > text.length * 0.8) return text.slice(0, border + 1);
    return isHighSurrogate(text.charCodeAt(text.length - 1)) ? text.slice(0, -1) : text;
  }
  const border = text.indexOf("\n");
  if (border !== -1 && border < text.length * 0.2) return text.slice(border + 1);
  return isLowSurrogate(text.charCodeAt(0)) ? text.slice(1) : text;
}
const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdbff;
const isLowSurrogate = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff;

export const userMessage = (text: string): ModelItem => ({ type: "message", role: "user", content: [{ type: "input_text", text }] });
export const developerMessage = (text: string): ModelItem => ({
  type: "message",
  role: "developer",
  content: [{ type: "input_text", text }],
});
export const estimateTextTokens = (text: string): number => Math.ceil(text.length / charactersPerToken);
