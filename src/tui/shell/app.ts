/** The terminal client as a whole: connects the server, the state and the screen, and runs until the person exits. */
import type { Client } from "../../client/client.ts";
import { errorMessage } from "../../lib/error-text.ts";
import { cleanLine } from "../../lib/terminal-text.ts";
import type { Form, Given } from "../ask/form.ts";
import type { Picker } from "../ask/picker.ts";
import { attachImage, composerWith, emptyComposer, textOf } from "../compose/composer.ts";
import { type History, openHistory } from "../compose/history.ts";
import { standardKeymap } from "../compose/keymap.ts";
import { startVim } from "../compose/vim.ts";
import type { Size } from "../draw/frame.ts";
import { reopenConversation } from "../state/open.ts";
import { foldedMethods, type Received, reduce } from "../state/reduce.ts";
import type { Line } from "../text/spans.ts";
import type { Theme } from "../text/theme.ts";
import { refreshBackground } from "./background.ts";
import { commandSuggestions } from "./commands.ts";
import { Completions } from "./completions.ts";
import { Ide } from "./ide.ts";
import { submit } from "./keys.ts";
import { sandboxModeOf } from "./labels.ts";
import { Questions } from "./questions.ts";
import { afterInterrupt, refreshQueue } from "./queue.ts";
import { chooseThread, newestThread } from "./sessions.ts";
import type { Shell, TuiOptions } from "./shell.ts";
import { Store } from "./store.ts";
import { forkThread, resumeThread, startThread } from "./threads.ts";
import { askForTrust } from "./trust.ts";
import type { TuiConfig } from "./tui-config.ts";

/** What the app needs of the screen. */
export interface Stage {
  readonly theme: Theme;
  /** Changes to the colour scheme of this name. */
  switchTheme(name: string): void;
  readonly size: Size;
  page(title: string, draw: (width: number) => readonly Line[]): Promise<void>;
  lend(use: () => Promise<void>): Promise<void>;
  redraw(): void;
  /** Copies text to the terminal's clipboard. */
  copy(text: string): void;
  /** Draws the person's attention to the terminal. */
  notify(text: string): void;
}

const reconnectMs = [250, 500, 1000, 2000, 4000, 8000, 8000, 8000, 8000, 8000];
/** A person who pressed a key this recently is looking. */
const presentMs = 8000;

export class App implements Shell {
  readonly options: TuiOptions;
  readonly store = new Store();
  readonly history: History;
  readonly questions: Questions;
  readonly completions: Completions;
  readonly ide: Ide;
  readonly #config: TuiConfig;
  readonly #stage: Stage;
  readonly #ended = Promise.withResolvers<number>();
  #client: Client;
  #dialog: ((answer: string | Given | undefined) => void) | undefined;
  #isOver = false;

  constructor(options: TuiOptions, client: Client, stage: Stage, config: TuiConfig) {
    this.options = options;
    this.#client = client;
    this.#stage = stage;
    this.#config = config;
    this.history = openHistory({
      codexHome: options.codexHome,
      now: Date.now,
      persists: config.keepsHistory,
      maxBytes: config.historyBytes,
    });
    this.ide = new Ide(this);
    this.questions = new Questions(this);
    this.completions = new Completions(this, () => commandSuggestions(options.codexHome));
    // A terminal that sends whole lines has no keys but Enter.
    const { keymap, statusLine, startsWithVim } = options.isPlain ? { ...config, keymap: standardKeymap, startsWithVim: false } : config;
    this.store.setUi({ keymap, statusLine, vim: startsWithVim ? startVim : undefined });
    this.questions.onAsked = (title) => this.#callAttention("approval-requested", title);
  }

  get theme(): Theme {
    return this.#stage.theme;
  }
  switchTheme(name: string): void {
    this.#stage.switchTheme(name);
  }
  get size(): Size {
    return this.#stage.size;
  }
  get shell(): Shell {
    return this;
  }
  /** Resolves with the exit code when the person exits. */
  get ended(): Promise<number> {
    return this.#ended.promise;
  }
  client(): Client {
    return this.#client;
  }
  now(): number {
    return Date.now();
  }

