/** The list below the composer: asks the server for files and skills, knows the commands, and inserts a choice into the text. */

import { cleanLine } from "../../lib/terminal-text.ts";
import { type CompletionTarget, complete, matching, type Popup, pathWord, type Suggestion, targetAt } from "../compose/completion.ts";
import { attachImage, type KnownSkill, withEditor } from "../compose/composer.ts";
import { replace } from "../compose/editor.ts";
import { isImage } from "../compose/images.ts";
import type { Shell } from "./shell.ts";

export interface Skill extends KnownSkill {
  readonly description: string;
  readonly isEnabled: boolean;
}

/** A pause in typing before files are searched. */
const pauseMs = 60;

export class Completions {
  readonly #shell: Shell;
  readonly #commands: () => readonly Suggestion[];
  #skills: readonly Skill[] | undefined;
  #search: AbortController | undefined;
  /** The word for which the person closed the list. */
  #closedAt: number | undefined;

  constructor(shell: Shell, commands: () => readonly Suggestion[]) {
    this.#shell = shell;
    this.#commands = commands;
  }

  get skills(): readonly Skill[] {
    return this.#skills ?? [];
  }
  forgetSkills(): void {
    this.#skills = undefined;
  }
  async loadSkills(): Promise<readonly Skill[]> {
    const cwd = this.#shell.store.conversation.settings?.cwd;
    const { data } = await this.#shell.client().call("skills/list", { cwds: cwd === undefined ? [] : [cwd] });
    this.#skills = data.flatMap(({ skills }) =>
      skills.map((skill) => ({
        name: cleanLine(skill.name),
        path: skill.path,
        description: cleanLine(skill.interface?.shortDescription ?? skill.shortDescription ?? skill.description),
        isEnabled: skill.enabled,
      })),
    );
    return this.#skills;
  }

  /** Called after every change of the text. */
  update(): void {
    const { store } = this.#shell;
    const target = targetAt(store.ui.composer.editor);
    this.#search?.abort();
    this.#search = undefined;
    if (target === undefined || store.ui.composer.historyAt !== undefined) {
      this.#closedAt = undefined;
      if (store.ui.popup !== undefined) store.setUi({ popup: undefined });
      return;
    }
    if (this.#closedAt === target.from) return;
    this.#closedAt = undefined;
    if (target.kind === "command") this.#show(target, matching(this.#commands(), target.query));
    else if (target.kind === "skill") this.#suggestSkills(target);
    else this.#searchFiles(target);
  }

  #show(target: CompletionTarget, items: readonly Suggestion[], isLoading = false): void {
    const { store } = this.#shell;
    if (items.length === 0 && !isLoading && target.kind !== "file") return store.setUi({ popup: undefined });
    store.setUi({ popup: { target, items, selected: 0, isLoading } });
  }

  #suggestSkills(target: CompletionTarget): void {
    const suggest = (): void =>
      this.#show(
        target,
        matching(
          this.skills
            .filter(({ isEnabled }) => isEnabled)
            .map(({ name, description }) => ({ label: `$${name}`, detail: description, value: `$${name}` })),
          target.query,
        ),
      );
    if (this.#skills !== undefined) return suggest();
    this.#shell.run(async () => {
      await this.loadSkills();
      if (targetAt(this.#shell.store.ui.composer.editor)?.kind === "skill") this.update();
    });
  }

  #searchFiles(target: CompletionTarget): void {
    const { store } = this.#shell;
    const known = store.ui.popup?.target.kind === "file" ? store.ui.popup.items : [];
    if (target.query === "") return store.setUi({ popup: { target, items: [], selected: 0, isLoading: true } });
    store.setUi({ popup: { target, items: known, selected: 0, isLoading: true } });
    const search = new AbortController();
    this.#search = search;
    this.#shell.run(async () => {
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
      if (search.signal.aborted) return;
      const root = store.conversation.settings?.cwd;
      const params = { query: target.query, roots: root === undefined ? [] : [root], cancellationToken: "composer" };
      const { files } = await this.#shell.client().call("fuzzyFileSearch", params, { signal: search.signal });
      const items = files.map(({ path, match_type }): Suggestion => {
        const name = cleanLine(path);
        return { label: match_type === "directory" ? `${name}/` : name, detail: "", value: pathWord(name) };
      });
      store.setUi({ popup: { target, items, selected: 0, isLoading: false } });
    });
  }

  move(by: number): void {
    const { store } = this.#shell;
    const { popup } = store.ui;
    if (popup === undefined || popup.items.length === 0) return;
    store.setUi({ popup: { ...popup, selected: (popup.selected + by + popup.items.length) % popup.items.length } });
  }

  /** Inserts the chosen completion into the text; an image is attached instead. */
  accept(): Suggestion | undefined {
    const { store } = this.#shell;
    const { popup, composer } = store.ui;
    const choice = popup?.items[popup.selected];
    if (popup === undefined || choice === undefined) return undefined;
    store.setUi({ popup: undefined, composer: this.#accepted(popup, choice) });
    void composer;
    return choice;
  }

  #accepted(popup: Popup, choice: Suggestion) {
    const { composer } = this.#shell.store.ui;
    const { settings } = this.#shell.store.conversation;
    const isLocal = this.#shell.options.remote === undefined;
    if (popup.target.kind === "file" && isLocal && isImage(choice.label) && settings !== undefined) {
      const without = withEditor(composer, replace(composer.editor, popup.target.from, popup.target.to, ""));
      return attachImage(without, `${settings.cwd}/${choice.label}`);
    }
    return withEditor(composer, complete(composer.editor, popup, choice));
  }

  close(): void {
    const { popup } = this.#shell.store.ui;
    this.#closedAt = popup?.target.from;
    this.#shell.store.setUi({ popup: undefined });
  }
}
