/** The screen: renders the state to the terminal, at most thirty times a second, and redraws it when its size changes. */

import { setTimeout as setTimeoutPromise } from "node:timers/promises";
import type { ReadStream, WriteStream } from "node:tty";
import { type Instance, render, type SuspendTerminal } from "ink";
import { createElement } from "react";
import type { Key } from "../compose/key.ts";
import { entryLines, hasGap } from "../draw/entries.ts";
import { frame, type Size } from "../draw/frame.ts";
import type { Stage } from "../shell/app.ts";
import type { Store } from "../shell/store.ts";
import type { Entry } from "../state/entry.ts";
import { settleMessages } from "../state/live.ts";
import { type Line, truncate } from "../text/spans.ts";
import type { Theme } from "../text/theme.ts";
import { type DrawnFrame, OnScreen, reflowOf } from "./on-screen.ts";
import { page } from "./pager.ts";
import { formerTitle, keepTitle, notice, titleOf } from "./terminal.ts";
import { View, type ViewProps } from "./view.ts";

export interface ScreenOptions {
  readonly theme: Theme;
  readonly home: string;
  readonly usesAltScreen: boolean;
  readonly animates: boolean;
  readonly notificationMethod: "osc9" | "bel" | "auto";
  readonly stdin: ReadStream;
  readonly stdout: WriteStream;
}

export interface ScreenInput {
  readonly onKey: (key: Key) => void;
  readonly onPaste: (text: string) => void;
}

const frameMs = 33;
const tickMs = 100;
/** More than this is not laid out at once: keys must get through. */
const linesPerDraw = 400;
/**
 * A window that is dragged changes its size many times: it is drawn anew when it has come to rest. tmux tells programs of the second size a
 * quarter of a second after it has taken effect.
 */
const settleMs = 80;
const settleInTmuxMs = 300;
/** How long to wait for an editor that has the terminal when the program must exit. */
const lentMs = 500;

export class Screen implements Omit<Stage, "switchTheme"> {
  readonly #options: ScreenOptions;
  readonly #store: Store;
  #theme: Theme;
  #instance: Instance | undefined;
  #input: ScreenInput = { onKey: () => {}, onPaste: () => {} };
  #timer: NodeJS.Timeout | undefined;
  #ticker: NodeJS.Timeout | undefined;
  #printed = { number: 0, text: "" };
  readonly #reflow = reflowOf(process.env);
  readonly #onScreen = new OnScreen(this.#reflow);
  #hasPrinted = false;
  #frame: DrawnFrame = { lines: [] };
  #pending: Entry[] = [];
  #columns: number;
  /** Runs while the window changes its size; nothing is drawn until then. */
  #settling: NodeJS.Timeout | undefined;
  #hasOtherWidth = false;
  /** The library's own answer to another size. */
  #laidOut: () => void = () => {};
  #isLent = false;
  /** The window title; empty until it was set. */
  #title = "";
  #lent: Promise<void> = Promise.resolve();
  readonly #closing = new AbortController();

  constructor(options: ScreenOptions, store: Store) {
    this.#options = options;
    this.#store = store;
    this.#theme = options.theme;
    this.#columns = this.size.columns;
  }

  get theme(): Theme {
    return this.#theme;
  }
  /** What is visible is drawn again; the scrollback keeps its colours. */
  setTheme(theme: Theme): void {
    this.#theme = theme;
    if (theme.spoken) this.redraw();
    else this.#drawAgain("printed");
  }
  get size(): Size {
    const { columns, rows } = this.#options.stdout;
    return { columns: columns || 80, rows: rows || 24 };
  }

