/** Vim keys for the composer: normal and insert mode, motions, operators, counts. Pure. */
import { cutOut, type Editor, insert, lineEnd, lineStart, nextGrapheme, previousGrapheme, replace, undo } from "./editor.ts";
import type { Key } from "./key.ts";

export interface Vim {
  readonly mode: "insert" | "normal";
  /** The keys of a command that is not complete, such as `2d`. */
  readonly pending: string;
}

export const startVim: Vim = { mode: "insert", pending: "" };
const normal: Vim = { mode: "normal", pending: "" };

export interface VimPress {
  readonly vim: Vim;
  readonly editor: Editor;
}

/** The effect of a key in vim mode; undefined for keys that mean the same as without it. */
export function pressVim(vim: Vim, editor: Editor, key: Key): VimPress | undefined {
  if (key.name === "escape") return pressEscape(vim, editor);
  if (vim.mode === "insert" || key.ctrl || key.alt || key.name !== "text") return undefined;
  const typed = vim.pending + key.text;
  const done = command(typed, editor);
  if (done === "more") return { vim: { ...normal, pending: typed }, editor };
  return done ?? { vim: normal, editor };
}

/** At rest in normal mode Esc is not vim's: it stops the turn. */
function pressEscape(vim: Vim, editor: Editor): VimPress | undefined {
  if (vim.mode === "normal") return vim.pending === "" ? undefined : { vim: normal, editor };
  const { text, cursor } = editor;
  const back = cursor > lineStart(text, cursor) ? previousGrapheme(text, cursor) : cursor;
  return { vim: normal, editor: at(editor, back) };
}

/** `[count][operator][count]motion`, `r` with its character, or one key. */
const shape = /^([1-9]\d{0,3})?(?:([dcy])([1-9]\d{0,3})?)?([\s\S]*)$/;

function command(typed: string, editor: Editor): VimPress | "more" | undefined {
  const [, first, operator, second, rest = ""] = shape.exec(typed) ?? [];
  if (rest === "" || rest === "g") return "more";
  const count = Math.min(1000, Number(first ?? 1) * Number(second ?? 1));
  if (operator !== undefined) return operate(operator, rest, count, editor);
  if (rest[0] === "r") return replaceOne(rest.slice(1), editor);
  const target = motion(rest, count, editor);
  return target === undefined
    ? single(rest, count, editor)
    : { vim: normal, editor: at(editor, Math.min(target.to, lastColumn(editor, target.to))) };
}

const at = (editor: Editor, cursor: number): Editor => ({ ...editor, cursor, column: undefined });
const inserting = (editor: Editor): VimPress => ({ vim: startVim, editor });
const resting = (editor: Editor): VimPress => ({ vim: normal, editor: at(editor, lastColumn(editor, editor.cursor)) });

/** In normal mode the cursor stands on a character, not after the last one of its line. */
function lastColumn({ text }: Editor, cursor: number): number {
  const start = lineStart(text, cursor);
  return cursor === lineEnd(text, cursor) && cursor > start ? previousGrapheme(text, cursor) : cursor;
}

interface Target {
  readonly to: number;
  /** The character at the target belongs to what an operator takes. */
  readonly isInclusive?: boolean;
  /** Whole lines are taken. */
  readonly isLinewise?: boolean;
}

function motion(keys: string, count: number, { text, cursor }: Editor): Target | undefined {
  const start = lineStart(text, cursor);
  const end = lineEnd(text, cursor);
  switch (keys) {
    case "h":
      return {
        to: Math.max(
          start,
          repeated(count, cursor, (from) => previousGrapheme(text, from)),
        ),
      };
    case "l":
    case " ":
      return {
        to: Math.min(
          end,
          repeated(count, cursor, (from) => nextGrapheme(text, from)),
        ),
      };
    case "w":
      return { to: repeated(count, cursor, (from) => wordForward(text, from)) };
    case "b":
      return { to: repeated(count, cursor, (from) => wordBackward(text, from)) };
    case "e":
      return { to: repeated(count, cursor, (from) => wordLast(text, from)), isInclusive: true };
    case "cw":
      return {
        to: wordEnd(
          text,
          repeated(count - 1, cursor, (from) => wordForward(text, from)),
        ),
      };
    case "0":
      return { to: start };
    case "^":
      return { to: start + (/^[^\S\n]*/.exec(text.slice(start, end))?.[0].length ?? 0) };
    case "$":
      return { to: end };
    case "j":
      return { to: vertically(text, cursor, count), isLinewise: true };
    case "k":
      return { to: vertically(text, cursor, -count), isLinewise: true };
    case "gg":
      return { to: 0, isLinewise: true };
    case "G":
      return { to: lineStart(text, text.length), isLinewise: true };
    default:
      return undefined;
  }
}

function repeated(count: number, from: number, step: (from: number) => number): number {
  let to = from;
  for (let i = 0; i < count; i++) to = step(to);
  return to;
}

const wordForward = (text: string, from: number): number =>
  from + (/^(?:[\p{L}\p{N}_]+|[^\p{L}\p{N}_\s]+)?\s*/u.exec(text.slice(from))?.[0].length ?? 0);
const wordBackward = (text: string, from: number): number =>
  from - (/(?:[\p{L}\p{N}_]+|[^\p{L}\p{N}_\s]+)?\s*$/u.exec(text.slice(0, from))?.[0].length ?? 0);
