/** Draws questions to the person and lists to choose from in place of the composer. */

import { spelledLine, spelledOut } from "../../lib/terminal-text.ts";
import type { FileUpdateChange } from "../../protocol/item.ts";
import type { Approval, Subject } from "../ask/approval.ts";
import { type Field, type FieldState, type Form, hasOptions, isTyping, valuesOf } from "../ask/form.ts";
import { type Picker, type PickerItem, shownItems } from "../ask/picker.ts";
import { layout } from "../compose/editor.ts";
import { highlight } from "../text/code.ts";
import { type Line, line, lineWidth, muted, padded, prefixed, span, truncate, wrap } from "../text/spans.ts";
import type { Theme } from "../text/theme.ts";
import { shorten, tab } from "../text/width.ts";
import { keyValues } from "./box.ts";
import { changesLines } from "./changes.ts";
import type { Drawn } from "./composer.ts";

export interface PromptPlace {
  readonly width: number;
  /** Available rows. */
  readonly height: number;
  readonly theme: Theme;
  readonly cwd: string;
  /** How many questions wait, including this one, and whose it is. */
  readonly waiting: number;
  readonly from: string | undefined;
  /** A linked editor can show changes. */
  readonly hasEditor?: boolean;
}

/** Below this many columns labels and details are stacked, and hints are short. */
const narrow = 60;

export function approvalPrompt(prompt: Approval, place: PromptPlace): Drawn {
  const { width, height, theme, waiting } = place;
  const count = waiting > 1 ? [muted(`  1 of ${waiting}`)] : [];
  const from = place.from === undefined ? [] : [muted(`  from ${place.from}`)];
  const title = clip(wrap([...mark(theme), span(prompt.title, { bold: true }), ...count, ...from], width), Math.max(1, height >> 1));
  const choices = prompt.choices.flatMap((choice, i) => choiceLines(choice.key, choice.label, i === prompt.selected, place));
  const keys = width < narrow ? "  a letter answers" : "  press a key, or choose and press enter";
  const inEditor = place.hasEditor === true && prompt.subject.kind === "changes" ? ", e in the editor" : "";
  const hint: Line = [muted(`${keys}; v shows all of it${inEditor}`)];
  if (height < title.length + choices.length + 6) return lowPrompt(prompt, title.slice(0, 1), place);
  const room = height - title.length - choices.length - 3;
  const subject = clip(subjectLines(prompt.subject, { ...place, height: room }), room);
  return { lines: [...title, ...subject, [], ...choices, truncate(hint, width)] };
}

/** In a terminal with few rows the answers share one, so that their subject stays visible. */
function lowPrompt(prompt: Approval, title: readonly Line[], place: PromptPlace): Drawn {
  const { width, height, theme } = place;
  const choices = prompt.choices.flatMap(({ key, label }, i): Line => {
    const style = i === prompt.selected ? { bold: true } : undefined;
    return [
      span(i === prompt.selected ? ` ${theme.marks.current} ` : "   "),
      span(key, { color: "accent", bold: true }),
      span(` ${shorten(label, 14)}`, style),
    ];
  });
  const room = Math.max(1, height - title.length - 1);
  return { lines: [...title, ...clip(subjectLines(prompt.subject, { ...place, height: room }), room), truncate(choices, width)] };
}

const mark = (theme: Theme): Line => (theme.spoken ? [span("Question: ")] : [span("? ", { color: "warning", bold: true })]);

function choiceLines(key: string, label: string, isSelected: boolean, { width, theme }: PromptPlace): Line[] {
  const head: Line = [
    span(isSelected ? `  ${theme.marks.current} ` : "    ", { color: "accent" }),
    span(key, { color: "accent", bold: true }),
    span("  "),
  ];
  return prefixed(wrap(line(label, isSelected ? { bold: true } : undefined), width - lineWidth(head)), head);
}

/** How much of a change is laid out to find its beginning and its end. */
const mostDiffLines = 2000;

/** Everything about it, for the prompt and for the pager: where room is short, the reasons are dropped before the subject. */
export function subjectLines(
  subject: Subject,
  { width, theme, cwd, height }: Pick<PromptPlace, "width" | "theme" | "cwd" | "height">,
): Line[] {
  const rows = keyValues(subject.rows, width - 4).map((of): Line => [span("  "), ...of]);
  if (subject.kind === "rows") return rows;
  const detail =
    subject.kind === "changes" ? changedFiles(subject.changes, { width, theme, cwd, height }) : commandLines(subject, width, theme);
  const least = Math.min(rows.length, Math.max(0, Math.floor(height / 3)));
  const whole = clip(detail, Math.max(1, height - least), subject.kind === "command" ? edge(theme) : []);
  const below = clip(rows, Math.max(0, height - whole.length));
  return subject.kind === "changes" ? [...below, ...whole] : [...whole, ...below];
}

const edge = (theme: Theme): Line => [span("  "), muted(`${theme.marks.bar} `)];

