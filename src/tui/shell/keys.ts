/** Dispatches each key: to a question, a list, the completions, the composer, or the program itself. */

import { clean } from "../../lib/terminal-text.ts";
import { pressForm } from "../ask/form.ts";
import { pressPicker } from "../ask/picker.ts";
import { attachImage, type Composer, emptyComposer, pasteText, pressComposer, textOf, withEditor } from "../compose/composer.ts";
import { insert, replace } from "../compose/editor.ts";
import { imagesIn } from "../compose/images.ts";
import { isControl, isLetter, type Key } from "../compose/key.ts";
import { type Action, isPressed } from "../compose/keymap.ts";
import { pressVim } from "../compose/vim.ts";
import { composerMargin } from "../draw/composer.ts";
import { subjectLines } from "../draw/prompt.ts";
import { line, wrap } from "../text/spans.ts";
import { graphemes } from "../text/width.ts";
import type { App } from "./app.ts";
import { pasteImage } from "./clipboard-image.ts";
import { runCommand } from "./commands.ts";
import { toggleVim } from "./looks.ts";
import { editOutside, searchHistory } from "./outside.ts";
import { enqueue, unqueue } from "./queue.ts";
import { rewind } from "./rewind.ts";
import { changeEffort, togglePlanMode } from "./settings.ts";
import { copyAnswer } from "./take-away.ts";
import { interrupt, send } from "./threads.ts";
import { showTranscript } from "./transcript.ts";

const twiceWithinMs = 2000;

export function press(app: App, key: Key): void {
  const { store } = app;
  const letters = key.name === "text" ? graphemes(key.text) : [];
  const { pending, dialog, vim } = store.ui;
  // Keys that arrived in one read are still separate keys where each of them may be an answer or a command.
  if (letters.length > 1 && (pending.length > 0 || dialog !== undefined || vim?.mode === "normal")) {
    for (const text of letters) press(app, { ...key, text });
    return;
  }
  const nowMs = app.now();
  if (store.ui.hint !== undefined) store.setUi({ hint: undefined });
  // A key between two presses means that the first was not the beginning of both.
  if (store.ui.rewindUntilMs > 0 && key.name !== "escape") store.setUi({ rewindUntilMs: 0 });
  if (store.ui.quitUntilMs > 0 && !isControl(key, "c")) store.setUi({ quitUntilMs: 0 });
  if (pressQuestion(app, key)) return;
  store.setUi({ lastKeyAtMs: nowMs });
  if (pressDialog(app, key)) return;
  if (pressPopup(app, key) || pressProgram(app, key)) return;
  pressText(app, key);
}

function pressQuestion(app: App, key: Key): boolean {
  const [question] = app.store.ui.pending;
  if (question?.prompt.kind === "approval" && isLetter(key, "v")) {
    const { subject, title } = question.prompt;
    const place = { theme: app.theme, cwd: app.store.conversation.settings?.cwd ?? "", height: 100_000 };
    app.run(() => app.page(title, (width) => [...wrap(line(title), width), [], ...subjectLines(subject, { ...place, width })]));
    return true;
  }
  if (question?.prompt.kind === "approval" && question.prompt.subject.kind === "changes" && app.ide.canShowChanges && isLetter(key, "e")) {
    const { changes } = question.prompt.subject;
    app.run(() => app.ide.showChange(question.id, changes));
    return true;
  }
  return app.questions.press(key);
}

function pressDialog(app: App, key: Key): boolean {
  const { dialog } = app.store.ui;
  if (dialog === undefined) return false;
  const next = dialog.kind === "picker" ? pressPicker(dialog, key) : pressForm(dialog, key);
  if (next === undefined) return true;
  if ("kind" in next) app.store.setUi({ dialog: next });
  else app.closeDialog("chosen" in next ? next.chosen : "given" in next ? next.given : undefined);
  return true;
}

/** A command chosen with Enter runs at once; everything else is inserted into the text. */
function pressPopup(app: App, key: Key): boolean {
  const { popup } = app.store.ui;
  if (popup === undefined || key.ctrl || key.alt || key.shift) return false;
  switch (key.name) {
    case "up":
      app.completions.move(-1);
      return true;
    case "down":
      app.completions.move(1);
      return true;
    case "escape":
      app.completions.close();
      return true;
    case "tab":
    case "return": {
      const choice = app.completions.accept();
      if (choice === undefined) return false;
      if (key.name === "return" && popup.target.kind === "command" && !choice.value.startsWith("/prompts:")) submit(app, false);
      return true;
    }
    default:
      return false;
  }
}

/** Keys for the program and not for the text. */
function pressProgram(app: App, key: Key): boolean {
  const { ui } = app.store;
  const isWriting = textOf(ui.composer) !== "";
  if (isControl(key, "c")) return pressStop(app);
  if (isControl(key, "d") && !isWriting) return quit(app);
  if (isControl(key, "z")) return suspend(app);
  if (pressVimKey(app, key)) return true;
  const action = programActions.find((name) => isPressed(ui.keymap, name, key, isWriting));
  if (action !== undefined && actionEffects[action](app)) return true;
  return key.name === "escape" ? pressEscape(app) : false;
}

/** In insert mode Esc leads to normal mode; there the letters are commands. */
function pressVimKey(app: App, key: Key): boolean {
  const { vim, composer } = app.store.ui;
  const pressed = vim === undefined ? undefined : pressVim(vim, composer.editor, key);
  if (pressed === undefined) return false;
  app.store.setUi({ vim: pressed.vim, showsKeys: false });
  if (pressed.editor !== composer.editor) setComposer(app, withEditor(composer, pressed.editor));
  return true;
}

