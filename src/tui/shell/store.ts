/** The only place that keeps the state. Every change is announced, and the screen redraws soon after. */
import { type Conversation, emit, emptyConversation } from "../state/conversation.ts";
import { type Entry, note, type Tone } from "../state/entry.ts";
import { emptyUi, type Ui } from "../state/ui.ts";

export class Store {
  #conversation: Conversation = emptyConversation;
  #ui: Ui = emptyUi;
  /** Called after every change. */
  onChange: () => void = () => {};

  get conversation(): Conversation {
    return this.#conversation;
  }
  get ui(): Ui {
    return this.#ui;
  }
  setConversation(next: Conversation): void {
    if (next === this.#conversation) return;
    this.#conversation = next;
    this.onChange();
  }
  setUi(change: Partial<Ui>): void {
    this.#ui = { ...this.#ui, ...change };
    this.onChange();
  }

  print(entries: readonly Entry[]): void {
    this.setConversation(emit(this.#conversation, entries));
  }
  note(tone: Tone, text: string, detail?: string): void {
    this.print([note(tone, text, detail)]);
  }
  /** Takes what is to be printed; it is then the terminal's. */
  takeOutbox(): readonly Entry[] {
    const { outbox } = this.#conversation;
    if (outbox.length > 0) this.#conversation = { ...this.#conversation, outbox: [] };
    return outbox;
  }
}
