/** How many questions one MCP server may put to the people: a few at once and some in a minute; the others are declined unseen. */
import type { ElicitResult } from "@modelcontextprotocol/client";
import { Allowance } from "../lib/allowance.ts";

const maxOpen = 4;
const perMinute = 30;

export class QuestionLimit {
  readonly #pace = new Allowance({ count: perMinute, ms: 60_000 });
  readonly #warnings = new Allowance({ count: 1, ms: 60_000 });
  #open = 0;

  /** `tell` is called with the reason, once a minute at most. */
  async ask(put: () => Promise<ElicitResult>, tell: (why: string) => void): Promise<ElicitResult> {
    if (this.#open >= maxOpen || this.#pace.take() === undefined) {
      if (this.#warnings.take() !== undefined)
        tell(`it asks too much: at most ${maxOpen} questions wait at once, and ${perMinute} are put in a minute`);
      return { action: "decline" };
    }
    this.#open++;
    try {
      return await put();
    } finally {
      this.#open--;
    }
  }
}
