/** The turn that runs, put together from its events, so that someone who opens the session in the middle of it sees all that was streamed. */

import { isRecord } from "../lib/is-record.ts";
import type { ThreadItem } from "../protocol/item.ts";
import type { Turn } from "../protocol/turn.ts";

type Params = Readonly<Record<string, unknown>>;

/** A command's output is kept for newcomers up to here; its item brings the whole when it is done. */
const keptOutput = 256 * 1024;

export class LiveTurn {
  readonly id: string;
  #turn: Turn;
  readonly #items = new Map<string, ThreadItem>();

  constructor(turn: Turn) {
    this.id = turn.id;
    this.#turn = turn;
    for (const item of turn.items) this.#items.set(item.id, item);
  }

  get turn(): Turn {
    return { ...this.#turn, items: [...this.#items.values()], itemsView: "full" };
  }

  end(turn: Turn): void {
    this.#turn = { ...turn, items: [] };
  }

  /** Folds one notification of this turn in. */
  hear(method: string, params: Params): void {
    const { item } = params;
    if ((method === "item/started" || method === "item/completed") && isRecord(item) && typeof item["id"] === "string") {
      // The engine's items fit the protocol's tables; this copy is only handed on.
      this.#items.set(item["id"], item as unknown as ThreadItem);
      return;
    }
    const id = params["itemId"];
    const known = typeof id === "string" ? this.#items.get(id) : undefined;
    if (known !== undefined) this.#items.set(known.id, grown(known, method, params));
  }
}

function grown(item: ThreadItem, method: string, params: Params): ThreadItem {
  const delta = typeof params["delta"] === "string" ? params["delta"] : "";
  switch (item.type) {
    case "agentMessage":
    case "plan":
      return method.endsWith("/delta") ? { ...item, text: item.text + delta } : item;
    case "commandExecution":
      return method === "item/commandExecution/outputDelta"
        ? { ...item, aggregatedOutput: ((item.aggregatedOutput ?? "") + delta).slice(-keptOutput) }
        : item;
    case "reasoning":
      if (method === "item/reasoning/summaryTextDelta") return { ...item, summary: grownPart(item.summary, params["summaryIndex"], delta) };
      if (method === "item/reasoning/textDelta") return { ...item, content: grownPart(item.content, params["contentIndex"], delta) };
      return item;
    case "fileChange":
      return method === "item/fileChange/patchUpdated" && Array.isArray(params["changes"]) ? { ...item, changes: params["changes"] } : item;
    default:
      return item;
  }
}

function grownPart(parts: readonly string[] | undefined, index: unknown, delta: string): string[] {
  const copy = [...(parts ?? [])];
  const at = typeof index === "number" && index >= 0 && index < 1000 ? index : Math.max(0, copy.length - 1);
  while (copy.length <= at) copy.push("");
  copy[at] = (copy[at] ?? "") + delta;
  return copy;
}