/** What each action does; false lets the key mean something else. */
const actionEffects: Readonly<Record<Exclude<Action, "submit" | "queue">, (app: App) => boolean>> = {
  interrupt_turn: (app) => app.store.conversation.turn !== undefined && !app.store.ui.showsKeys && background(app, () => interrupt(app)),
  decrease_reasoning_effort: (app) => background(app, () => changeEffort(app, -1)),
  increase_reasoning_effort: (app) => background(app, () => changeEffort(app, 1)),
  edit_queued_message: (app) => unqueue(app),
  toggle_plan_mode: (app) => background(app, () => togglePlanMode(app)),
  history_search_previous: (app) => background(app, () => searchHistory(app)),
  paste_image: (app) => background(app, () => pasteImage(app)),
  open_transcript: (app) => background(app, () => showTranscript(app)),
  open_external_editor: (app) => background(app, () => editOutside(app)),
  copy: (app) => background(app, () => copyAnswer(app)),
  clear_terminal: (app) => redraw(app),
  toggle_vim_mode: (app) => background(app, () => toggleVim(app)),
  toggle_shortcuts: ({ store }) => {
    store.setUi({ showsKeys: !store.ui.showsKeys });
    return true;
  },
};
const programActions = Object.keys(actionEffects) as (keyof typeof actionEffects)[];

function pressEscape(app: App): boolean {
  const { store } = app;
  if (store.ui.showsKeys) store.setUi({ showsKeys: false });
  else if (store.conversation.turn === undefined && textOf(store.ui.composer) === "") pressEscapeAtRest(app);
  return true;
}

function pressEscapeAtRest(app: App): void {
  const { store } = app;
  const nowMs = app.now();
  if (nowMs >= store.ui.rewindUntilMs)
    return store.setUi({ rewindUntilMs: nowMs + twiceWithinMs, hint: "Press esc again to go back to an earlier message" });
  store.setUi({ rewindUntilMs: 0 });
  app.run(() => rewind(app));
}

/** Ctrl+C: clears the text, else stops the turn, else exits when pressed twice. */
function pressStop(app: App): boolean {
  const { store } = app;
  const nowMs = app.now();
  if (textOf(store.ui.composer) !== "") store.setUi({ composer: emptyComposer, popup: undefined });
  else if (store.conversation.turn !== undefined) app.run(() => interrupt(app));
  else if (nowMs < store.ui.quitUntilMs) app.quit();
  else store.setUi({ quitUntilMs: nowMs + twiceWithinMs, hint: "Press ctrl+c again to quit" });
  return true;
}

function quit(app: App): boolean {
  app.quit();
  return true;
}
function redraw(app: App): boolean {
  app.redraw();
  return true;
}
function suspend(app: App): boolean {
  app.run(() => app.stopProcess());
  return true;
}
function background(app: App, task: () => Promise<void>): boolean {
  app.run(task);
  return true;
}

function pressText(app: App, key: Key): void {
  const { store } = app;
  const { composer } = store.ui;
  const { keymap } = store.ui;
  const isSubmit = isPressed(keymap, "submit", key, true);
  if (isSubmit && key.name === "return" && continuesLine(composer)) return setComposer(app, withBreak(composer));
  if (isSubmit) return submit(app, false);
  if (isPressed(keymap, "queue", key, true)) return submit(app, true);
  // Where Enter does not send, it breaks the line.
  if (key.name === "return") return setComposer(app, withEditor(composer, insert(composer.editor, "\n")));
  const next = pressComposer(composer, key, app.size.columns - composerMargin, app.history.texts());
  if (next !== undefined) setComposer(app, next);
}

/** A backslash before Enter breaks the line, for terminals that do not report Shift+Enter. */
const continuesLine = ({ editor }: Composer): boolean => editor.text[editor.cursor - 1] === "\\";
const withBreak = (composer: Composer): Composer =>
  withEditor(composer, replace(composer.editor, composer.editor.cursor - 1, composer.editor.cursor, "\n"));

function setComposer(app: App, composer: Composer): void {
  app.store.setUi({ composer, showsKeys: false });
  app.completions.update();
}

/** Sends what is written, or queues it. */
export function submit(app: App, isForLater: boolean): void {
  const { store } = app;
  const { composer } = store.ui;
  const { threadId, turn } = store.conversation;
  const text = textOf(composer).trim();
  if (text === "") return;
  if (threadId === undefined || store.ui.connection === "lost") return store.setUi({ hint: "The server is not there yet" });
  if (isForLater && turn === undefined) return;
  store.setUi({ composer: emptyComposer, popup: undefined, showsKeys: false });
  if (text.startsWith("/") && runCommand(app, text)) return app.history.add(text, threadId);
  if (isForLater) return app.run(() => enqueue(app, composer, app.completions.skills));
  app.run(() => send(app, composer, app.completions.skills));
}

/** Paths of images become attachments; everything else is text. */
export function paste(app: App, pasted: string): void {
  const { store } = app;
  const text = clean(pasted.replace(/\r\n?/g, "\n"));
  if (app.questions.paste(text)) return;
  if (store.ui.dialog !== undefined) {
    for (const line of text.split("\n", 1)) press(app, { name: "text", text: line, ctrl: false, alt: false, shift: false });
    return;
  }
  const images = imagesIn(pasted, app.options.cwd ?? process.cwd());
  if (images !== undefined) setComposer(app, images.reduce(attachImage, store.ui.composer));
  else setComposer(app, pasteText(store.ui.composer, text));
}
