/** Tools that Anthropic runs itself (web search and fetch), as items: what was searched or opened, with the blocks that the provider expects back. */
import type { ModelEvent, ModelItem } from "../core/ports/model-client.ts";
import { randomUuid } from "../lib/random.ts";
import { seal } from "./convert.ts";
import { type Json, parseJson, recordOf, stringOf } from "./json.ts";

interface Open {
  readonly itemId: string;
  readonly use: Json;
  input: string;
}

export class HostedCalls {
  /** By the wire's index of the block. */
  readonly #open = new Map<string, Open>();

  begin(index: string, block: Json, out: ModelEvent[]): void {
    const itemId = `ws_${randomUuid().replaceAll("-", "")}`;
    this.#open.set(index, { itemId, use: block, input: "" });
    out.push({ type: "itemStarted", itemId, item: { type: "web_search_call", id: itemId, status: "in_progress" } });
  }

  has(index: string): boolean {
    return this.#open.has(index);
  }

  /** False when no call of this kind is open there. */
  input(index: string, piece: string): boolean {
    const open = this.#open.get(index);
    if (open !== undefined) open.input += piece;
    return open !== undefined;
  }

  /** The result names its call by id. */
  finish(result: Json, out: ModelEvent[]): void {
    for (const [index, open] of this.#open) if (open.use["id"] === result["tool_use_id"]) this.#end(index, result, out);
  }

  /** Calls without a result are sent back without one: the provider continues with them. */
  closeAll(out: ModelEvent[]): void {
    for (const index of [...this.#open.keys()]) this.#end(index, undefined, out);
  }

  #end(index: string, result: Json | undefined, out: ModelEvent[]): void {
    const open = this.#open.get(index);
    if (open === undefined) return;
    this.#open.delete(index);
    const given = recordOf(open.use["input"]);
    const input = open.input === "" ? given : recordOf(parseJson(open.input));
    const use = { ...open.use, input };
    const item: ModelItem = {
      type: "web_search_call",
      id: open.itemId,
      status: result === undefined || isFailed(result) ? "failed" : "completed",
      action: actionOf(stringOf(open.use["name"]) ?? "", input),
      encrypted_content: seal("anthropic", result === undefined ? { use } : { use, result }),
    };
    out.push({ type: "itemDone", itemId: open.itemId, item });
  }
}

const isFailed = (result: Json): boolean => /_error$/.test(stringOf(recordOf(result["content"])["type"]) ?? "");

function actionOf(name: string, input: Json): NonNullable<Extract<ModelItem, { type: "web_search_call" }>["action"]> {
  const url = stringOf(input["url"]);
  if (name === "web_fetch" && url !== undefined) return { type: "open_page", url };
  const query = stringOf(input["query"]);
  return query === undefined ? { type: "other" } : { type: "search", query, queries: [query] };
}
