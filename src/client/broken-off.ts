/** Distinguishes messages left behind by a broken stream from complete ones, for adapters that report the agent's messages. */
import type { ParamsOf } from "../protocol/define.ts";
import type { ServerNotifications } from "../protocol/methods.ts";

type Of<M extends keyof ServerNotifications> = ParamsOf<ServerNotifications[M]>;

/** When the server announces a retry of the model request, the messages that were being streamed are generated again; their items still complete. */
export class BrokenOff {
  readonly #streaming = new Map<string, string>();
  readonly #left = new Set<string>();

  started({ threadId, item }: Of<"item/started">): void {
    if (item.type === "agentMessage" || item.type === "reasoning" || item.type === "plan") this.#streaming.set(item.id, threadId);
  }
  error({ threadId, willRetry }: Of<"error">): void {
    if (!willRetry) return;
    for (const [itemId, of] of this.#streaming) if (of === threadId) this.#left.add(itemId);
  }
  /** Call once, when the item has completed: true for an item that was left behind. */
  wasLeft({ item }: Of<"item/completed">): boolean {
    this.#streaming.delete(item.id);
    return this.#left.delete(item.id);
  }
}
