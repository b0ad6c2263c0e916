/** Joins the pieces of one stream that arrive close together, so that every browser gets tens of events a second and not hundreds. */

type Params = Readonly<Record<string, unknown>>;

const mergeable: ReadonlySet<string> = new Set([
  "item/agentMessage/delta",
  "item/plan/delta",
  "item/commandExecution/outputDelta",
  "item/reasoning/summaryTextDelta",
  "item/reasoning/textDelta",
]);
/** About one frame of a screen. */
const windowMs = 16;
const maxChars = 16_384;

export class DeltaMerge {
  readonly #publish: (method: string, params: Params) => void;
  #waiting: { readonly method: string; readonly params: Params; delta: string } | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(publish: (method: string, params: Params) => void) {
    this.#publish = publish;
  }

  /** True when the event was kept back to be joined with others; the caller flushes before publishing anything else. */
  take(method: string, params: Params): boolean {
    if (!mergeable.has(method) || typeof params["delta"] !== "string") return false;
    const waiting = this.#waiting;
    if (waiting !== undefined && waiting.method === method && sameStream(waiting.params, params)) {
      waiting.delta += params["delta"];
      if (waiting.delta.length > maxChars) this.flush();
      return true;
    }
    this.flush();
    this.#waiting = { method, params, delta: params["delta"] };
    this.#timer = setTimeout(() => this.flush(), windowMs);
    return true;
  }

  flush(): void {
    clearTimeout(this.#timer);
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting !== undefined) this.#publish(waiting.method, { ...waiting.params, delta: waiting.delta });
  }
}

const sameStream = (a: Params, b: Params): boolean =>
  a["threadId"] === b["threadId"] &&
  a["itemId"] === b["itemId"] &&
  a["summaryIndex"] === b["summaryIndex"] &&
  a["contentIndex"] === b["contentIndex"];
