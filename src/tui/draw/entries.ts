/** How entries of the transcript look. Pure: the same entry at the same width always gives the same lines. */

import { expandTabs } from "../../lib/terminal-text.ts";
import type { Entry, Folded, Tone } from "../state/entry.ts";
import type { Piece } from "../state/stream.ts";
import { highlight } from "../text/code.ts";
import { gitDiffLines } from "../text/diff.ts";
import { markdownLines } from "../text/markdown.ts";
import { type Color, type Line, line, lineWidth, muted, padded, prefixed, restyle, span, truncate, wrap, wrapAll } from "../text/spans.ts";
import type { Theme } from "../text/theme.ts";
import { textWidth } from "../text/width.ts";
import { box, keyValues } from "./box.ts";
import { changesLines } from "./changes.ts";

/** Prose in wider lines than this is hard to read. */
const proseWidth = 108;
/** A longer diff belongs in the pager. */
const diffLimit = 300;
const wholeDiffLimit = 2000;
/** Raw reasoning can be pages long. */
const rawReasoningLimit = 6;

export interface Place {
  readonly width: number;
  readonly theme: Theme;
  /** Paths below it are shown without it. */
  readonly cwd: string;
  /** Nothing is folded: for the pager. */
  readonly isWhole?: true;
}

type Of<K extends Entry["kind"]> = Extract<Entry, { kind: K }>;

export function entryLines(entry: Entry, place: Place): Line[] {
  const { width, theme } = place;
  switch (entry.kind) {
    case "welcome":
      return welcomeLines(entry, place);
    case "user":
      return userLines(entry, place);
    case "agent":
      return agentLines(entry, place);
    case "reasoning":
      return reasoningLines(entry, place);
    case "command":
      return commandLines(entry, place);
    case "explored":
      return exploredLines(entry, place);
    case "changes":
      return changesLines(entry.changes, { ...place, limit: diffLimit, result: entry.result });
    case "tool":
      return toolLines(entry, place);
    case "plan":
      return planLines(entry, place);
    case "planText":
      return prefixed(
        markdownLines(entry.text, prose(width) - 2),
        [span(`${theme.marks.bar} `, { color: "accent" })],
        [span(`${theme.marks.bar} `, { color: "accent" })],
      );
    case "note":
      return noteLines(entry, place);
    case "turnEnd":
      return [turnEndLine(entry.durationMs, place)];
    case "card":
      return cardLines(entry, place);
    case "diff": {
      const all = gitDiffLines(entry.text, width);
      const rest = all.length - wholeDiffLimit;
      return [line(entry.title, { bold: true }), ...all.slice(0, wholeDiffLimit), ...(rest > 0 ? [[muted(`… ${rest} more lines`)]] : [])];
    }
  }
}

/** Whether a blank line precedes it. */
export const hasGap = (entry: Entry): boolean => !(entry.kind === "agent" && entry.piece.joined);

const prose = (width: number): number => Math.min(width, proseWidth);

function welcomeLines(entry: Of<"welcome">, { width, theme }: Place): Line[] {
  const inner = Math.min(width, 76);
  const title: Line = [span(`${theme.marks.prompt} `, { color: "accent", bold: true }), span(entry.title, { bold: true })];
  const lines = [title, ...keyValues(entry.rows, inner - 4)];
  const hint = wrap([muted(entry.hint)], width - 2).map((of): Line => [span("  "), ...of]);
  return theme.spoken ? [...lines, ...hint] : [...box(lines, inner, theme), ...hint];
}

/** Of a longer message of the person only its beginning and its end are printed. */
const longMessage = { lines: 40, head: 20, tail: 5 };

function userLines({ text, attachments }: Of<"user">, { width, theme, isWhole }: Place): Line[] {
  const shownText = text === "" && attachments.length > 0 ? "" : text;
  const files = attachments.length === 0 ? [] : [[muted(attachments.map((name) => `[${name}]`).join(" "))] as Line];
  const room = width - 3;
  const wrapped = shownText === "" ? [] : shownText.split("\n").flatMap((of) => wrap(line(expandTabs(of)), room));
  const hidden = isWhole === true || wrapped.length <= longMessage.lines ? 0 : wrapped.length - longMessage.head - longMessage.tail;
  const shown = hidden === 0 ? wrapped : [...wrapped.slice(0, longMessage.head), hiddenLine(hidden), ...wrapped.slice(-longMessage.tail)];
  const lines = [...shown, ...files];
  if (theme.spoken) return prefixed(lines, line("You: "), []);
  const marked = prefixed(lines, [span(`${theme.marks.prompt} `, { color: "accent", bold: true })]);
  if (theme.depth < 8) return marked;
  return marked.map((of) => padded(restyle(of, { background: "user" }), width, { background: "user" }));
}

