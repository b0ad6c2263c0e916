/** The box of the message, the list of completions below it, and the footer. */
import type { Popup } from "../compose/completion.ts";
import { layout } from "../compose/editor.ts";
import type { Conversation } from "../state/conversation.ts";
import type { Ui } from "../state/ui.ts";
import { type Line, muted, padded, span, truncate } from "../text/spans.ts";
import type { Theme } from "../text/theme.ts";
import { shorten, shortenMiddle, tab, textWidth } from "../text/width.ts";
import { box, spread } from "./box.ts";

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
  const label = state.settings?.mode === "plan" ? "plan mode" : isShell ? "shell" : "";
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

export function footerLine(state: Conversation, ui: Ui, width: number, theme: Theme, home: string): Line {
  if (ui.hint !== undefined) return truncate([span(`  ${ui.hint}`, { color: "warning" })], width);
  if (ui.busy !== undefined) return truncate([muted(`  ${ui.busy}`)], width);
  const { settings } = state;
  if (settings === undefined) return [];
  const dot = muted(` ${theme.marks.dot} `);
  const model: Line = [span(settings.model), ...(settings.effort === undefined ? [] : [muted(` ${settings.effort}`)])];
  const left: Line = [
    span("  "),
    ...model,
    dot,
    ...accessSpans(settings),
    dot,
    muted(shortenMiddle(shortPath(settings.cwd, home), Math.max(12, Math.floor(width / 3)))),
  ];
  return spread(left, contextSpans(state), width - 1);
}

function accessSpans({ sandbox, approvalPolicy }: NonNullable<Conversation["settings"]>): Line {
  const isOpen = sandbox.type === "dangerFullAccess" || sandbox.type === "externalSandbox";
  if (isOpen) return [span(approvalPolicy === "never" ? "full access, no questions" : "full access", { color: "danger" })];
  const access = sandbox.type === "readOnly" ? "read only" : "workspace";
  return [
    muted(approvalPolicy === "never" ? `${access}, no questions` : approvalPolicy === "untrusted" ? `${access}, asks always` : access),
  ];
}

function contextSpans({ usage }: Conversation): Line {
  const window = usage?.modelContextWindow ?? undefined;
  if (usage === undefined) return [muted("? for keys")];
  if (window === undefined || window <= 0) return [muted(`${tokens(usage.total.totalTokens)} tokens`)];
  const left = contextLeft(usage.last.totalTokens, window);
  return [span(`${left}% context left`, left <= 15 ? { color: "warning" } : { color: "muted" })];
}

export const contextLeft = (used: number, window: number): number => Math.max(0, Math.min(100, Math.round(100 - (used / window) * 100)));

export function tokens(count: number): string {
  if (count < 1000) return String(count);
  return count < 1_000_000 ? `${(count / 1000).toFixed(count < 10_000 ? 1 : 0)}k` : `${(count / 1_000_000).toFixed(1)}M`;
}

export const shortPath = (path: string, home: string): string =>
  home !== "" && (path === home || path.startsWith(`${home}/`)) ? `~${path.slice(home.length)}` : path;

const keys: readonly (readonly [string, string])[] = [
  ["enter", "send, or steer the running turn"],
  ["tab", "keep for after the turn"],
  ["shift+enter, ctrl+j", "new line"],
  ["esc", "stop the turn; twice at rest: go back"],
  ["alt+, alt+.", "less or more effort"],
  ["up, down", "earlier messages"],
  ["ctrl+r", "search earlier messages"],
  ["ctrl+t", "whole transcript"],
  ["ctrl+g", "write in your editor"],
  ["shift+tab", "plan mode on and off"],
  ["ctrl+c twice", "quit"],
];

/** Two columns if there is room. */
export function keyHelp(width: number): Line[] {
  const cell = ([key, what]: readonly [string, string]): Line => [...padded([span(`  ${key}`, { color: "accent" })], 24), muted(what)];
  if (width < 100) return keys.map((row) => truncate(cell(row), width));
  const half = Math.ceil(keys.length / 2);
  return keys.slice(0, half).map((row, i) => {
    const other = keys[i + half];
    return [...padded(cell(row), Math.floor(width / 2)), ...(other === undefined ? [] : cell(other))];
  });
}
