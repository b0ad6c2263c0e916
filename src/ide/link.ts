/** The terminal's end of a link with an editor's window. */
import { parseJson } from "../lib/parse-json.ts";
import { parse } from "../lib/schema.ts";
import type { FileUpdateChange } from "../protocol/item.ts";
import { connectPrivately } from "../rpc/private-socket.ts";
import type { Transport } from "../rpc/transport.ts";
import type { LookedAt } from "./looked-at.ts";
import { type EditorWindow, windowsFolder } from "./windows.ts";
import { bounded, type EditorDecision, type FromTerminal, form, maxLine, readFromWindow, Welcome } from "./wire.ts";

export interface LinkEvents {
  /** The person looks at something else, or at nothing. */
  looking(seen: LookedAt | undefined): void;
  /** A change that was shown in the editor was decided there. */
  decided(changeId: number, decision: EditorDecision): void;
  /** The window has closed, or was not understood. */
  ended(): void;
}

export interface ShownChange {
  readonly id: number;
  readonly cwd: string;
  readonly changes: readonly FileUpdateChange[];
}

/** What a terminal can do with an editor. What Codex's extension cannot do is missing. */
export interface EditorLink {
  readonly app: string;
  /** What the person looks at now, as far as that is known at once. */
  latest(): Promise<LookedAt | undefined>;
  readonly open?: (file: string, line: number | undefined) => Promise<void>;
  readonly showChange?: (change: ShownChange) => Promise<void>;
  readonly closeChange?: (id: number) => void;
  close(): void;
}

const answerMs = 5000;

/** Rejects when the window does not answer, or does not accept us. */
export async function linkWindow(codexHome: string, window: EditorWindow, cwd: string, events: LinkEvents): Promise<EditorLink> {
  const transport = await connectPrivately(windowsFolder(codexHome), window.socket);
  const lines = new Lines(transport);
  transport.send(JSON.stringify({ ide: form, token: window.token, cwd }));
  const welcome = parse(Welcome, await lines.first(answerMs));
  if (welcome === undefined) {
    transport.close();
    throw new Error(`${window.app} does not speak this version's language: update the extension, or this program`);
  }
  return new WindowLink(window.app, lines, events);
}

/** The lines of a connection; one that is too long ends it. */
class Lines {
  readonly transport: Transport;
  onValue: (value: unknown) => void = () => {};
  onEnd: () => void = () => {};
  #isOver = false;
  /** What came before anybody listened. */
  #early: unknown[] | undefined = [];

  constructor(transport: Transport) {
    this.transport = transport;
    transport.onMessage = (text) => {
      if (text.length > maxLine) return this.end();
      const value = parseJson(text);
      if (this.#early === undefined) this.onValue(value);
      else this.#early.push(value);
    };
    transport.onTooLong = () => this.end();
    transport.onClose = () => this.#ended();
  }

  /** Undefined when the connection ends instead, or nothing comes. */
  first(ms: number): Promise<unknown> {
    return new Promise((resolve) => {
      const done = (value: unknown): void => {
        clearTimeout(timer);
        this.onEnd = () => {};
        resolve(value);
      };
      const timer = setTimeout(() => done(undefined), ms);
      this.onEnd = () => done(undefined);
      this.#deliver(done);
    });
  }

  listen(onValue: (value: unknown) => void, onEnd: () => void): void {
    this.onEnd = onEnd;
    this.#early ??= [];
    const early = this.#early;
    this.#early = undefined;
    this.onValue = onValue;
    for (const value of early) onValue(value);
    if (this.#isOver) onEnd();
  }

  /** Only the next value; later ones wait. */
  #deliver(use: (value: unknown) => void): void {
    const early = this.#early ?? [];
    if (early.length > 0) return use(early.shift());
    this.#early = undefined;
    this.onValue = (value) => {
      this.#early = [];
      use(value);
    };
  }

  end(): void {
    this.transport.close();
    this.#ended();
  }
  #ended(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.onEnd();
  }
}

class WindowLink implements EditorLink {
  readonly app: string;
  readonly #lines: Lines;
  readonly #events: LinkEvents;
  readonly #waiting = new Map<number, (problem: string | undefined) => void>();
  #seen: LookedAt | undefined;
  #nextId = 1;
  #isClosed = false;
  #isOver = false;

  constructor(app: string, lines: Lines, events: LinkEvents) {
    this.app = app;
    this.#lines = lines;
    this.#events = events;
    lines.listen(
      (value) => this.#receive(value),
      () => this.#ended(),
    );
  }

  async latest(): Promise<LookedAt | undefined> {
    return this.#seen;
  }
  async open(file: string, line: number | undefined): Promise<void> {
    await this.#ask((id) => ({ type: "open", id, file, ...(line === undefined ? {} : { line }) }));
  }
  async showChange({ id, cwd, changes }: ShownChange): Promise<void> {
    this.#send({ type: "showChange", id, cwd, changes: [...changes] });
  }
  closeChange(id: number): void {
    this.#send({ type: "closeChange", id });
  }
  close(): void {
    this.#isClosed = true;
    this.#lines.end();
  }

  #send(message: FromTerminal): void {
    const text = JSON.stringify(message);
    if (this.#isOver) throw new Error(`${this.app} has closed.`);
    if (text.length > maxLine) throw new Error("That is too much to show in the editor.");
    this.#lines.transport.send(text);
  }

  async #ask(message: (id: number) => FromTerminal): Promise<void> {
    const id = this.#nextId++;
    this.#send(message(id));
    const problem = await new Promise<string | undefined>((resolve) => {
      const timer = setTimeout(() => resolve(`${this.app} does not answer.`), answerMs);
      this.#waiting.set(id, (text) => {
        clearTimeout(timer);
        resolve(text);
      });
    });
    this.#waiting.delete(id);
    if (problem !== undefined) throw new Error(problem);
  }

  #receive(value: unknown): void {
    const message = readFromWindow(value);
    if (message === undefined) return this.#lines.end();
    switch (message.type) {
      case "looking":
        this.#seen = message.seen === null ? undefined : bounded(message.seen);
        return this.#events.looking(this.#seen);
      case "done":
        return this.#waiting.get(message.id)?.(message.problem);
      case "decided":
        return this.#events.decided(message.id, message.decision);
    }
  }

  #ended(): void {
    this.#isOver = true;
    for (const settle of this.#waiting.values()) settle(`${this.app} has closed.`);
    if (!this.#isClosed) this.#events.ended();
  }
}
