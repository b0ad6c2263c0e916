/** The screen of a terminal that can only print lines (TERM=dumb): no cursor, no colours, whole lines as input. */
import { createInterface, type Interface } from "node:readline";
import type { ReadStream, WriteStream } from "node:tty";
import type { Key } from "../compose/key.ts";
import { entryLines, hasGap } from "../draw/entries.ts";
import { frame, type Size } from "../draw/frame.ts";
import type { Stage } from "../shell/app.ts";
import type { Store } from "../shell/store.ts";
import { settleMessages } from "../state/live.ts";
import { type Line, lineText } from "../text/spans.ts";
import type { Theme } from "../text/theme.ts";
import type { ScreenInput } from "./screen.ts";

export interface PlainScreenOptions {
  readonly theme: Theme;
  readonly home: string;
  readonly stdin: ReadStream;
  readonly stdout: WriteStream;
  /** Ctrl+D. */
  readonly onEnd: () => void;
}

const drawMs = 50;
/** Tall enough that no question or list is cut. */
const rows = 200;
/** Closes a question or a list: no key but Enter arrives alone. */
const cancelling = ["cancel", "\u001b"];
const answerHint = "(type a number or the text and press enter; cancel closes)";

export class PlainScreen implements Omit<Stage, "switchTheme"> {
  readonly #options: PlainScreenOptions;
  readonly #store: Store;
  #input: ScreenInput = { onKey: () => {}, onPaste: () => {} };
  #lines: Interface | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isFirst = true;
  /** Whether the cursor stands behind `Message: `. */
  #isPrompting = false;
  /** Whether something was printed since the last input: only then is the person's next message asked for. */
  #hasPrinted = false;
  /** Lines that were typed before there was a server to send them to. */
  readonly #early: string[] = [];
  #shownPrompt: unknown;
  #shownHint: string | undefined;

  constructor(options: PlainScreenOptions, store: Store) {
    this.#options = options;
    this.#store = store;
  }

  get theme(): Theme {
    return this.#options.theme;
  }
  /** It has no colours. */
  setTheme(): void {}
  get size(): Size {
    return { columns: this.#options.stdout.columns || 80, rows };
  }

  open(input: ScreenInput): void {
    this.#input = input;
    this.#store.onChange = () => {
      this.#timer ??= setTimeout(() => this.drawNow(), drawMs);
    };
    this.#listen();
    this.drawNow();
  }

  async close(): Promise<void> {
    this.drawNow();
    clearTimeout(this.#timer);
    this.#store.onChange = () => {};
    this.#stopListening();
    if (this.#isPrompting) this.#options.stdout.write("\n");
  }

  #listen(): void {
    this.#lines = createInterface({ input: this.#options.stdin, terminal: false });
    this.#lines.on("line", (text) => this.#read(text));
    this.#lines.on("close", () => this.#lines !== undefined && this.#options.onEnd());
  }
  #stopListening(): void {
    const lines = this.#lines;
    this.#lines = undefined;
    lines?.close();
  }

  /** What must be answered first: a question of the server, or a list or form of our own. */
  get #prompt(): unknown {
    const { pending, dialog } = this.#store.ui;
    return pending[0]?.prompt ?? dialog;
  }

  get #canSend(): boolean {
    return this.#store.conversation.threadId !== undefined && this.#store.ui.connection !== "lost";
  }

  #read(text: string): void {
    if (this.#prompt === undefined && !this.#canSend) {
      this.#early.push(text);
      return;
    }
    this.#isPrompting = false;
    this.#hasPrinted = text === "";
    const { pending, dialog } = this.#store.ui;
    if (this.#prompt === undefined) {
      if (text !== "") this.#input.onPaste(text);
      this.#press("return");
    } else if (cancelling.includes(text.trim())) this.#press("escape");
    else if (pending[0]?.prompt.kind === "approval" || (dialog?.kind === "picker" && !dialog.canFilter)) this.#choose(text.trim());
    else {
      for (const letter of text) this.#press("text", letter);
      this.#press("return");
    }
    this.drawNow();
  }

  /** One character at most: a message that was typed before the question came must not answer it. */
  #choose(text: string): void {
    this.#shownPrompt = undefined;
    if ([...text].length === 1) this.#press("text", text);
  }

  #press(name: Key["name"], text = ""): void {
    this.#input.onKey({ name, text, ctrl: false, alt: false, shift: false });
  }

  drawNow(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#store.setConversation(settleMessages(this.#store.conversation));
    for (const entry of this.#store.takeOutbox()) {
      const lines = entryLines(entry, { width: this.size.columns, theme: this.theme, cwd: this.#store.conversation.settings?.cwd ?? "" });
      this.#print(hasGap(entry) && !this.#isFirst ? [[], ...lines] : lines);
      this.#isFirst = false;
    }
    this.#showPrompt();
    this.#showHint();
    const early = this.#prompt === undefined && this.#canSend ? this.#early.shift() : undefined;
    if (early !== undefined) return this.#read(early);
    const { threadId, turn } = this.#store.conversation;
    if (!this.#hasPrinted || this.#isPrompting || this.#prompt !== undefined || threadId === undefined || turn !== undefined) return;
    this.#options.stdout.write("\nMessage: ");
    this.#isPrompting = true;
  }

  #showPrompt(): void {
    const prompt = this.#prompt;
    if (prompt === this.#shownPrompt) return;
    this.#shownPrompt = prompt;
    if (prompt === undefined) return;
    const place = { size: this.size, theme: this.theme, nowMs: Date.now(), home: this.#options.home };
    this.#print(frame(this.#store.conversation, this.#store.ui, place).lines);
    this.#options.stdout.write(`${answerHint} `);
    this.#isPrompting = true;
  }

  #showHint(): void {
    const { hint } = this.#store.ui;
    if (hint !== undefined && hint !== this.#shownHint) this.#print([[{ text: hint }]]);
    this.#shownHint = hint;
  }

  #print(lines: readonly Line[]): void {
    if (lines.length === 0) return;
    const text = lines.map((line) => `${lineText(line).trimEnd()}\n`).join("");
    this.#options.stdout.write(`${this.#isPrompting ? "\n" : ""}${text}`);
    this.#isPrompting = false;
    this.#hasPrinted = true;
  }

  async page(title: string, draw: (width: number) => readonly Line[]): Promise<void> {
    this.#print([[{ text: title }], ...draw(this.size.columns)]);
  }
  /** Another program reads the terminal meanwhile. */
  async lend(use: () => Promise<void>): Promise<void> {
    this.#stopListening();
    try {
      await use();
    } finally {
      this.#listen();
    }
  }
  redraw(): void {
    this.drawNow();
  }
  wake(): void {}
  /** There is no clipboard to reach, but printed text can be selected. */
  copy(text: string): void {
    this.#print(text.split("\n").map((line) => [{ text: line }]));
  }
  notify(): void {}
}