function commandLines({ command }: Extract<Subject, { kind: "command" }>, width: number, theme: Theme): Line[] {
  const lines = command.split("\n").flatMap((text) => wrap(highlight(text.replace(/\t/g, "    "), "bash"), width - 6));
  return prefixed(lines, edge(theme), edge(theme));
}

function changedFiles(given: readonly FileUpdateChange[], place: Pick<PromptPlace, "width" | "theme" | "cwd" | "height">): Line[] {
  if (given.length === 0) return [[span("  What it would change was not sent.", { color: "warning" })]];
  const changes = given.map(
    (change): FileUpdateChange => ({
      path: spelledLine(change.path),
      kind:
        change.kind.type === "update" && change.kind.move_path
          ? { ...change.kind, move_path: spelledLine(change.kind.move_path) }
          : change.kind,
      diff: spelledOut(change.diff),
    }),
  );
  return changesLines(changes, { ...place, limit: Math.max(place.height, mostDiffLines), result: "pending" });
}

/** The beginning and the end: something dangerous may hide in either. Omissions are always marked. */
function clip(lines: readonly Line[], room: number, before: Line = []): Line[] {
  if (lines.length <= room) return [...lines];
  if (room < 1) return [];
  const tail = Math.floor((room - 1) / 3);
  const head = room - 1 - tail;
  const gap: Line = [...before, span(`    … ${lines.length - head - tail} more lines, v shows all …`, { color: "warning" })];
  return [...lines.slice(0, head), gap, ...lines.slice(lines.length - tail)];
}

export function formPrompt(form: Form, place: PromptPlace): Drawn {
  const { width, height, theme, waiting } = place;
  const field = form.fields[form.index];
  const state = form.states[form.index];
  if (field === undefined || state === undefined) return { lines: [] };
  const count = waiting > 1 ? [muted(`  1 of ${waiting}`)] : [];
  const title = clip(wrap([...mark(theme), span(form.title, { bold: true }), ...count], width), Math.max(1, height - 8));
  const tabs = form.fields.length > 1 ? [tabLine(form, place)] : [];
  const question = wrap(line(field.question, { bold: true }), width - 2).map((of): Line => [span("  "), ...of]);
  const detail = field.detail === "" ? [] : wrap([muted(field.detail)], width - 2).map((of): Line => [span("  "), ...of]);
  const problem: Line[] = form.problem === undefined ? [] : [line(`  ${form.problem}`, { color: "danger" })];
  const hint = truncate([muted(`  ${formHint(form, field)}`)], width);
  const fixed = title.length + tabs.length + problem.length + 2;
  const body = fieldLines(form, field, state, place);
  const room = Math.max(2, height - fixed);
  const heading = clip([...question, ...detail], Math.max(1, room - body.lines.length));
  const before = [...title, ...tabs, ...heading, ...(room > body.lines.length + heading.length ? [[]] : [])];
  const cursor = body.cursor === undefined ? undefined : { x: body.cursor.x, y: body.cursor.y + before.length };
  return { lines: [...before, ...body.lines, ...problem, hint], cursor };
}

function tabLine(form: Form, { width, theme }: PromptPlace): Line {
  const tabs = form.fields.flatMap((field, i): Line => {
    const state = form.states[i];
    const isAnswered = state !== undefined && valuesOf(field, state).length > 0;
    const name = `${isAnswered ? theme.marks.done : theme.marks.pending} ${field.header || field.question}`;
    const style = i === form.index ? { color: "accent" as const, bold: true } : { color: "muted" as const };
    return [span("  "), span(shorten(name, 24), style)];
  });
  return truncate(tabs, width);
}

function formHint(form: Form, field: Field): string {
  const more = form.fields.length > 1 ? "tab goes to the next question, " : "";
  const enter = `enter ${form.index === form.fields.length - 1 ? "sends" : "goes on"}`;
  if (isTyping(form)) return `${enter}, ${more}esc cancels`;
  if (field.type === "multi") return `space or a number chooses, ${enter}, ${more}esc cancels`;
  return `a number or enter chooses, ${more}esc cancels`;
}

function fieldLines(form: Form, field: Field, state: FieldState, place: PromptPlace): Drawn {
  if (!hasOptions(field)) return textField(field, state, place, 4);
  const { width, theme } = place;
  const rows = field.options.length + (field.allowOther ? 1 : 0);
  // In columns if that leaves room for the descriptions.
  const widest = Math.max(...field.options.map(({ label }) => lineWidth([span(label)])));
  const column = widest <= Math.floor(width / 3) ? widest : 0;
  const options = field.options.flatMap((option, i) => {
    const isHere = state.row === i;
    const isChosen = state.chosen.includes(option.value);
    const box =
      field.type === "multi" ? `${isChosen ? theme.marks.checked : theme.marks.unchecked} ` : isChosen ? `${theme.marks.chosen} ` : "";
    const number = field.type === "boolean" ? (i === 0 ? "y" : "n") : numbered(i, rows);
    const head: Line = [
      span(isHere ? `  ${theme.marks.current} ` : "    ", { color: "accent" }),
      span(`${number} `, { color: "accent", bold: true }),
      span(box),
    ];
    const label = line(option.label, isHere ? { bold: true } : undefined);
    const shown: Line = option.description === "" ? label : [...padded(label, column), muted(`  ${option.description}`)];
    return prefixed(wrap(shown, width - lineWidth(head)), head);
  });
  if (!field.allowOther) return { lines: options };
  const isHere = state.row === field.options.length;
  const head: Line = [
    span(isHere ? `  ${theme.marks.current} ` : "    ", { color: "accent" }),
    span(`${numbered(field.options.length, rows)} `, { color: "accent", bold: true }),
    muted("Other: "),
  ];
  if (!isHere && state.text.text === "") return { lines: [...options, head] };
  const typed = textField(field, state, place, lineWidth(head));
  const own = typed.lines.map((of, i): Line => (i === 0 ? [...head, ...of.slice(1)] : of));
  const cursor = isHere && typed.cursor !== undefined ? { x: typed.cursor.x, y: typed.cursor.y + options.length } : undefined;
  void form;
  return { lines: [...options, ...own], cursor };
}

