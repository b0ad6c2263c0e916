/** The link with an editor's window (`/ide`): what the person looks at there goes along with messages, and files open there. */
import path from "node:path";
import type { EditorLink, LinkEvents } from "../../ide/link.ts";
import { type LookedAt, lookedAtLabel, lookedAtText } from "../../ide/looked-at.ts";
import type { EditorWindow } from "../../ide/windows.ts";
import type { EditorDecision } from "../../ide/wire.ts";
import { errorMessage } from "../../lib/error-text.ts";
import { relativeInside } from "../../lib/paths.ts";
import { cleanLine, spelledLine } from "../../lib/terminal-text.ts";
import type { FileUpdateChange, UserInput } from "../../protocol/item.ts";
import { createPicker } from "../ask/picker.ts";
import type { Shell } from "./shell.ts";

const howTo = "Open this folder in VS Code with the Parley extension, or in an editor with Codex's, then say /ide again.";

export class Ide {
  readonly #shell: Shell;
  #link: EditorLink | undefined;
  /** Changes that are shown in the editor, by the number of their question. */
  readonly #shown = new Set<number>();
  /** Called when the person has decided in the editor about a change that was shown there. */
  onDecided: (questionId: number, decision: EditorDecision) => void = () => {};

  constructor(shell: Shell) {
    this.#shell = shell;
  }

  /** The `/ide` command. */
  async command(argument: string): Promise<void> {
    const [, word = "", rest = ""] = /^(\S*)\s*([\s\S]*)$/.exec(argument) ?? [];
    if (word === "open") return await this.openFile(rest.trim());
    if (rest !== "") return this.#usage();
    switch (word) {
      case "":
        return this.#link === undefined ? await this.#connect("best") : this.off();
      case "on":
        return this.#link === undefined ? await this.#connect("best") : this.#tell();
      case "off":
        return this.off();
      case "status":
        return this.#tell();
      case "windows":
        return await this.#connect("choose");
      default:
        return this.#usage();
    }
  }