const wordEnd = (text: string, from: number): number =>
  from + (/^(?:[\p{L}\p{N}_]+|[^\p{L}\p{N}_\s]+)?/u.exec(text.slice(from))?.[0].length ?? 0);
const wordLast = (text: string, from: number): number =>
  Math.max(from, from + (/^.\s*(?:[\p{L}\p{N}_]+|[^\p{L}\p{N}_\s]+)?/su.exec(text.slice(from))?.[0].length ?? 1) - 1);

/** The same column some lines away, or the end of a shorter line. */
function vertically(text: string, cursor: number, by: number): number {
  const column = cursor - lineStart(text, cursor);
  let start = lineStart(text, cursor);
  for (let left = Math.abs(by); left > 0; left--) {
    const next = by > 0 ? lineEnd(text, start) + 1 : lineStart(text, start - 1);
    if (next > text.length || (by < 0 && start === 0)) break;
    start = next;
  }
  return Math.min(start + column, lineEnd(text, start));
}

function operate(operator: string, given: string, count: number, editor: Editor): VimPress | "more" | undefined {
  // In vim, changing a word leaves the space after it.
  const keys = operator === "c" && given === "w" && /\S/.test(editor.text[editor.cursor] ?? "") ? "cw" : given;
  const [from, to] =
    keys === operator ? lines(editor, editor.cursor, vertically(editor.text, editor.cursor, count - 1)) : range(keys, count, editor);
  if (from === undefined || to === undefined) return undefined;
  if (operator === "y") return resting(at({ ...editor, cut: editor.text.slice(from, to) }, Math.min(from, editor.cursor)));
  const isWholeLine = editor.text.slice(from, to).endsWith("\n");
  if (operator === "c") return inserting(cutOut(editor, from, isWholeLine ? to - 1 : to));
  // The last line has no break after it: the one before it goes with it.
  const isLast = to === editor.text.length && from > 0 && editor.text[from - 1] === "\n" && (keys === operator || "jkG".includes(keys));
  const cut = cutOut(editor, isLast ? from - 1 : from, to);
  return resting(isLast ? at(cut, lineStart(cut.text, cut.cursor)) : cut);
}

function range(keys: string, count: number, editor: Editor): readonly [number, number] | readonly [] {
  const target = motion(keys, count, editor);
  if (target === undefined) return [];
  if (target.isLinewise === true) return lines(editor, editor.cursor, target.to);
  const [from, to] = target.to < editor.cursor ? [target.to, editor.cursor] : [editor.cursor, target.to];
  return [from, target.isInclusive === true ? nextGrapheme(editor.text, to) : to];
}

/** Whole lines from one place to another, with the break after them. */
function lines({ text }: Editor, a: number, b: number): readonly [number, number] {
  return [lineStart(text, Math.min(a, b)), Math.min(text.length, lineEnd(text, Math.max(a, b)) + 1)];
}

function replaceOne(character: string, editor: Editor): VimPress | "more" | undefined {
  if (character === "") return "more";
  const to = nextGrapheme(editor.text, editor.cursor);
  if (to === editor.cursor || editor.text[editor.cursor] === "\n") return undefined;
  return { vim: normal, editor: at(replace(editor, editor.cursor, to, character), editor.cursor) };
}

function single(key: string, count: number, editor: Editor): VimPress | undefined {
  const { text, cursor } = editor;
  const start = lineStart(text, cursor);
  const end = lineEnd(text, cursor);
  const some = Math.min(
    end,
    repeated(count, cursor, (from) => nextGrapheme(text, from)),
  );
  switch (key) {
    case "i":
      return inserting(editor);
    case "a":
      return inserting(at(editor, Math.min(end, nextGrapheme(text, cursor))));
    case "I":
      return inserting(at(editor, motion("^", 1, editor)?.to ?? start));
    case "A":
      return inserting(at(editor, end));
    case "o":
      return inserting(insert(at(editor, end), "\n"));
    case "O":
      return inserting(at(insert(at(editor, start), "\n"), start));
    case "x":
      return resting(cutOut(editor, cursor, some));
    case "s":
      return inserting(cutOut(editor, cursor, some));
    case "D":
      return resting(cutOut(editor, cursor, end));
    case "C":
      return inserting(cutOut(editor, cursor, end));
    case "S":
      return inserting(cutOut(editor, start, end));
    case "Y":
      return operateYank(editor, count);
    case "p":
    case "P":
      return paste(editor, key === "p");
    case "u":
      return resting(undo(editor));
    default:
      return undefined;
  }
}

function operateYank(editor: Editor, count: number): VimPress {
  const [from, to] = lines(editor, editor.cursor, vertically(editor.text, editor.cursor, count - 1));
  return resting({ ...editor, cut: editor.text.slice(from, to) });
}

/** Whole lines go below or above the line, other text after or before the cursor. */
function paste(editor: Editor, isAfter: boolean): VimPress {
  const { text, cursor, cut } = editor;
  if (cut === "") return resting(editor);
  if (!cut.endsWith("\n")) {
    const place = isAfter ? Math.min(lineEnd(text, cursor), nextGrapheme(text, cursor)) : cursor;
    return resting(at(insert(at(editor, place), cut), place + cut.length - 1));
  }
  if (!isAfter) return resting(at(insert(at(editor, lineStart(text, cursor)), cut), lineStart(text, cursor)));
  const end = lineEnd(text, cursor);
  return resting(at(insert(at(editor, end), `\n${cut.slice(0, -1)}`), end + 1));
}
