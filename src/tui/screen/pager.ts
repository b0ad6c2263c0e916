/** A pager on the terminal's alternate screen, for content longer than the screen. The main screen is restored afterwards. */
import type { ReadStream, WriteStream } from "node:tty";
import { type Line, muted, span, truncate } from "../text/spans.ts";
import type { Theme } from "../text/theme.ts";

export interface PagerOptions {
  readonly title: string;
  readonly draw: (width: number) => readonly Line[];
  readonly theme: Theme;
  readonly stdin: ReadStream;
  readonly stdout: WriteStream;
  /** The start position. */
  readonly at: "top" | "bottom";
  /** Closes it from outside. */
  readonly signal: AbortSignal;
}

/** Resolves when the person has closed it. Contract: nobody else reads or writes the terminal meanwhile. */
export function page(options: PagerOptions): Promise<void> {
  return new Promise((resolve) => new Pager(options, resolve).open());
}

class Pager {
  readonly #options: PagerOptions;
  readonly #done: () => void;
  #lines: readonly Line[] = [];
  #top = 0;
  #search = "";
  #isTyping = false;

  constructor(options: PagerOptions, done: () => void) {
    this.#options = options;
    this.#done = done;
  }

  open(): void {
    const { stdin, stdout, at, signal } = this.#options;
    signal.addEventListener("abort", this.#close, { once: true });
    stdout.write("\u001b[?1049h\u001b[?25l");
    stdin.setRawMode(true);
    stdin.setEncoding("utf8");
    stdin.on("data", this.#onInput);
    stdin.resume();
    stdout.on("resize", this.#resize);
    this.#layout();
    this.#to(at === "bottom" ? this.#lines.length : 0);
  }

  readonly #resize = (): void => {
    const share = this.#lines.length === 0 ? 0 : this.#top / this.#lines.length;
    this.#layout();
    this.#to(Math.round(share * this.#lines.length));
  };
  readonly #onInput = (data: Buffer | string): void => {
    for (const key of splitKeys(data.toString())) this.#press(key);
  };

  get #height(): number {
    return Math.max(1, (this.#options.stdout.rows ?? 24) - 1);
  }
  get #width(): number {
    return Math.max(20, this.#options.stdout.columns ?? 80);
  }
  #layout(): void {
    this.#lines = this.#options.draw(this.#width);
  }

  #press(key: string): void {
    if (this.#isTyping) return this.#type(key);
    const page = Math.max(1, this.#height - 2);
    const half = Math.max(1, Math.floor(this.#height / 2));
    const moves: Readonly<Record<string, number>> = {
      "\u001b[A": -1,
      k: -1,
      "\u001b[B": 1,
      j: 1,
      "\r": 1,
      "\u001b[5~": -page,
      b: -page,
      "\u001b[6~": page,
      " ": page,
      u: -half,
      d: half,
      "\u0015": -half,
      "\u0004": half,
      g: -Infinity,
      "\u001b[H": -Infinity,
      G: Infinity,
      "\u001b[F": Infinity,
    };
    const by = moves[key];
    if (by !== undefined) return this.#to(this.#top + by);
    if (key === "/") {
      this.#search = "";
      this.#isTyping = true;
      return this.#drawAll();
    }
    if (key === "n" || key === "N") return this.#find(key === "n" ? 1 : -1);
    if (["q", "\u001b", "\u0003", "\u0014"].includes(key)) this.#close();
  }

  #type(key: string): void {
    if (key === "\r" || key === "\u001b") {
      this.#isTyping = false;
      return key === "\r" ? this.#find(1) : this.#drawAll();
    }
    if (key === "\u007f" || key === "\b") this.#search = this.#search.slice(0, -1);
    else if (!/^[\u0000-\u001f]/.test(key)) this.#search += key;
    this.#drawAll();
  }

  #find(by: 1 | -1): void {
    const needle = this.#search.toLowerCase();
    const count = this.#lines.length;
    for (let i = 1; needle !== "" && i <= count; i++) {
      const at = (this.#top + by * i + count) % count;
      const text = (this.#lines[at] ?? []).map((part) => part.text).join("");
      if (text.toLowerCase().includes(needle)) return this.#to(at);
    }
    this.#drawAll();
  }

  #to(top: number): void {
    this.#top = Math.min(Math.max(0, this.#lines.length - this.#height), Math.max(0, top));
    this.#drawAll();
  }

  #drawAll(): void {
    const { theme, stdout } = this.#options;
    const rows = Array.from({ length: this.#height }, (_, i) => {
      const line = this.#lines[this.#top + i];
      return `\u001b[${i + 1};1H\u001b[2K${line === undefined ? "" : theme.paint(truncate(line, this.#width))}`;
    });
    const status = `\u001b[${this.#height + 1};1H\u001b[2K${theme.paint(truncate(this.#status(), this.#width))}`;
    stdout.write(`\u001b[?2026h${rows.join("")}${status}\u001b[?2026l`);
  }

  #status(): Line {
    if (this.#isTyping) return [span(`/${this.#search}`)];
    const last = Math.min(this.#lines.length, this.#top + this.#height);
    const share = this.#lines.length === 0 ? 100 : Math.round((last / this.#lines.length) * 100);
    return [
      span(this.#options.title, { bold: true }),
      muted(`  ${last}/${this.#lines.length}  ${share}%   arrows, space, g and G, / searches, q closes`),
    ];
  }

  readonly #close = (): void => {
    const { stdin, stdout, signal } = this.#options;
    signal.removeEventListener("abort", this.#close);
    stdin.off("data", this.#onInput);
    stdout.off("resize", this.#resize);
    stdin.pause();
    stdin.setRawMode(false);
    stdout.write("\u001b[?25h\u001b[?1049l");
    this.#done();
  };
}

/** Escape sequences as one, everything else character by character. */
function splitKeys(text: string): string[] {
  return text.match(/\u001b\[[0-9;]*[A-Za-z~]|\u001bO[A-Z]|[\s\S]/gu)?.map((key) => key.replace(/^\u001bO/, "\u001b[")) ?? [];
}