function agentLines({ piece, isFirst }: Of<"agent">, { width, theme }: Place): Line[] {
  const inner = pieceLines(piece, width - 2);
  if (theme.spoken) return isFirst ? prefixed(inner, line("Agent: "), []) : inner;
  return prefixed(inner, isFirst ? [span(`${theme.marks.bullet} `)] : [span("  ")], [span("  ")]);
}

/** Code may be as wide as the terminal. */
export function pieceLines(piece: Piece, width: number): Line[] {
  if (piece.kind === "markdown") return markdownLines(piece.text, prose(width));
  return piece.lines.flatMap((text) => prefixed(wrap(highlight(expandTabs(text), piece.language), width - 2), [span("  ")], [span("  ")]));
}

function reasoningLines({ text, isRaw }: Of<"reasoning">, { width, theme, isWhole }: Place): Line[] {
  const lines = markdownLines(text, prose(width) - 2).map((of) => of.map((s) => span(s.text, { color: "muted", italic: true })));
  const isFolded = isRaw && isWhole !== true && lines.length > rawReasoningLimit + 1;
  const shown = isFolded ? [...lines.slice(0, rawReasoningLimit), hiddenLine(lines.length - rawReasoningLimit)] : lines;
  return prefixed(shown, theme.spoken ? line("Thinking: ") : [muted(`${theme.marks.dot} `)], theme.spoken ? [] : [span("  ")]);
}

const resultColors: Readonly<Record<Of<"command">["result"], Color>> = {
  done: "success",
  failed: "danger",
  declined: "warning",
  interrupted: "warning",
  running: "accent",
};

function commandLines(entry: Of<"command">, place: Place): Line[] {
  const { width, theme } = place;
  const verb = { done: "Ran", failed: "Ran", declined: "Did not run", interrupted: "Interrupted", running: "Left running" }[entry.result];
  const ending = commandEnding(entry);
  const head: Line = [...bullet(resultColors[entry.result], theme), span(entry.isOwn ? "You ran" : verb, { bold: true }), span(" ")];
  const command = entry.command.split("\n");
  const lines = command.flatMap((text) => wrap(highlight(expandTabs(text), "bash"), width - lineWidth(head) - 1));
  const shown = lines.length > 6 ? [...lines.slice(0, 5), [muted(`… ${lines.length - 5} more lines`)]] : lines;
  const drawn = prefixed(shown, head);
  const last = drawn.at(-1) ?? [];
  const withEnding = ending === "" ? drawn : [...drawn.slice(0, -1), truncate([...last, muted(`  ${ending}`)], width)];
  return [...withEnding, ...outputLines(entry.output, place)];
}

function commandEnding({ result, exitCode, durationMs }: Of<"command">): string {
  const parts = [
    result === "failed" && exitCode !== undefined ? `exit ${exitCode}` : "",
    durationMs !== undefined && durationMs >= 2000 ? duration(durationMs) : "",
    result === "declined" ? "declined" : "",
  ];
  return parts.filter((part) => part !== "").join(" · ");
}

export const bullet = (color: Color, theme: Theme): Line => (theme.spoken ? [] : [span(`${theme.marks.bullet} `, { color, bold: true })]);

const hiddenLine = (count: number): Line => [muted(`… ${count.toLocaleString("en")} more lines, ctrl+t shows all`)];

function outputLines({ head, hidden, tail }: Folded, { width, theme }: Place): Line[] {
  const first: Line = theme.spoken ? [] : [muted(`  ${theme.marks.corner} `)];
  const cutLine = (text: string): Line => truncate([muted(expandTabs(text, 8))], width - 4);
  const more: Line[] = hidden === 0 ? [] : [hiddenLine(hidden)];
  const lines = [...head.map(cutLine), ...more, ...tail.map(cutLine)];
  return prefixed(lines, first, theme.spoken ? [] : [span("    ")]);
}

