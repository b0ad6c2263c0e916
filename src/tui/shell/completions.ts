/** The list under the composer: asks the server for files and skills, knows the commands, and puts a choice into the text. */

import { cleanLine } from "../../lib/terminal-text.ts";
import { complete, matching, type Popup, pathWord, type Suggestion, type Wanted, wantedAt } from "../compose/completion.ts";
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
  /** The word for which the list was closed by hand. */
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
    const wanted = wantedAt(store.ui.composer.editor);
    this.#search?.abort();
    this.#search = undefined;
    if (wanted === undefined || store.ui.composer.historyAt !== undefined) {
      this.#closedAt = undefined;
      if (store.ui.popup !== undefined) store.setUi({ popup: undefined });
      return;
    }
    if (this.#closedAt === wanted.from) return;
    this.#closedAt = undefined;
    if (wanted.kind === "command") this.#show(wanted, matching(this.#commands(), wanted.query));
    else if (wanted.kind === "skill") this.#suggestSkills(wanted);
    else this.#searchFiles(wanted);
  }

  #show(wanted: Wanted, items: readonly Suggestion[], isLoading = false): void {
    const { store } = this.#shell;
    if (items.length === 0 && !isLoading && wanted.kind !== "file") return store.setUi({ popup: undefined });
    store.setUi({ popup: { wanted, items, selected: 0, isLoading } });
  }

  #suggestSkills(wanted: Wanted): void {
    const suggest = (): void =>
      this.#show(
        wanted,
        matching(
          this.skills
            .filter(({ isEnabled }) => isEnabled)
            .map(({ name, description }) => ({ label: `$${name}`, detail: description, value: `$${name}` })),
          wanted.query,
        ),
      );
    if (this.#skills !== undefined) return suggest();
    this.#shell.run(async () => {
      await this.loadSkills();
      if (wantedAt(this.#shell.store.ui.composer.editor)?.kind === "skill") this.update();
    });
  }

  #searchFiles(wanted: Wanted): void {
    const { store } = this.#shell;
    const known = store.ui.popup?.wanted.kind === "file" ? store.ui.popup.items : [];
    if (wanted.query === "") return store.setUi({ popup: { wanted, items: [], selected: 0, isLoading: true } });
    store.setUi({ popup: { wanted, items: known, selected: 0, isLoading: true } });
    const search = new AbortController();
    this.#search = search;
    this.#shell.run(async () => {
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
      if (search.signal.aborted) return;
      const root = store.conversation.settings?.cwd;
      const params = { query: wanted.query, roots: root === undefined ? [] : [root], cancellationToken: "composer" };
      const { files } = await this.#shell.client().call("fuzzyFileSearch", params, { signal: search.signal });
      const items = files.map(({ path, match_type }): Suggestion => {
        const name = cleanLine(path);
        return { label: match_type === "directory" ? `${name}/` : name, detail: "", value: pathWord(name) };
      });
      store.setUi({ popup: { wanted, items, selected: 0, isLoading: false } });
    });
  }

  move(by: number): void {
    const { store } = this.#shell;
    const { popup } = store.ui;
    if (popup === undefined || popup.items.length === 0) return;
    store.setUi({ popup: { ...popup, selected: (popup.selected + by + popup.items.length) % popup.items.length } });
  }

  /** The chosen completion, put into the text; a picture is attached instead. */
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
    if (popup.wanted.kind === "file" && isLocal && isImage(choice.label) && settings !== undefined) {
      const without = withEditor(composer, replace(composer.editor, popup.wanted.from, popup.wanted.to, ""));
      return attachImage(without, `${settings.cwd}/${choice.label}`);
    }
    return withEditor(composer, complete(composer.editor, popup, choice));
  }

  close(): void {
    const { popup } = this.#shell.store.ui;
    this.#closedAt = popup?.wanted.from;
    this.#shell.store.setUi({ popup: undefined });
  }
}
