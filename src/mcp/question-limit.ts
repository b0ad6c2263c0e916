/** Limits how many questions one MCP server may ask: a few at once and some per minute; the others are declined without being shown. */
import type { ElicitResult } from "@modelcontextprotocol/client";
import { Allowance } from "../lib/allowance.ts";

const maxOpen = 4;
const perMinute = 30;

export class QuestionLimit {
  readonly #pace = new Allowance({ count: perMinute, ms: 60_000 });
  readonly #warnings = new Allowance({ count: 1, ms: 60_000 });
  #open = 0;

  /** Calls `tell` with the reason, at most once a minute. */
  async ask(put: () => Promise<ElicitResult>, warn: (why: string) => void): Promise<ElicitResult> {
    if (this.#open >= maxOpen || this.#pace.take() === undefined) {
      if (this.#warnings.take() !== undefined)
        warn(`it asks too much: at most ${maxOpen} questions wait at once, and ${perMinute} are put in a minute`);
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
