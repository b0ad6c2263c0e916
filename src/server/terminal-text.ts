/** Turns what a client's terminal shows, which is polled whole, into output that only grows. Pure. */

interface Shown {
  readonly output: string;
  /** Whether the beginning is missing. */
  readonly truncated: boolean;
}

/** A client that ignores the limit must not fill our memory. */
const mostCharacters = 4 * 1024 * 1024;
/** Enough to recognize where the kept output begins. */
const headCharacters = 1024;
const mostCandidates = 100;

export class TerminalText {
  #delivered = "";

  /** What is new in whole lines. The last line may still be redrawn. */
  more({ output, truncated }: Shown): string {
    const lines = output.slice(-mostCharacters, output.lastIndexOf("\n") + 1);
    return this.#take(lines, truncated || output.length > mostCharacters) ?? "";
  }

  /** What is new after the end, in any case: lines that were redrawn are repeated. */
  rest({ output, truncated }: Shown): string {
    const text = output.slice(-mostCharacters);
    const fresh = this.#take(text, truncated || output.length > mostCharacters);
    if (fresh !== undefined) return fresh;
    const from = truncated ? 0 : text.lastIndexOf("\n", sameStart(text, this.#delivered)) + 1;
    return `${this.#delivered === "" ? "" : "\n[the terminal now shows]\n"}${text.slice(from)}`;
  }

  #take(text: string, truncated: boolean): string | undefined {
    const known = text.startsWith(this.#delivered) ? this.#delivered.length : truncated ? overlap(this.#delivered, text) : undefined;
    if (known === undefined) return undefined;
    this.#delivered = text;
    return text.slice(known);
  }
}

function sameStart(a: string, b: string): number {
  let at = 0;
  while (at < a.length && at < b.length && a[at] === b[at]) at++;
  return at;
}

/** The length of the longest end of `before` that `now` begins with; undefined where there is none. */
function overlap(before: string, now: string): number | undefined {
  const head = now.slice(0, headCharacters);
  if (head === "") return undefined;
  let at = before.indexOf(head);
  for (let tries = 0; at >= 0 && tries < mostCandidates; tries++) {
    if (now.startsWith(before.slice(at))) return before.length - at;
    at = before.indexOf(head, at + 1);
  }
  return undefined;
}