  #usage(): void {
    this.#shell.store.setUi({ hint: "/ide takes on, off, status, windows or open FILE[:LINE]" });
  }

  #tell(): void {
    const { store } = this.#shell;
    const { ide } = store.ui;
    if (ide === undefined) return store.note("info", "No editor is linked", howTo);
    store.note("info", `Linked with ${ide.app}`, ide.label === undefined ? "no file is open there" : `goes along: ${ide.label}`);
  }

  async #connect(which: "best" | "choose"): Promise<void> {
    const { store, options } = this.#shell;
    const cwd = this.#cwd();
    store.setUi({ busy: "Looking for an editor" });
    try {
      const { registeredWindows, windowsFor } = await import("../../ide/windows.ts");
      const all = registeredWindows(options.codexHome);
      const fitting = which === "choose" ? all : windowsFor(all, cwd);
      const window = fitting.length > 1 || (which === "choose" && all.length > 0) ? await this.#choose(fitting) : fitting[0];
      if (window === undefined && fitting.length > 0) return; // the list was closed
      const link = await this.#open(window, cwd);
      if (link === undefined) return store.note("warning", "No editor has this folder open", this.#other(all.length));
      this.#tell();
    } finally {
      store.setUi({ busy: undefined });
    }
  }

  #other = (windows: number): string => (windows === 0 ? howTo : `${howTo} /ide windows lists those with other folders.`);

  async #choose(windows: readonly EditorWindow[]): Promise<EditorWindow | undefined> {
    this.#shell.store.setUi({ busy: undefined });
    const items = windows.map(({ app, folders }, i) => ({
      id: String(i),
      label: cleanLine(folders.map((folder) => path.basename(folder)).join(", ") || "no folder"),
      detail: cleanLine(`${app}  ${folders.join(", ")}`),
    }));
    const id = await this.#shell.pick(createPicker({ title: "Which editor window?", items, canFilter: true, whenEmpty: "No window" }));
    return id === undefined ? undefined : windows[Number(id)];
  }

  /** Without a window of ours, an editor with Codex's extension is looked for. */
  async #open(window: EditorWindow | undefined, cwd: string): Promise<EditorLink | undefined> {
    this.off("quietly");
    const { codexHome } = this.#shell.options;
    let link: EditorLink | undefined;
    const isCurrent = (): boolean => link === undefined || link === this.#link;
    const events: LinkEvents = {
      looking: (seen) => isCurrent() && this.#look(seen),
      decided: (id, decision) => isCurrent() && this.#shown.has(id) && this.onDecided(id, decision),
      ended: () => isCurrent() && this.#lost(),
    };
    if (window === undefined) link = await (await import("../../ide/codex-link.ts")).linkCodex(codexHome, cwd, events);
    else link = await (await import("../../ide/link.ts")).linkWindow(codexHome, window, cwd, events);
    if (link === undefined) return undefined;
    this.#link = link;
    const { store } = this.#shell;
    store.setUi({ ide: { app: cleanLine(link.app), label: store.ui.ide?.label, showsChanges: link.showChange !== undefined } });
    return link;
  }

  #look(seen: LookedAt | undefined): void {
    const { store } = this.#shell;
    const label = seen === undefined ? undefined : spelledLine(lookedAtLabel(this.#here(seen)));
    const app = cleanLine(this.#link?.app ?? store.ui.ide?.app ?? "");
    if (store.ui.ide?.label !== label || store.ui.ide?.app !== app) store.setUi({ ide: { app, label, showsChanges: this.canShowChanges } });
  }

  #lost(): void {
    const app = this.#link?.app ?? "the editor";
    this.off("quietly");
    this.#shell.store.note("info", `The link with ${cleanLine(app)} has ended`, "/ide links again");
  }

  off(how: "quietly" | "aloud" = "aloud"): void {
    const { store } = this.#shell;
    const was = this.#link !== undefined;
    this.#link?.close();
    this.#link = undefined;
    this.#shown.clear();
    store.setUi({ ide: undefined });
    if (how === "aloud") store.setUi({ hint: was ? "Nothing from the editor goes along any more" : "No editor is linked" });
  }

  /** The part of a message about what the person looks at; none without a link. */
  async input(): Promise<UserInput[]> {
    const seen = await this.#link?.latest();
    return seen === undefined ? [] : [{ type: "text", text: lookedAtText(this.#here(seen)), text_elements: [] }];
  }

  async openFile(argument: string): Promise<void> {
    const [, name = "", line] = /^(.*?)(?::(\d+)(?::\d+)?)?$/s.exec(argument) ?? [];
    if (name === "") return this.#usage();
    if (this.#link === undefined) await this.#connect("best");
    if (this.#link === undefined) return;
    if (this.#link.open === undefined) throw new Error(`${this.#link.app} cannot be asked to open files`);
    await this.#link.open(path.resolve(this.#cwd(), name), line === undefined || line === "0" ? undefined : Number(line));
  }

  get canShowChanges(): boolean {
    return this.#link?.showChange !== undefined;
  }

  /** Shows a proposed change in the editor's diff; a decision there answers the question here. */
  async showChange(questionId: number, changes: readonly FileUpdateChange[]): Promise<void> {
    if (this.#link?.showChange === undefined) return;
    this.#shown.add(questionId);
    await this.#link.showChange({ id: questionId, cwd: this.#cwd(), changes });
  }
  /** The question was answered, or is no longer asked. */
  closeChange(questionId: number): void {
    if (this.#shown.delete(questionId)) this.#link?.closeChange?.(questionId);
  }

  /** In the editor's own terminal a word about the link, where one is possible. */
  async offer(): Promise<void> {
    if (process.env["TERM_PROGRAM"] !== "vscode") return;
    try {
      const { registeredWindows, windowsFor } = await import("../../ide/windows.ts");
      const [window] = windowsFor(registeredWindows(this.#shell.options.codexHome), this.#cwd());
      if (window !== undefined && this.#link === undefined)
        this.#shell.store.note("info", `/ide links with ${cleanLine(window.app)}: what you look at there goes along with messages`);
    } catch (error) {
      this.#shell.options.report("editor windows could not be read", errorMessage(error));
    }
  }

  #cwd(): string {
    return this.#shell.store.conversation.settings?.cwd ?? this.#shell.options.cwd ?? process.cwd();
  }
  /** As the agent sees it: relative to its folder, where the file is inside. */
  #here(seen: LookedAt): LookedAt {
    const inside = path.isAbsolute(seen.file) ? relativeInside(seen.file, this.#cwd()) : undefined;
    return inside ? { ...seen, file: inside } : seen;
  }
}
