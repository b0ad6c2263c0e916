/** A text with a cursor and the usual line-editing keys, as pure functions. Serves the composer and every text field. */
import { graphemes, graphemeWidth, textWidth } from "../text/width.ts";
import type { Key } from "./key.ts";

export interface Editor {
  readonly text: string;
  /** An index into the text, always between two graphemes. */
  readonly cursor: number;
  /** The last cut text. */
  readonly cut: string;
  /** The column that moving up and down tries to keep. */
  readonly column: number | undefined;
  readonly undo: readonly (readonly [text: string, cursor: number])[];
}

const maxUndo = 100;
export const emptyEditor: Editor = { text: "", cursor: 0, cut: "", column: undefined, undo: [] };

export const editorWith = (text: string): Editor => ({ ...emptyEditor, text, cursor: text.length });

export function insert(editor: Editor, added: string): Editor {
  const { text, cursor } = editor;
  return change(editor, text.slice(0, cursor) + added + text.slice(cursor), cursor + added.length);
}

/** Replaces a range and puts the cursor after the inserted text. */
export function replace(editor: Editor, from: number, to: number, added: string): Editor {
  return change(editor, editor.text.slice(0, from) + added + editor.text.slice(to), from + added.length);
}

function change(editor: Editor, text: string, cursor: number): Editor {
  if (text === editor.text) return { ...editor, cursor, column: undefined };
  const undo = [...editor.undo.slice(-maxUndo + 1), [editor.text, editor.cursor] as const];
  return { ...editor, text, cursor, column: undefined, undo };
}

const move = (editor: Editor, cursor: number): Editor => ({ ...editor, cursor, column: undefined });

/** The text after the key; undefined for keys without a meaning here. `tokens` are deleted as one. */
export function edit(editor: Editor, key: Key, tokens: readonly string[] = []): Editor | undefined {
  const { text, cursor } = editor;
  if (key.ctrl) return editByControl(editor, key, tokens);
  if (key.alt) return editByAlt(editor, key);
  switch (key.name) {
    case "text":
      return insert(editor, key.text);
    case "backspace":
      return erase(editor, before(editor, tokens), cursor);
    case "delete":
      return erase(editor, cursor, nextGrapheme(text, cursor));
    case "left":
      return move(editor, previousGrapheme(text, cursor));
    case "right":
      return move(editor, nextGrapheme(text, cursor));
    case "home":
      return move(editor, lineStart(text, cursor));
    case "end":
      return move(editor, lineEnd(text, cursor));
    default:
      return undefined;
  }
}

function editByControl(editor: Editor, key: Key, tokens: readonly string[]): Editor | undefined {
  const { text, cursor } = editor;
  switch (key.name === "text" ? key.text : key.name) {
    case "a":
      return move(editor, lineStart(text, cursor));
    case "e":
      return move(editor, lineEnd(text, cursor));
    case "b":
      return edit(editor, { ...key, ctrl: false, name: "left" });
    case "f":
      return edit(editor, { ...key, ctrl: false, name: "right" });
    case "h":
      return erase(editor, before(editor, tokens), cursor);
    case "d":
      return cursor === text.length ? undefined : erase(editor, cursor, nextGrapheme(text, cursor));
    case "k":
      return cutOut(editor, cursor, lineEnd(text, cursor) === cursor ? Math.min(text.length, cursor + 1) : lineEnd(text, cursor));
    case "u":
      return cutOut(editor, lineStart(text, cursor) === cursor ? Math.max(0, cursor - 1) : lineStart(text, cursor), cursor);
    case "w":
    case "backspace":
      return cutOut(editor, wordStart(text, cursor), cursor);
    case "y":
      return insert(editor, editor.cut);
    case "left":
      return move(editor, wordStart(text, cursor));
    case "right":
      return move(editor, wordEnd(text, cursor));
    case "_":
    case "-":
      return undo(editor);
    default:
      return undefined;
  }
}

function editByAlt(editor: Editor, key: Key): Editor | undefined {
  const { text, cursor } = editor;
  switch (key.name === "text" ? key.text : key.name) {
    case "b":
    case "left":
      return move(editor, wordStart(text, cursor));
    case "f":
    case "right":
      return move(editor, wordEnd(text, cursor));
    case "d":
      return cutOut(editor, cursor, wordEnd(text, cursor));
    case "backspace":
      return cutOut(editor, wordStart(text, cursor), cursor);
    default:
      return undefined;
  }
}

