/** The editor's end of links with terminals: a private socket, registered in the home, that only answers those who know its token. */
import { createHash, timingSafeEqual } from "node:crypto";
import { errorMessage } from "../lib/error-text.ts";
import { parseJson } from "../lib/parse-json.ts";
import { randomBytes } from "../lib/random.ts";
import { parse } from "../lib/schema.ts";
import { listenPrivately, type PrivateListener } from "../rpc/private-socket.ts";
import type { Transport } from "../rpc/transport.ts";
import type { ShownChange } from "./link.ts";
import type { LookedAt } from "./looked-at.ts";
import { type EditorWindow, register, removeDeadWindows, unregister, windowsFolder } from "./windows.ts";
import { bounded, type EditorDecision, type FromWindow, form, Greeting, maxLine, readFromTerminal } from "./wire.ts";

/** What the editor does for a terminal. Rejections are shown to the person in the terminal. */
export interface WindowPorts {
  readonly app: string;
  folders(): readonly string[];
  looking(): LookedAt | undefined;
  open(file: string, line: number | undefined): Promise<void>;
  /** `decide` sends what the person decides in the editor. Ids are unique to one terminal: `key` tells terminals apart. */
  showChange(key: string, change: ShownChange, decide: (decision: EditorDecision) => void): Promise<void>;
  closeChange(key: string): void;
  log(line: string): void;
}

/** More terminals than this are not linked with one window. */
const maxTerminals = 20;
const greetingMs = 5000;
const maxGreeting = 16 * 1024;
const maxShown = 50;

export class WindowServer {
  readonly #ports: WindowPorts;
  readonly #codexHome: string;
  readonly #window: Omit<EditorWindow, "folders">;
  readonly #terminals = new Set<TerminalLink>();
  #listener: PrivateListener | undefined;
  /** Connections, also those that have not greeted yet. */
  #open = 0;

  constructor(codexHome: string, ports: WindowPorts) {
    this.#codexHome = codexHome;
    this.#ports = ports;
    const socket = `${process.pid}-${randomBytes(6).toString("hex")}.sock`;
    this.#window = { socket, app: ports.app, token: randomBytes(32).toString("hex") };
  }

  /** Rejects where there are no private sockets, or the home cannot be written. */
  async start(): Promise<void> {
    await removeDeadWindows(this.#codexHome);
    this.#listener = await listenPrivately(windowsFolder(this.#codexHome), this.#window.socket, (transport) => this.#accept(transport));
    this.foldersChanged();
  }

  foldersChanged(): void {
    if (this.#listener !== undefined) register(this.#codexHome, { ...this.#window, folders: this.#ports.folders() });
  }
  lookingChanged(): void {
    for (const terminal of this.#terminals) terminal.look(this.#ports.looking());
  }
  /** How many terminals are linked. */
  get terminals(): number {
    return this.#terminals.size;
  }

  close(): void {
    if (this.#listener === undefined) return;
    unregister(this.#codexHome, this.#window.socket);
    this.#listener.close();
    this.#listener = undefined;
    for (const terminal of this.#terminals) terminal.close();
  }

  #accept(transport: Transport): void {
    const late = setTimeout(() => transport.close(), greetingMs);
    let terminal: TerminalLink | undefined;
    this.#open++;
    transport.onClose = () => {
      clearTimeout(late);
      this.#open--;
      if (terminal === undefined) return;
      this.#terminals.delete(terminal);
      terminal.ended();
    };
    transport.onTooLong = () => transport.close();
    if (this.#open > maxTerminals) return transport.close();
    transport.onMessage = (text) => {
      const greeting = text.length > maxGreeting ? undefined : parse(Greeting, parseJson(text));
      if (greeting === undefined || !isSame(greeting.token, this.#window.token)) return transport.close();
      clearTimeout(late);
      transport.send(JSON.stringify({ ide: form }));
      terminal = new TerminalLink(transport, this.#ports);
      this.#terminals.add(terminal);
      terminal.look(this.#ports.looking());
    };
  }
}

/** Takes the same time wherever the two differ. */
const isSame = (given: string, token: string): boolean => timingSafeEqual(digest(given), digest(token));
const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

let terminalsSoFar = 0;

class TerminalLink {
  readonly #transport: Transport;
  readonly #ports: WindowPorts;
  readonly #key = String(++terminalsSoFar);
  readonly #shown = new Set<number>();

  constructor(transport: Transport, ports: WindowPorts) {
    this.#transport = transport;
    this.#ports = ports;
    transport.onMessage = (text) => this.#receive(text);
  }

  look(seen: LookedAt | undefined): void {
    this.#send({ type: "looking", seen: seen === undefined ? null : plain(bounded(seen)) });
  }
  close(): void {
    this.#transport.close();
  }
  /** Nobody waits for its changes any more. */
  ended(): void {
    for (const id of this.#shown) this.#ports.closeChange(this.#keyOf(id));
    this.#shown.clear();
  }

  #send(message: FromWindow): void {
    this.#transport.send(JSON.stringify(message));
  }
  #keyOf(id: number): string {
    return `terminal-${this.#key}-${id}`;
  }

  #receive(text: string): void {
    const message = text.length > maxLine ? undefined : readFromTerminal(parseJson(text));
    if (message === undefined) return this.#transport.close();
    const { id } = message;
    switch (message.type) {
      case "open":
        this.#answer(id, this.#ports.open(message.file, message.line));
        return;
      case "showChange":
        if (this.#shown.size >= maxShown) return this.#transport.close();
        this.#shown.add(id);
        this.#answer(
          id,
          this.#ports.showChange(this.#keyOf(id), message, (decision) => this.#send({ type: "decided", id, decision })),
        );
        return;
      case "closeChange":
        if (this.#shown.delete(id)) this.#ports.closeChange(this.#keyOf(id));
        return;
    }
  }

  #answer(id: number, doing: Promise<void>): void {
    doing.then(
      () => this.#send({ type: "done", id }),
      (error: unknown) => {
        this.#ports.log(errorMessage(error));
        this.#send({ type: "done", id, problem: errorMessage(error).slice(0, 1000) });
      },
    );
  }
}

const plain = ({ selection, problems, file }: LookedAt) => ({ file, selection: selection ?? null, problems: [...problems] });