function exploredLines({ looks }: Of<"explored">, { width, theme }: Place): Line[] {
  return [[...bullet("success", theme), span("Explored", { bold: true })], ...lookLines(looks, width, theme)];
}

/** Consecutive reads share one line. */
export function lookLines(looks: Of<"explored">["looks"], width: number, theme: Theme): Line[] {
  const groups: { verb: string; whats: string[] }[] = [];
  for (const { verb, what } of looks) {
    const last = groups.at(-1);
    if (last?.verb === verb && verb === "Read") {
      if (!last.whats.includes(what)) last.whats.push(what);
    } else groups.push({ verb, whats: [what] });
  }
  const lines = groups.flatMap(({ verb, whats }) =>
    prefixed(wrap([span(whats.join(", "))], width - 12), [span(`${verb} `, { color: "accent" })]),
  );
  return prefixed(lines, theme.spoken ? [] : [muted(`  ${theme.marks.corner} `)], theme.spoken ? [] : [span("    ")]);
}

function toolLines(entry: Of<"tool">, place: Place): Line[] {
  const { width, theme } = place;
  const suffix = entry.result === "interrupted" ? [muted("  interrupted")] : [];
  const head: Line = [
    ...bullet(resultColors[entry.result], theme),
    span(entry.title, { bold: true }),
    muted(entry.detail === "" ? "" : ` ${entry.detail}`),
  ];
  return [truncate([...head, ...suffix], width), ...outputLines(entry.output, place)];
}

export function planLines({ steps, explanation }: Omit<Of<"plan">, "kind">, { width, theme }: Place): Line[] {
  const { done, current, pending } = theme.marks;
  const title: Line = [...bullet("accent", theme), span("Plan", { bold: true }), muted(explanation === "" ? "" : `  ${explanation}`)];
  const rows = steps.flatMap(({ step, status }): Line[] => {
    const label = { completed: "done: ", inProgress: "now: ", pending: "to do: " }[status];
    const mark = theme.spoken ? label : `${{ completed: done, inProgress: current, pending }[status]} `;
    const style =
      status === "completed"
        ? { color: "muted" as const, strike: !theme.spoken }
        : status === "inProgress"
          ? { color: "accent" as const, bold: true }
          : {};
    const markStyle =
      status === "completed"
        ? { color: "success" as const }
        : status === "inProgress"
          ? { color: "accent" as const }
          : { color: "muted" as const };
    return prefixed(wrap(line(step, style), width - 6), [span(theme.spoken ? "" : "  "), span(mark, markStyle)]);
  });
  return [...wrap(title, width), ...rows];
}

const tones: Readonly<Record<Tone, Color>> = { info: "muted", success: "success", warning: "warning", error: "danger" };

function noteLines({ tone, text, detail }: Of<"note">, { width, theme }: Place): Line[] {
  const marks = { info: theme.marks.dot, success: theme.marks.done, warning: theme.marks.warning, error: theme.marks.failed };
  const labels = { info: "", success: "", warning: "Warning: ", error: "Error: " };
  const head: Line = theme.spoken ? line(labels[tone]) : [span(`${marks[tone]} `, { color: tones[tone] })];
  const body = text.split("\n").flatMap((of) => wrap(line(of, { color: tone === "info" ? "muted" : tones[tone] }), prose(width) - 2));
  const more =
    detail === undefined
      ? []
      : wrapAll(
          detail.split("\n").map((of) => [muted(of)]),
          prose(width) - 2,
        );
  return prefixed([...body, ...more], head);
}

function turnEndLine(durationMs: number, { width, theme }: Place): Line {
  const text = ` Worked for ${duration(durationMs)} `;
  if (theme.spoken) return line(text.trim());
  return [muted(`${theme.marks.rule.repeat(2)}${text}${theme.marks.rule.repeat(Math.max(0, Math.min(width, 60) - textWidth(text) - 2))}`)];
}

function cardLines({ title, rows }: Of<"card">, { width, theme }: Place): Line[] {
  const lines = [line(title, { bold: true }), ...keyValues(rows, Math.min(width, 100) - 4)];
  return theme.spoken ? lines : box(lines, Math.min(width, 100), theme);
}

/** `8s`, `1m 05s`, `2h 03m`. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m ${String(seconds % 60).padStart(2, "0")}s`;
  return `${Math.floor(seconds / 3600)}h ${String(Math.floor((seconds % 3600) / 60)).padStart(2, "0")}m`;
}
