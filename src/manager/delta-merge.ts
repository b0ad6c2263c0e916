/** Merges deltas of one stream that arrive close together, so that every browser receives tens of events per second instead of hundreds. */
import type { ServerNotification } from "../protocol/methods.ts";

const mergeable = [
  "item/agentMessage/delta",
  "item/plan/delta",
  "item/commandExecution/outputDelta",
  "item/reasoning/summaryTextDelta",
  "item/reasoning/textDelta",
] as const satisfies readonly ServerNotification["method"][];
type Delta = Extract<ServerNotification, { method: (typeof mergeable)[number] }>;
const isDelta = (message: ServerNotification): message is Delta => (mergeable as readonly string[]).includes(message.method);

/** About one display frame. */
const windowMs = 16;
const maxChars = 16_384;

export class DeltaMerge {
  readonly #publish: (message: ServerNotification) => void;
  #waiting: { readonly first: Delta; delta: string } | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(publish: (message: ServerNotification) => void) {
    this.#publish = publish;
  }

  /** True if the event was held back to be merged; the caller flushes before publishing anything else. */
  take(message: ServerNotification): boolean {
    if (!isDelta(message)) return false;
    const waiting = this.#waiting;
    if (waiting !== undefined && isSameStream(waiting.first, message)) {
      waiting.delta += message.params.delta;
      if (waiting.delta.length > maxChars) this.flush();
      return true;
    }
    this.flush();
    this.#waiting = { first: message, delta: message.params.delta };
    this.#timer = setTimeout(() => this.flush(), windowMs);
    return true;
  }

  flush(): void {
    clearTimeout(this.#timer);
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting === undefined) return;
    const { first, delta } = waiting;
    this.#publish({ ...first, params: { ...first.params, delta } } as Delta);
  }
}

const isSameStream = (a: Delta, b: Delta): boolean =>
  a.method === b.method && a.params.threadId === b.params.threadId && a.params.itemId === b.params.itemId && partOf(a) === partOf(b);

/** The section of a reasoning item that a delta belongs to. */
function partOf({ params }: Delta): number | undefined {
  if ("summaryIndex" in params) return params.summaryIndex;
  return "contentIndex" in params ? params.contentIndex : undefined;
}