  open(input: ScreenInput): void {
    const { stdin, stdout } = this.#options;
    const theme = this.#theme;
    this.#input = input;
    stdout.write("\n"); // see blankScreen
    const others = stdout.listeners("resize");
    this.#instance = render(createElement(View, this.#props()), {
      stdin,
      stdout,
      exitOnCtrlC: false,
      patchConsole: false,
      maxFps: Math.round(1000 / frameMs),
      incrementalRendering: !theme.spoken,
      isScreenReaderEnabled: theme.spoken,
      interactive: true,
      kittyKeyboard: { mode: "auto" },
    });
    this.#takeOverResize(others);
    this.#store.onChange = () => this.#soon();
    this.#ticker = setInterval(() => this.#tick(), tickMs);
  }

  /** Leaves the last lines on the screen without the composer, and restores the terminal. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    clearInterval(this.#ticker);
    this.#store.onChange = () => {};
    this.#options.stdout.off("resize", this.#resized);
    const instance = this.#instance;
    if (instance === undefined) return;
    if (this.#settling !== undefined) this.#settled();
    clearTimeout(this.#settling);
    this.#settling = undefined;
    this.#closing.abort();
    if (this.#isLent) await Promise.race([this.#lent, setTimeoutPromise(lentMs, undefined, { ref: false })]);
    while (this.#hasMore()) this.#rerender({ ...this.#props(), lines: [], cursor: undefined });
    this.#rerender({ ...this.#props(), lines: [], cursor: undefined });
    await instance.waitUntilRenderFlush();
    if (this.#title !== "") this.#options.stdout.write(formerTitle);
    instance.unmount();
    await instance.waitUntilExit();
    this.#instance = undefined;
  }

  /** For keys: the response to a key must not wait for the next frame. */
  drawNow(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#settling !== undefined) return;
    if (!this.#isLent) this.#rerender(this.#props());
    if (this.#hasMore()) this.#soon();
  }

  #soon(): void {
    this.#timer ??= setTimeout(() => this.drawNow(), frameMs);
  }
  #tick(): void {
    const { animates } = this.#options;
    const theme = this.#theme;
    const { turn, live } = this.#store.conversation;
    if ((turn !== undefined || live.length > 0) && !theme.spoken && animates && this.#store.ui.pending.length === 0) this.#soon();
  }
  #hasMore(): boolean {
    return this.#pending.length > 0 || this.#store.conversation.outbox.length > 0;
  }
  #rerender(props: ViewProps): void {
    this.#instance?.rerender(createElement(View, props));
  }

  #props(): ViewProps {
    this.#store.setConversation(settleMessages(this.#store.conversation));
    this.#print();
    this.#showTitle();
    const props = this.#frameProps();
    this.#onScreen.framed(this.#frame.lines, this.size);
    return props;
  }
  #frameProps(): ViewProps {
    const { home } = this.#options;
    const theme = this.#theme;
    const drawn = frame(this.#store.conversation, this.#store.ui, { size: this.size, theme, nowMs: Date.now(), home });
    this.#frame = drawn;
    const lines = drawn.lines.map((line) => theme.paint(line));
    return { printed: this.#printed, lines, cursor: drawn.cursor, ...this.#input, onReady: this.#ready };
  }

  /** The window title is the session's name, with a marker while something runs or waits. */
  #showTitle(): void {
    const { conversation, ui } = this.#store;
    const title = this.#theme.spoken || this.#isLent ? this.#title : titleOf(conversation, ui);
    if (title === this.#title) return;
    if (this.#title === "") this.#options.stdout.write(keepTitle);
    this.#title = title;
    this.#options.stdout.write(`\u001b]0;${title}\u0007`);
  }

  /** Takes finished entries, as many as fit into one frame. */
  #print(): void {
    this.#pending.push(...this.#store.takeOutbox());
    const lines: Line[] = [];
    while (this.#pending.length > 0 && lines.length < linesPerDraw) {
      const entry = this.#pending.shift();
      if (entry === undefined) break;
      const added = this.#linesOf(entry);
      lines.push(...added);
      this.#onScreen.printed(entry, added);
      this.#hasPrinted = true;
    }
    if (lines.length > 0) this.#printed = { number: this.#printed.number + 1, text: this.#paint(lines) };
  }
  #linesOf(entry: Entry): Line[] {
    const theme = this.#theme;
    const cwd = this.#store.conversation.settings?.cwd ?? "";
    return [...(hasGap(entry) && this.#hasPrinted ? [[]] : []), ...entryLines(entry, { width: this.size.columns, theme, cwd })];
  }
  #paint(lines: readonly Line[]): string {
    return lines.map((line) => this.#theme.paint(line) || " ").join("\n");
  }

  /** The library would draw at every step of a drag, by where its lines were before the terminal wrapped and scrolled them. */
  #takeOverResize(others: readonly unknown[]): void {
    const { stdout } = this.#options;
    const own = stdout.listeners("resize").filter((listener) => !others.includes(listener)) as (() => void)[];
    for (const listener of own) stdout.off("resize", listener);
    this.#laidOut = () => {
      for (const listener of own) listener();
    };
    stdout.on("resize", this.#resized);
  }

  readonly #resized = (): void => {
    if (this.size.columns !== this.#columns) this.#hasOtherWidth = true;
    clearTimeout(this.#settling);
    this.#settling = setTimeout(() => this.#settled(), this.#reflow === "push" ? settleInTmuxMs : settleMs);
  };

  /** A new width wraps every line differently: the visible part is redrawn, the scrollback is left to the terminal. */
  #settled(): void {
    clearTimeout(this.#settling);
    this.#settling = undefined;
    if (this.#isLent) return;
    const [columns, rows] = this.#options.stdout.getWindowSize();
    if (columns !== this.size.columns || rows !== this.size.rows) return this.#resized(); // its signal is still on the way
    const from = this.#hasOtherWidth ? "printed" : "frame";
    this.#hasOtherWidth = false;
    this.#columns = this.size.columns;
    this.#onScreen.resized(this.#frame, this.size);
    if (this.#theme.spoken) this.drawNow();
    else this.#drawAgain(from);
    this.#laidOut();
  }

  /** Draws the frame anew, or all that is on the screen. What is above that stays: a terminal that grows brings lines back from its scrollback. */
  #drawAgain(from: "frame" | "printed"): void {
    if (this.#instance === undefined || this.#isLent) return;
    if (this.#settling !== undefined) {
      this.#hasOtherWidth = true; // for #settled, which comes soon
      return;
    }
    const { columns, rows } = this.size;
    const height = this.#frame.lines.length;
    this.#options.stdout.write(eraseBelow({ up: this.#onScreen.rowsAbove(this.#frame, from, columns), rows, height }));
    this.#options.stdout.write(down(this.#frame.cursor?.y ?? height)); // where the library believes the cursor to be
    this.#instance.clear();
    const lines = from === "printed" ? this.#onScreen.again((entry) => this.#linesOf(entry)) : [];
    if (lines.length > 0) {
      this.#printed = { number: this.#printed.number + 1, text: this.#paint(lines) };
      this.#rerender(this.#frameProps());
    }
    this.drawNow();
  }

  /** The whole screen, wherever the cursor is: others have written to it. */
  redraw(): void {
    if (this.#instance === undefined || this.#isLent) return;
    this.#instance.clear();
    this.#options.stdout.write(blankScreen(this.size.rows));
    const entries = [...this.#onScreen.entries, ...this.#pending, ...this.#store.takeOutbox()];
    this.#pending = [];
    this.#onScreen.cleared();
    const lines = entries.flatMap((entry) => {
      const added = this.#linesOf(entry);
      this.#onScreen.printed(entry, added);
      return added;
    });
    const room = this.size.rows - 2 - this.#frameProps().lines.length; // the first row, and the one below the frame
    const visible = lines.slice(-Math.max(1, room));
    if (visible.length > 0) this.#printed = { number: this.#printed.number + 1, text: this.#paint(visible) };
    this.drawNow();
  }

  copy(text: string): void {
    this.#options.stdout.write(`\u001b]52;c;${Buffer.from(text).toString("base64")}\u0007`);
  }

  /** After an unexpected stop (SIGSTOP): the shell has had the terminal, and has set its modes. */
  wake(): void {
    if (this.#instance === undefined || this.#isLent) return;
    const { stdin, stdout } = this.#options;
    stdin.setRawMode(false); // Node remembers it as raw, and would not set it again
    stdin.setRawMode(true);
    stdout.write("\u001b[?2004h");
    this.redraw();
  }

  async page(title: string, draw: (width: number) => readonly Line[]): Promise<void> {
    const { stdin, stdout } = this.#options;
    const theme = this.#theme;
    const { signal } = this.#closing;
    await this.lend(() => page({ title, draw, theme, stdin, stdout, signal, at: title === "Changes" ? "top" : "bottom" }));
  }

  /** Nothing is printed while another program has the terminal: it would be lost. */
  async lend(use: () => Promise<void>): Promise<void> {
    const suspend = this.#suspend;
    if (suspend === undefined || this.#isLent) return;
    this.#isLent = true;
    try {
      this.#lent = suspend(use);
      await this.#lent;
    } finally {
      this.#isLent = false;
      if (!this.#hasOtherWidth) this.drawNow();
      else {
        const { columns } = this.size;
        // The library has drawn the frame again already, as far as it fits.
        this.#frame = { ...this.#frame, lines: this.#frame.lines.map((of) => truncate(of, columns)) };
        this.#settled();
      }
    }
  }
  #suspend: SuspendTerminal | undefined;
  readonly #ready = (suspend: SuspendTerminal): void => {
    this.#suspend = suspend;
  };

  notify(text: string): void {
    this.#options.stdout.write(notice(text, this.#options.notificationMethod, process.env));
  }
}

/**
 * Line by line, with the cursor in the second row: some terminals save the old screen when everything is erased from the first row on,
 * and would put a copy of it into the scrollback.
 */
const blankScreen = (rows: number): string => `\u001b[H${"\u001b[2K\u001b[B".repeat(rows)}\u001b[2;1H`;

const up = (rows: number): string => (rows > 0 ? `\u001b[${rows}A` : "");
const down = (rows: number): string => (rows > 0 ? `\u001b[${rows}B` : "");

/** Erases everything from some rows above the cursor on, and leaves the cursor there, with room below for a frame of this height. */
function eraseBelow(to: { readonly up: number; readonly rows: number; readonly height: number }): string {
  const all = `\u001b7${"\u001b[2K\u001b[B".repeat(to.rows)}\u001b[2K\u001b8`;
  return `\r${up(to.up)}${all}${"\n".repeat(to.height)}${up(to.height)}`;
}
