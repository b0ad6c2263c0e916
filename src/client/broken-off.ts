/** Tells the messages that a broken stream left behind from those that were said: for adapters that report what the agent said. */
import type { ParamsOf } from "../protocol/define.ts";
import type { ServerNotifications } from "../protocol/methods.ts";

type Of<M extends keyof ServerNotifications> = ParamsOf<ServerNotifications[M]>;

/** What was being streamed when the server says that it asks the model again is answered anew; its item ends all the same. */
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
  /** To be asked once, when the item has ended: true for one that was left behind. */
  wasLeft({ item }: Of<"item/completed">): boolean {
    this.#streaming.delete(item.id);
    return this.#left.delete(item.id);
  }
}