export function undo(editor: Editor): Editor {
  const last = editor.undo.at(-1);
  return last === undefined ? editor : { ...editor, text: last[0], cursor: last[1], column: undefined, undo: editor.undo.slice(0, -1) };
}

const erase = ({ ...editor }: Editor, from: number, to: number): Editor =>
  change(editor, editor.text.slice(0, from) + editor.text.slice(to), from);

export function cutOut(editor: Editor, from: number, to: number): Editor {
  return from === to ? editor : { ...erase(editor, from, to), cut: editor.text.slice(from, to) };
}

/** The start of what precedes the cursor: a grapheme, or a whole token such as an image placeholder. */
function before({ text, cursor }: Editor, tokens: readonly string[]): number {
  const head = text.slice(0, cursor);
  const token = tokens.find((known) => head.endsWith(known));
  if (token !== undefined) return cursor - token.length;
  return previousGrapheme(text, cursor);
}
export const nextGrapheme = (text: string, cursor: number): number =>
  cursor + (graphemes(text.slice(cursor, lineEnd(text, cursor) + 1)).at(0)?.length ?? 0);
export const previousGrapheme = (text: string, cursor: number): number =>
  cursor - (graphemes(text.slice(lineStart(text, cursor - 1), cursor)).at(-1)?.length ?? 0);

export const lineStart = (text: string, cursor: number): number => (cursor <= 0 ? 0 : text.lastIndexOf("\n", cursor - 1) + 1);
export function lineEnd(text: string, cursor: number): number {
  const at = text.indexOf("\n", cursor);
  return at < 0 ? text.length : at;
}
const wordStart = (text: string, cursor: number): number => cursor - (/[^\s]*\s*$/.exec(text.slice(0, cursor))?.[0].length ?? 0);
const wordEnd = (text: string, cursor: number): number => cursor + (/^\s*[^\s]*/.exec(text.slice(cursor))?.[0].length ?? 0);

export interface Layout {
  readonly rows: readonly string[];
  readonly row: number;
  readonly column: number;
}

interface Row {
  readonly text: string;
  readonly start: number;
}

/** How the text wraps into rows of this width, and the cursor's position in them. */
export function layout({ text, cursor }: Editor, width: number): Layout {
  const rows = rowsOf(text, Math.max(2, width));
  const row = rows.findLastIndex(({ start }) => start <= cursor);
  const at = rows[row] ?? { text: "", start: 0 };
  return { rows: rows.map((r) => r.text), row, column: textWidth(at.text.slice(0, cursor - at.start)) };
}

function rowsOf(text: string, width: number): Row[] {
  const rows: Row[] = [];
  let start = 0;
  for (const paragraph of text.split("\n")) {
    rows.push(...brokenRows(paragraph, start, width));
    start += paragraph.length + 1;
  }
  return rows;
}

/** Breaks after a space if there is one; a full row leaves a column for the cursor after it. */
function brokenRows(paragraph: string, offset: number, width: number): Row[] {
  const rows: Row[] = [];
  let from = 0;
  let used = 0;
  let at = 0;
  let breakAt = -1;
  for (const piece of graphemes(paragraph)) {
    const pieceWidth = graphemeWidth(piece);
    while (used + pieceWidth > width - 1 && at > from) {
      const end = breakAt > from ? breakAt : at;
      rows.push({ text: paragraph.slice(from, end), start: offset + from });
      from = end;
      used = textWidth(paragraph.slice(from, at));
      breakAt = -1;
    }
    at += piece.length;
    used += pieceWidth;
    if (piece === " ") breakAt = at;
  }
  rows.push({ text: paragraph.slice(from), start: offset + from });
  return rows;
}

/** One row up or down; undefined at the first or last row. */
export function moveVertically(editor: Editor, by: -1 | 1, width: number): Editor | undefined {
  const rows = rowsOf(editor.text, Math.max(2, width));
  const { row, column } = layout(editor, width);
  const target = rows[row + by];
  if (target === undefined) return undefined;
  const goal = editor.column ?? column;
  let used = 0;
  let at = target.start;
  for (const piece of graphemes(target.text)) {
    if (used + graphemeWidth(piece) > goal) break;
    used += graphemeWidth(piece);
    at += piece.length;
  }
  return { ...editor, cursor: at, column: goal };
}