  /** Opens the first thread. Rejects when that is impossible: then there is nothing to do. */
  async start(): Promise<void> {
    this.#listen(this.#client);
    const { start, prompt, images } = this.options;
    if (start.kind === "new") {
      await askForTrust(this);
      await startThread(this);
    } else if ("threadId" in start) await (start.kind === "resume" ? resumeThread(this, start.threadId) : forkThread(this, start.threadId));
    else await this.#openListed(start);
    if (this.#isOver) return;
    for (const problem of this.#config.problems) this.store.note("warning", cleanLine(problem));
    this.run(() => this.ide.offer());
    const composer = images.reduce(attachImage, textOf(this.store.ui.composer) === "" ? emptyComposer : this.store.ui.composer);
    if (prompt === undefined) return this.store.setUi({ composer });
    this.store.setUi({ composer: { ...composerWith(`${textOf(composer)}${prompt}`), tokens: composer.tokens } });
    submit(this, false);
  }

  async #openListed({ kind, pick }: { readonly kind: "resume" | "fork"; readonly pick: "list" | "last" }): Promise<void> {
    if (pick === "list") {
      await chooseThread(this, kind);
      if (this.store.conversation.threadId === undefined) this.quit();
      return;
    }
    const threadId = await newestThread(this);
    if (threadId === undefined) throw new Error(`there is no session to ${kind}`);
    await (kind === "resume" ? resumeThread(this, threadId) : forkThread(this, threadId));
  }

  #listen(client: Client): void {
    for (const method of foldedMethods) client.on(method, (params) => this.#receive({ method, params } as Received));
    client.on("thread/queue/changed", ({ threadId }) => {
      if (threadId === this.store.conversation.threadId) this.run(() => refreshQueue(this));
    });
    client.on("thread/goal/updated", ({ threadId, goal }) => {
      if (threadId === this.store.conversation.threadId) this.store.setUi({ goal });
    });
    client.on("thread/goal/cleared", ({ threadId }) => {
      if (threadId === this.store.conversation.threadId) this.store.setUi({ goal: undefined });
    });
    client.on("skills/changed", () => this.completions.forgetSkills());
    this.questions.serve(client);
    client.ended.addEventListener("abort", () => this.#lost(), { once: true });
  }

  #receive(received: Received): void {
    const before = this.store.conversation;
    this.store.setConversation(reduce(before, received, this.now()));
    if (changesBackground(received) && received.params.threadId === before.threadId) this.run(() => refreshBackground(this));
    if (received.method !== "turn/completed" || received.params.threadId !== before.threadId) return;
    if (received.params.turn.status === "interrupted") this.run(() => afterInterrupt(this));
    if (this.store.conversation.turn === undefined) this.#callAttention("agent-turn-complete", "The turn has ended");
  }

  #callAttention(kind: Parameters<TuiConfig["notifies"]>[0], text: string): void {
    if (this.#config.notifies(kind) && this.now() - this.store.ui.lastKeyAtMs > presentMs) this.#stage.notify(text);
  }

  /** Our own server does not go away; a remote one may come back. */
  #lost(): void {
    if (this.#isOver) return;
    this.store.setUi({ connection: "lost" });
    this.run(() => this.#reconnect());
  }

  async #reconnect(): Promise<void> {
    for (const wait of reconnectMs) {
      await new Promise((resolve) => setTimeout(resolve, wait));
      if (this.#isOver) return;
      try {
        const client = await this.options.connect();
        this.#client = client;
        this.#listen(client);
        await this.#rejoin(client);
        this.store.setUi({ connection: "open" });
        return;
      } catch (error) {
        this.options.report("cannot reach the server", error);
      }
    }
    this.store.note("error", "The server is gone and does not come back");
    this.quit(1);
  }

  async #rejoin(client: Client): Promise<void> {
    const { threadId, settings } = this.store.conversation;
    if (threadId === undefined || settings === undefined) return;
    const { model, approvalPolicy } = settings;
    // A restarted server may not know the person's last choices. The mode alone would not describe a workspace sandbox's exceptions.
    const sandbox = settings.sandbox.type === "workspaceWrite" ? null : sandboxModeOf(settings.sandbox);
    const opened = await client.call("thread/resume", { threadId, model, approvalPolicy, sandbox });
    this.store.setConversation(reopenConversation(this.store.conversation, opened, this.now()));
    this.store.note("success", "Connected again");
  }

  pick(picker: Picker): Promise<string | undefined> {
    return this.#openDialog(picker).then((answer) => (typeof answer === "string" ? answer : undefined));
  }
  fill(form: Form): Promise<Given | undefined> {
    return this.#openDialog(form).then((answer) => (typeof answer === "object" ? answer : undefined));
  }
  #openDialog(dialog: Picker | Form): Promise<string | Given | undefined> {
    this.closeDialog(undefined);
    this.store.setUi({ dialog, popup: undefined });
    return new Promise((resolve) => {
      this.#dialog = resolve;
    });
  }
  closeDialog(answer: string | Given | undefined): void {
    const answered = this.#dialog;
    this.#dialog = undefined;
    if (this.store.ui.dialog !== undefined) this.store.setUi({ dialog: undefined });
    answered?.(answer);
  }

  page(title: string, draw: (width: number) => readonly Line[]): Promise<void> {
    return this.#stage.page(title, draw);
  }
  lend(use: () => Promise<void>): Promise<void> {
    return this.#stage.lend(use);
  }
  redraw(): void {
    this.#stage.redraw();
  }
  copy(text: string): void {
    this.#stage.copy(text);
  }
  /** Ctrl+Z, or an external SIGTSTP: the shell takes over until `fg`. The handler is removed while the signal has its default effect. */
  stopProcess(): Promise<void> {
    const listening = process.listeners("SIGTSTP");
    const stopped = new Promise<void>((resolve) => process.once("SIGCONT", () => resolve()));
    return this.lend(async () => {
      process.removeAllListeners("SIGTSTP");
      process.kill(process.pid, "SIGTSTP");
      await stopped;
      for (const listener of listening) process.on("SIGTSTP", listener);
    });
  }

  run(task: () => Promise<void>): void {
    task().catch((error: unknown) => {
      if (this.#isOver || isEndOfConnection(error)) return;
      this.options.report("failed", error);
      this.store.note("error", errorMessage(error));
    });
  }

  quit(code = 0): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.ide.off("quietly");
    this.#ended.resolve(code);
  }
}

/** A command that outlived its turn is known when the turn ends, and has ended when its item has. */
const changesBackground = (received: Received): received is Extract<Received, { method: "turn/completed" | "item/completed" }> =>
  received.method === "turn/completed" || (received.method === "item/completed" && received.params.item.type === "commandExecution");

/** Recognized by its code: the connection may come from another copy of the client module. */
const isEndOfConnection = (error: unknown): boolean =>
  error instanceof Error && (error.name === "AbortError" || ("code" in error && error.code === "connection_closed"));
