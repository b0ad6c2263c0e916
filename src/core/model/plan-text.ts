/** Extracts a proposed plan from the model's text in Plan mode: the lines between the markers become a plan item. */
import type { RunTurn } from "./run-turn.ts";

const opening = "<proposed_plan>";
const closing = "</proposed_plan>";

export class PlanText {
  readonly #turn: RunTurn;
  /** The end of the text, which may still become a marker. */
  #held = "";
  /** The line began with something other than a marker. */
  #isPlainLine = false;
  #plan = "";
  #inside = false;
  #itemId: string | undefined;

  constructor(turn: RunTurn) {
    this.#turn = turn;
  }

  /** Returns the part of the delta that belongs to the message. A marker has a line to itself; what may be the start of one is held back. */
  push(delta: string): string {
    this.#held += delta;
    let message = "";
    while (this.#held !== "") {
      const end = this.#held.indexOf("\n") + 1;
      const piece = end === 0 ? this.#held : this.#held.slice(0, end);
      if (!this.#isPlainLine && end === 0 && this.#mayBecomeMark(piece)) return message;
      this.#held = this.#held.slice(piece.length);
      if (!this.#isPlainLine && piece.trim() === this.#mark) this.#cross();
      else message += this.#give(piece);
      this.#isPlainLine = end === 0;
    }
    return message;
  }

  /** The text still held back when the message ended. */
  rest(): string {
    const text = this.#held;
    this.#held = "";
    this.#isPlainLine = false;
    if (text.trim() !== this.#mark) return this.#give(text);
    this.#cross();
    return "";
  }

  async complete(): Promise<void> {
    if (this.#itemId === undefined) return;
    await this.#turn.items.complete({ type: "plan", id: this.#itemId, text: this.#plan });
    this.#itemId = undefined;
    this.#plan = "";
    this.#inside = false;
  }

  /** The answer broke off. */
  abandon(): void {
    if (this.#itemId !== undefined) this.#turn.items.abandon({ type: "plan", id: this.#itemId, text: this.#plan });
    this.#itemId = undefined;
  }

  get #mark(): string {
    return this.#inside ? closing : opening;
  }

  #mayBecomeMark(line: string): boolean {
    const begun = line.trimStart();
    return this.#mark.startsWith(begun) || begun.trimEnd() === this.#mark;
  }

  /** The last of several plans in one answer counts. */
  #cross(): void {
    this.#inside = !this.#inside;
    if (!this.#inside) return;
    this.#plan = "";
    if (this.#itemId !== undefined) return;
    const usual = `${this.#turn.id}-plan`;
    this.#itemId = this.#turn.items.all.some(({ id }) => id === usual) ? this.#turn.thread.ports.ids.item() : usual;
    this.#turn.items.start({ type: "plan", id: this.#itemId, text: "" });
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
