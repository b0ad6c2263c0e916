/** The message being written: its text, its attachments, and navigation through earlier messages. Pure. */
import type { UserInput } from "../../protocol/item.ts";
import { type Editor, edit, editorWith, emptyEditor, insert, moveVertically } from "./editor.ts";
import type { Key } from "./key.ts";

/** A placeholder in the text for something longer. */
export type Token =
  | { readonly kind: "image"; readonly mark: string; readonly path: string }
  | { readonly kind: "paste"; readonly mark: string; readonly text: string };

export interface Composer {
  readonly editor: Editor;
  readonly tokens: readonly Token[];
  /** The position in the history; undefined while writing a new message. */
  readonly historyAt: number | undefined;
  /** The draft from before entering the history. */
  readonly draft: string;
}

export const emptyComposer: Composer = { editor: emptyEditor, tokens: [], historyAt: undefined, draft: "" };
export const composerWith = (text: string): Composer => ({ ...emptyComposer, editor: editorWith(text) });
export const textOf = ({ editor }: Composer): string => editor.text;

/** Longer pasted texts are shown as a placeholder. */
const longPaste = { characters: 1000, lines: 12 };

export function pasteText(composer: Composer, pasted: string): Composer {
  const text = pasted.replace(/\r\n?/g, "\n");
  const lines = text.split("\n").length;
  if (text.length <= longPaste.characters && lines <= longPaste.lines) return withEditor(composer, insert(composer.editor, text));
  const number = composer.tokens.filter(({ kind }) => kind === "paste").length + 1;
  const mark = `[Pasted text #${number}, ${lines > 1 ? `${lines} lines` : `${text.length} characters`}]`;
  return attach(composer, { kind: "paste", mark, text });
}

export function attachImage(composer: Composer, path: string): Composer {
  const number = composer.tokens.filter(({ kind }) => kind === "image").length + 1;
  const name = path.split(/[\\/]/).at(-1) ?? path;
  return attach(composer, { kind: "image", mark: `[Image #${number}: ${name}]`, path });
}

function attach(composer: Composer, token: Token): Composer {
  return { ...withEditor(composer, insert(composer.editor, `${token.mark} `)), tokens: [...composer.tokens, token] };
}

export const withEditor = (composer: Composer, editor: Editor): Composer => ({ ...composer, editor });

/** The effect of the key on the message; undefined when it means something else. */
export function pressComposer(composer: Composer, key: Key, width: number, history: readonly string[]): Composer | undefined {
  if (key.name === "up" || key.name === "down") return vertical(composer, key.name === "up" ? -1 : 1, width, history);
  if (isNewline(key)) return withEditor(composer, insert(composer.editor, "\n"));
  const marks = composer.tokens.flatMap(({ mark }) => [`${mark} `, mark]);
  const editor = edit(composer.editor, key, marks);
  if (editor === undefined) return undefined;
  const isChanged = editor.text !== composer.editor.text;
  return { ...composer, editor, ...(isChanged ? { historyAt: undefined } : {}) };
}

/** Shift, Alt or Ctrl with Enter, and Ctrl+J, which every terminal can send. */
function isNewline(key: Key): boolean {
  if (key.name === "return") return key.shift || key.alt || key.ctrl;
  return key.name === "text" && key.ctrl && key.text === "j";
}

/** Inside a text of several rows the arrows move the cursor; at its edges they go through the history. */
function vertical(composer: Composer, by: -1 | 1, width: number, history: readonly string[]): Composer | undefined {
  const moved = moveVertically(composer.editor, by, width);
  const { editor, historyAt } = composer;
  const isAtEdge = editor.cursor === 0 || editor.cursor === editor.text.length;
  if (moved !== undefined && !(historyAt !== undefined && isAtEdge)) return withEditor(composer, moved);
  return by === -1 ? older(composer, history) : newer(composer, history);
}

function older(composer: Composer, history: readonly string[]): Composer | undefined {
  const at = (composer.historyAt ?? history.length) - 1;
  const text = history[at];
  if (text === undefined) return undefined;
  const draft = composer.historyAt === undefined ? composer.editor.text : composer.draft;
  return { ...composer, editor: editorWith(text), historyAt: at, draft };
}

function newer(composer: Composer, history: readonly string[]): Composer | undefined {
  if (composer.historyAt === undefined) return undefined;
  const at = composer.historyAt + 1;
  const text = history[at];
  if (text === undefined) return { ...composer, editor: editorWith(composer.draft), historyAt: undefined, draft: "" };
  return { ...composer, editor: editorWith(text), historyAt: at };
}

/** A skill that may be named in a message. */
export interface KnownSkill {
  readonly name: string;
  readonly path: string;
}

/** The message as sent over the wire; placeholders are replaced by the pasted texts. */
export function inputFrom(composer: Composer, skills: readonly KnownSkill[]): UserInput[] {
  const images = composer.tokens.flatMap((token): UserInput[] =>
    token.kind === "image" && composer.editor.text.includes(token.mark) ? [{ type: "localImage", path: token.path }] : [],
  );
  const text = wholeText(composer);
  const named = skills.filter(({ name }) => mentions(text, name)).map(({ name, path }): UserInput => ({ type: "skill", name, path }));
  const texts: UserInput[] = text === "" ? [] : [{ type: "text", text, text_elements: [] }];
  return [...texts, ...images, ...named];
}

export function wholeText({ editor, tokens }: Composer): string {
  return tokens.reduce((text, token) => (token.kind === "paste" ? text.replace(token.mark, () => token.text) : text), editor.text).trim();
}

const mentions = (text: string, name: string): boolean =>
  new RegExp(`(^|\\s)\\$${name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}(?![\\w-])`).test(text);
