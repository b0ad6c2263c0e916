/** Takes a proposed plan out of the model's text in Plan mode: what stands between the marks becomes a plan item of its own. */
import type { LiveTurn } from "./live-turn.ts";

const opening = "<proposed_plan>";
const closing = "</proposed_plan>";

export class PlanText {
  readonly #turn: LiveTurn;
  #held = "";
  #plan = "";
  #inside = false;
  #itemId: string | undefined;

  constructor(turn: LiveTurn) {
    this.#turn = turn;
  }

  /** Returns the part of the delta that belongs to the message; keeps back what may be the beginning of a mark. */
  push(delta: string): string {
    this.#held += delta;
    let message = "";
    while (true) {
      const mark = this.#inside ? closing : opening;
      const at = this.#held.indexOf(mark);
      const sure = at === -1 ? this.#held.length - possibleMark(this.#held, mark) : at;
      message += this.#give(this.#held.slice(0, sure));
      this.#held = this.#held.slice(at === -1 ? sure : at + mark.length);
      if (at === -1) return message;
      this.#inside = !this.#inside;
      if (this.#inside && this.#itemId === undefined) this.#open();
    }
  }

  /** What was kept back when the text ended. */
  rest(): string {
    const text = this.#give(this.#held);
    this.#held = "";
    return text;
  }

  async complete(): Promise<void> {
    if (this.#itemId === undefined) return;
    await this.#turn.completeItem({ type: "plan", id: this.#itemId, text: this.#plan.trim() });
    this.#itemId = undefined;
    this.#plan = "";
    this.#inside = false;
  }

  /** Its answer broke off. */
  abandon(): void {
    if (this.#itemId !== undefined) this.#turn.abandonItem({ type: "plan", id: this.#itemId, text: this.#plan.trim() });
    this.#itemId = undefined;
  }

  #open(): void {
    this.#itemId = this.#turn.thread.ports.ids.item();
    this.#turn.startItem({ type: "plan", id: this.#itemId, text: "" });
  }

  #give(text: string): string {
    if (!this.#inside) return text;
    if (text !== "" && this.#itemId !== undefined) {
      this.#plan += text;
      this.#turn.notify("item/plan/delta", { threadId: this.#turn.thread.id, turnId: this.#turn.id, itemId: this.#itemId, delta: text });
    }
    return "";
  }
}

/** The length of the longest end of `text` that may be the start of `mark`. */
function possibleMark(text: string, mark: string): number {
  for (let n = Math.min(mark.length - 1, text.length); n > 0; n--) if (mark.startsWith(text.slice(text.length - n))) return n;
  return 0;
}
