/** The part of the screen that changes: everything below the scrollback, always lower than the terminal is high. */
import type { Conversation } from "../state/conversation.ts";
import type { Ui } from "../state/ui.ts";
import { type Line, muted, span, truncate } from "../text/spans.ts";
import type { Theme } from "../text/theme.ts";
import { composerBox, type Drawn, footerLine, ideLine, keyHelp, popupHint, popupLines } from "./composer.ts";
import { duration, type Place } from "./entries.ts";
import { liveLines, livePlan, waitingLines } from "./live.ts";
import { approvalPrompt, formPrompt, type PromptPlace, pickerPrompt } from "./prompt.ts";
import { tokens } from "./status-line.ts";

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

export interface FrameOptions {
  readonly size: Size;
  readonly theme: Theme;
  readonly nowMs: number;
  /** The person's home folder, shown as `~`. */
  readonly home: string;
}

/**
 * Leaves the first row alone: some terminals treat erasing from there on as clearing the screen, and then keep a copy of it in the
 * scrollback.
 */
export function frame(state: Conversation, ui: Ui, options: FrameOptions): Drawn {
  const { size, theme, nowMs } = options;
  const width = Math.max(20, size.columns);
  const height = frameHeight(size);
  const place: Place = { width, theme, cwd: state.settings?.cwd ?? "" };
  const lower = lowerPart(state, ui, options, place);
  const room = Math.max(0, height - lower.lines.length);
  const upper = upperPart(state, ui, { ...place, nowMs }, room);
  if (upper.length === 0 && room > 0 && lower.lines[0]?.length !== 0) upper.push([]);
  const lines = [...upper, ...lower.lines].slice(-height).map((of) => truncate(of, width));
  const shift = lines.length - lower.lines.length;
  return { lines, cursor: lower.cursor === undefined ? undefined : { x: lower.cursor.x, y: lower.cursor.y + shift } };
}

const frameHeight = (size: Size): number => Math.max(3, size.rows - 2);

/** What has the keyboard focus: a question, a list, or the composer. */
function lowerPart(state: Conversation, ui: Ui, options: FrameOptions, place: Place): Drawn {
  const { size, theme, home } = options;
  const { width } = place;
  const [question] = ui.pending;
  const height = frameHeight(size) - 1;
  const promptPlace: PromptPlace = {
    width,
    height,
    theme,
    cwd: place.cwd,
    waiting: ui.pending.length,
    from: question?.from,
    hasEditor: ui.ide?.showsChanges === true,
  };
  if (question !== undefined)
    return below(
      question.prompt.kind === "approval" ? approvalPrompt(question.prompt, promptPlace) : formPrompt(question.prompt, promptPlace),
    );
  const { dialog } = ui;
  if (dialog !== undefined) {
    const isLong = dialog.kind === "picker" && dialog.canFilter;
    const listed = { ...promptPlace, waiting: 0, height: isLong ? Math.min(height, Math.max(8, Math.floor(size.rows * 0.6))) : height };
    return below(dialog.kind === "picker" ? pickerPrompt(dialog, listed) : formPrompt(dialog, { ...listed, height }));
  }
  const box = composerBox(state, ui, width, Math.max(1, Math.min(12, Math.floor(size.rows / 3))), theme);
  const help = ui.showsKeys ? keyHelp(width, ui.keymap).slice(0, Math.max(0, height - box.lines.length - 1)) : [];
  const popupRows = Math.min(8, Math.max(1, height - box.lines.length - 2));
  const popup = ui.popup === undefined ? help : popupLines(ui.popup, width, popupRows, theme);
  const last = ui.popup === undefined ? footerLine(state, ui, { width, theme, home }) : popupHint(ui.popup, width);
  const footer = size.rows >= 6 ? [...(size.rows >= 10 && ui.popup === undefined ? ideLine(ui, { width, theme }) : []), last] : [];
  return { lines: [...box.lines, ...popup, ...footer], cursor: box.cursor };
}

/** A blank line separates it from what is above. */
function below({ lines, cursor }: Drawn): Drawn {
  return { lines: [[], ...lines], cursor: cursor === undefined ? undefined : { x: cursor.x, y: cursor.y + 1 } };
}

/** Live items on top, then the plan, then the status; what does not fit is cut from the top. */
function upperPart(state: Conversation, ui: Ui, place: Place & { readonly nowMs: number }, room: number): Line[] {
  if (room < 2) return [];
  const status = statusLines(state, ui, place);
  const waiting = waitingLines(
    state,
    { queued: ui.queue.map(({ text }) => text), background: ui.background, goal: ui.goal?.status === "complete" ? undefined : ui.goal },
    place,
  ).slice(0, Math.max(1, Math.floor(room / 4)));
  const fixed = [...block(status), ...waiting];
  const plan = livePlan(state, place, Math.max(0, Math.min(10, Math.floor((room - fixed.length) / 2))));
  const left = room - fixed.length - (plan.length === 0 ? 0 : plan.length + 1);
  const tailLines = Math.max(1, Math.min(8, left - 4));
  const hidden = new Set(ui.pending.flatMap(({ itemId }) => itemId ?? []));
  const live = liveLines(state, { ...place, tailLines, hidden });
  return [...live.slice(Math.max(0, live.length - left)), ...block(plan), ...fixed];
}

const block = (lines: readonly Line[]): Line[] => (lines.length === 0 ? [] : [[], ...lines]);

function statusLines(state: Conversation, ui: Ui, { width, theme, nowMs }: Place & { readonly nowMs: number }): Line[] {
  if (state.turn === undefined) {
    const { starting } = state;
    return starting.length === 0 ? [] : [truncate([muted(`  Starting MCP servers: ${starting.join(", ")}`)], width)];
  }
  if (ui.pending.length > 0) return [];
  const { spinner } = theme.marks;
  const turn = spinner[Math.floor(nowMs / 100) % spinner.length] ?? "";
  const what = state.turn.isInterrupting
    ? "Stopping"
    : state.retrying !== undefined
      ? `Trying again: ${state.retrying}`
      : (state.thought ?? "Working");
  if (theme.spoken) return [[span(what)]];
  const used = state.usage === undefined ? "" : ` ${theme.marks.dot} ${tokens(state.usage.total.outputTokens)} tokens`;
  const detail = ` ${theme.marks.dot} ${duration(nowMs - state.turn.startedAtMs)}${used} ${theme.marks.dot} esc to stop`;
  const style = state.retrying === undefined ? { bold: true } : { color: "warning" as const };
  return [truncate([span(`${turn} `, { color: "accent" }), span(what, style), muted(detail)], width)];
}