/** A secret is drawn as dots: nobody behind the person can read it, and it never gets into the scrollback. */
function textField(field: Field, state: FieldState, { width, theme, height }: PromptPlace, margin: number): Drawn {
  const secret = "•".repeat([...state.text.text].length);
  const editor = field.isSecret
    ? { ...state.text, text: secret, cursor: [...state.text.text.slice(0, state.text.cursor)].length }
    : state.text;
  const { rows, row, column } = layout(editor, width - margin - 2);
  const limit = Math.max(1, Math.min(6, height - 6));
  const top = Math.max(0, row - limit + 1);
  const pad = " ".repeat(margin);
  const lines = rows
    .slice(top, top + limit)
    .map(
      (text, i): Line => [
        i === 0 ? span(`${pad.slice(2)}${theme.marks.prompt} `, { color: "accent" }) : span(pad),
        span(text.replaceAll("\t", tab)),
      ],
    );
  return { lines, cursor: { x: margin + column, y: row - top } };
}

export function pickerPrompt(picker: Picker, place: PromptPlace): Drawn {
  const { width, height, theme } = place;
  const items = shownItems(picker);
  const title = truncate([...mark(theme), span(picker.title, { bold: true })], width);
  const filter: Line[] = picker.canFilter
    ? [
        [
          span("  "),
          span(`${theme.marks.prompt} `, { color: "accent" }),
          ...(picker.filter.text === "" ? [muted("type to search")] : [span(picker.filter.text)]),
        ],
      ]
    : [];
  const hint = picker.hint === "" ? "enter chooses, esc cancels" : picker.hint;
  const room = Math.max(1, height - 2 - filter.length);
  const from = Math.max(0, Math.min(picker.selected - Math.floor(room / 2), items.length - room));
  const column = Math.min(Math.floor(width * 0.7), Math.max(4, ...items.map(({ label }) => lineWidth([span(label)]))) + 2);
  const isNarrow = width < narrow && !picker.canFilter;
  const drawRow = (item: PickerItem, i: number): Line => {
    const isHere = from + i === picker.selected;
    const number = picker.canFilter ? "" : `${numbered(from + i, items.length)} `;
    const head: Line = [
      span(isHere ? `  ${theme.marks.current} ` : "    ", { color: "accent" }),
      span(number, { color: "accent", bold: true }),
    ];
    const label = span(shorten(item.label, column - 1), isHere ? { bold: true, color: "accent" } : undefined);
    const current = item.isCurrent === true ? [span("current  ", { color: "success" })] : [];
    return [...head, ...(isNarrow ? [label, span("  ")] : padded([label], column)), ...current, muted(item.detail)];
  };
  // A few choices show their full text if there is room; a long list has one line per choice.
  const whole = picker.canFilter ? [] : items.flatMap((item, i) => hanging(drawRow(item, i), isNarrow ? 8 : column + 6, width));
  const rows =
    whole.length > 0 && whole.length <= room ? whole : items.slice(from, from + room).map((item, i) => truncate(drawRow(item, i), width));
  const none: Line[] = items.length === 0 ? [[muted(`    ${picker.items.length === 0 ? picker.whenEmpty : "Nothing matches"}`)]] : [];
  const cursor = picker.canFilter ? { x: 4 + lineWidth([span(picker.filter.text.slice(0, picker.filter.cursor))]), y: 1 } : undefined;
  return { lines: [title, ...filter, ...rows, ...none, truncate([muted(`  ${hint}`)], width)], cursor };
}

/** The number of a row, as wide as that of the last one. */
const numbered = (index: number, rows: number): string => String(index + 1).padStart(String(rows).length);

/** Wrapped with a hanging indent. */
function hanging(row: Line, column: number, width: number): Line[] {
  if (lineWidth(row) <= width) return [row];
  const [first = [], ...rest] = wrap(row, width);
  const joined = rest.flatMap((of, i): Line => (i === 0 ? of : [span(" "), ...of]));
  return [first, ...wrap(joined, Math.max(10, width - column)).map((of): Line => [span(" ".repeat(column)), ...of])];
}
