/** The box of the message, the list of completions below it, and the footer. */
import type { Popup } from "../compose/completion.ts";
import { layout } from "../compose/editor.ts";
import { type Keymap, keyHelps } from "../compose/keymap.ts";
import type { Conversation } from "../state/conversation.ts";
import type { Ui } from "../state/ui.ts";
import { type Line, muted, padded, span, truncate } from "../text/spans.ts";
import type { Theme } from "../text/theme.ts";
import { shorten, shortenMiddle, tab, textWidth } from "../text/width.ts";
import { box, spread } from "./box.ts";
import { type StatusPlace, statusLine } from "./status-line.ts";

export interface Drawn {
  readonly lines: readonly Line[];
  readonly cursor?: { readonly x: number; readonly y: number } | undefined;
}

/** Columns that the box and the prompt take. */
export const composerMargin = 6;

export function composerBox(state: Conversation, ui: Ui, width: number, maxRows: number, theme: Theme): Drawn {
  const { editor } = ui.composer;
  const { rows, row, column } = layout(editor, width - composerMargin);
  const height = Math.max(1, Math.min(rows.length, maxRows));
  const top = Math.max(0, Math.min(row - height + 1, rows.length - height));
  const isShell = editor.text.startsWith("!");
  const prompt = (i: number): Line =>
    i + top === 0 ? [span(`${isShell ? "!" : theme.marks.prompt} `, { color: isShell ? "warning" : "accent", bold: true })] : [span("  ")];
  const lines =
    editor.text === ""
      ? [[...prompt(0), span(placeholder(state, ui, width - composerMargin), { color: ui.connection === "lost" ? "warning" : "muted" })]]
      : rows.slice(top, top + height).map((text, i): Line => [...prompt(i), span(text.replaceAll("\t", tab))]);
  if (theme.spoken)
    return { lines: lines.map((of, i) => (i === 0 ? [span("Message: "), ...of.slice(1)] : of)), cursor: { x: column + 9, y: row - top } };
  const labels = [
    state.settings?.mode === "plan" ? "plan mode" : isShell ? "shell" : "",
    ui.vim?.mode === "normal" ? `normal${ui.vim.pending === "" ? "" : ` ${ui.vim.pending}`}` : "",
  ];
  const label = labels.filter((part) => part !== "").join(" · ");
  const edge = isShell
    ? { color: "warning" as const }
    : state.settings?.mode === "plan"
      ? { color: "accent" as const }
      : { color: "muted" as const };
  return { lines: box(lines, width, theme, edge, label), cursor: { x: column + 4, y: row - top + 1 } };
}

/** The longer text if there is room for it. */
function placeholder(state: Conversation, ui: Ui, room: number): string {
  const [long, short] =
    ui.connection === "lost"
      ? ["The server is gone; trying to reach it again", "The server is gone"]
      : state.threadId === undefined
        ? ["Starting", "Starting"]
        : state.turn !== undefined
          ? ["Enter sends it now, Tab queues it for later", "Enter: now, Tab: later"]
          : ["Ask for anything. @ files, $ skills, / commands, ! shell", "Ask for anything"];
  return textWidth(long) <= room ? long : short;
}

/** A window of the list around the selection. */
export function popupLines(popup: Popup, width: number, limit: number, theme: Theme): Line[] {
  const { items, selected, isLoading, target } = popup;
  if (items.length === 0) return [[muted(`  ${isLoading ? "Searching" : target.kind === "file" ? "No file matches" : "No match"}`)]];
  const from = Math.max(0, Math.min(selected - Math.floor(limit / 2), items.length - limit));
  const shown = items.slice(from, from + limit);
  const column = Math.min(Math.floor(width * 0.6), Math.max(...shown.map(({ label }) => textWidth(label))) + 2);
  return shown.map(({ label, detail }, i): Line => {
    const isChosen = from + i === selected;
    const name = isChosen
      ? span(shortenMiddle(label, column - 1), { color: "accent", bold: true })
      : span(shortenMiddle(label, column - 1));
    const mark = isChosen ? span(`${theme.marks.current} `, { color: "accent" }) : span("  ");
    return truncate([mark, ...padded([name], column), muted(shorten(detail, Math.max(0, width - column - 3)))], width);
  });
}

/** What the keys do to the list, and the position in it. */
export function popupHint({ items, selected, target }: Popup, width: number): Line {
  if (items.length === 0) return [muted("  esc closes")];
  const keys = target.kind === "command" ? "enter runs it, tab completes it, esc closes" : "enter or tab takes it, esc closes";
  return spread([muted(`  ${keys}`)], items.length < 2 ? [] : [muted(`${selected + 1} of ${items.length}`)], width - 1);
}

export function footerLine(state: Conversation, ui: Ui, place: StatusPlace): Line {
  if (ui.hint !== undefined) return truncate([span(`  ${ui.hint}`, { color: "warning" })], place.width);
  if (ui.busy !== undefined) return truncate([muted(`  ${ui.busy}`)], place.width);
  return statusLine(state, ui.statusLine, place);
}

/** What goes along from the linked editor, or that nothing does. */
export function ideLine({ ide }: Ui, { width, theme }: Pick<StatusPlace, "width" | "theme">): Line[] {
  if (ide === undefined) return [];
  const seen = ide.label === undefined ? [muted("no file is open")] : [span(shortenMiddle(ide.label, Math.max(10, width - 40)))];
  const end = [muted(` ${theme.marks.dot} ${ide.app}${ide.label === undefined ? "" : ", /ide off leaves it out"}`)];
  return [truncate([muted("  editor: "), ...seen, ...end], width - 1)];
}

/** Keys that cannot be changed. */
const fixedKeys: readonly (readonly [string, string])[] = [
  ["shift+enter, ctrl+j", "new line"],
  ["up, down", "earlier messages"],
  ["ctrl+c twice", "quit"],
];

/** Two columns if there is room. */
export function keyHelp(width: number, keymap: Keymap): Line[] {
  const changeable = keyHelps(keymap).flatMap(({ keys, help }) => (keys === "" ? [] : [[keys, help] as const]));
  const rows = [...changeable, ...fixedKeys];
  const cell = ([key, what]: readonly [string, string]): Line => [...padded([span(`  ${key}`, { color: "accent" })], 24), muted(what)];
  if (width < 100) return rows.map((row) => truncate(cell(row), width));
  const half = Math.ceil(rows.length / 2);
  return rows.slice(0, half).map((row, i) => {
    const other = rows[i + half];
    return [...padded(cell(row), Math.floor(width / 2)), ...(other === undefined ? [] : cell(other))];
  });
}
