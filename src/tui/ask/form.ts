/** Questions with fields: choices, free text, secrets, numbers. Serves the agent's questions and the forms of MCP servers. */
import { type Editor, edit, editorWith, emptyEditor, insert } from "../compose/editor.ts";
import { isControl, type Key } from "../compose/key.ts";

export interface Option {
  readonly value: string;
  readonly label: string;
  readonly description: string;
}

export interface Field {
  readonly id: string;
  readonly header: string;
  readonly question: string;
  readonly detail: string;
  readonly type: "choice" | "multi" | "text" | "number" | "integer" | "boolean";
  readonly options: readonly Option[];
  /** Besides the options, free text is accepted. */
  readonly allowOther: boolean;
  readonly isSecret: boolean;
  readonly isRequired: boolean;
  /** What is wrong with a value, as a message for the person. */
  readonly check?: ((text: string) => string | undefined) | undefined;
}

export interface FieldState {
  /** The row under the cursor; the one after the options is the free text. */
  readonly row: number;
  readonly chosen: readonly string[];
  readonly text: Editor;
}

export interface Form {
  readonly kind: "form";
  readonly title: string;
  readonly fields: readonly Field[];
  readonly states: readonly FieldState[];
  readonly index: number;
  /** Why it cannot be submitted yet. */
  readonly problem: string | undefined;
}

/** Field id → the values given; an unanswered field is missing. */
export type Given = Readonly<Record<string, readonly string[]>>;
export type FormPress = Form | { readonly given: Given } | { readonly cancelled: true } | undefined;

export function createForm(title: string, fields: readonly Field[], defaults: Readonly<Record<string, readonly string[]>> = {}): Form {
  const states = fields.map((field): FieldState => {
    const given = defaults[field.id] ?? [];
    const row = Math.max(
      0,
      field.options.findIndex(({ value }) => value === given[0]),
    );
    return { row, chosen: hasOptions(field) ? given : [], text: hasOptions(field) ? emptyEditor : editorWith(given[0] ?? "") };
  });
  return { kind: "form", title, fields, states, index: 0, problem: undefined };
}

export const hasOptions = (field: Field): boolean => field.options.length > 0;
/** Whether typed characters go into the field's text now. */
export function isTyping(form: Form): boolean {
  const { field, state } = current(form);
  return field !== undefined && (!hasOptions(field) || (field.allowOther && state.row === field.options.length));
}

interface Current {
  readonly field: Field | undefined;
  readonly state: FieldState;
}
const noState: FieldState = { row: 0, chosen: [], text: emptyEditor };
const current = (form: Form): Current => ({ field: form.fields[form.index], state: form.states[form.index] ?? noState });

function withState(form: Form, state: FieldState): Form {
  return { ...form, problem: undefined, states: form.states.map((old, i) => (i === form.index ? state : old)) };
}

export function pressForm(form: Form, key: Key): FormPress {
  const { field, state } = current(form);
  if (field === undefined) return { given: {} };
  if (key.name === "escape" || isControl(key, "c")) return { cancelled: true };
  if (key.name === "return" && !key.alt && !key.shift) return confirm(form, field, state);
  if (key.name === "tab") return turnTo(form, key.shift ? -1 : 1);
  if (hasOptions(field)) {
    const rows = field.options.length + (field.allowOther ? 1 : 0);
    if (key.name === "up") return withState(form, { ...state, row: (state.row + rows - 1) % rows });
    if (key.name === "down") return withState(form, { ...state, row: (state.row + 1) % rows });
  }
  if (isTyping(form)) {
    const edited = edit(state.text, key);
    return edited === undefined ? undefined : withState(form, { ...state, text: edited });
  }
  return pressOptions(form, field, state, key);
}

function pressOptions(form: Form, field: Field, state: FieldState, key: Key): FormPress {
  if (key.name === "left") return turnTo(form, -1);
  if (key.name === "right") return turnTo(form, 1);
  if (key.name !== "text" || key.ctrl || key.alt) return undefined;
  if (key.text === " ") return field.type === "multi" ? withState(form, toggled(field, state)) : confirm(form, field, state);
  const row = field.type === "boolean" ? ["y", "n"].indexOf(key.text.toLowerCase()) : Number(key.text) - 1;
  if (!(row >= 0 && row < field.options.length + (field.allowOther ? 1 : 0))) return undefined;
  const moved = { ...state, row };
  if (row === field.options.length) return withState(form, moved);
  return field.type === "multi" ? withState(form, toggled(field, moved)) : confirm(withState(form, moved), field, moved);
}

function toggled(field: Field, state: FieldState): FieldState {
  const value = field.options[state.row]?.value;
  if (value === undefined) return state;
  const isOn = state.chosen.includes(value);
  return { ...state, chosen: isOn ? state.chosen.filter((other) => other !== value) : [...state.chosen, value] };
}

function turnTo(form: Form, by: -1 | 1): Form {
  const index = Math.min(form.fields.length - 1, Math.max(0, form.index + by));
  return { ...form, index, problem: undefined };
}

/** Accepts the answer to this field and moves to the next; the last one submits the form. */
function confirm(form: Form, field: Field, state: FieldState): FormPress {
  const option = field.options[state.row]?.value;
  const isSingle = hasOptions(field) && field.type !== "multi" && option !== undefined;
  const taken: FieldState = isSingle
    ? { ...state, chosen: [option] }
    : state.row === field.options.length && field.type !== "multi"
      ? { ...state, chosen: [] }
      : state;
  const next = withState(form, taken);
  const problem = problemOf(field, taken);
  if (problem !== undefined) return { ...next, problem };
  if (form.index < form.fields.length - 1) return turnTo(next, 1);
  const wrong = next.fields.findIndex((other, i) => problemOf(other, next.states[i] ?? noState) !== undefined);
  if (wrong >= 0) return { ...next, index: wrong, problem: problemOf(next.fields[wrong] ?? field, next.states[wrong] ?? noState) };
  return { given: givenBy(next) };
}

export function valuesOf(field: Field, state: FieldState): readonly string[] {
  const own = state.text.text.trim() === "" ? [] : [state.text.text];
  if (!hasOptions(field)) return own;
  if (!field.allowOther) return state.chosen;
  if (field.type === "multi") return [...state.chosen, ...own];
  return state.chosen.length > 0 ? state.chosen : own;
}

function problemOf(field: Field, state: FieldState): string | undefined {
  const values = valuesOf(field, state);
  if (values.length === 0) return field.isRequired ? (hasOptions(field) ? "Choose an answer" : "An answer is needed") : undefined;
  return hasOptions(field) ? undefined : field.check?.(values[0] ?? "");
}

function givenBy(form: Form): Given {
  const entries = form.fields.map((field, i) => [field.id, valuesOf(field, form.states[i] ?? noState)] as const);
  return Object.fromEntries(entries.filter(([, values]) => values.length > 0));
}

/** Pasted text goes where typed characters go. */
export function pasteForm(form: Form, text: string): Form {
  const { state } = current(form);
  return isTyping(form) ? withState(form, { ...state, text: insert(state.text, text) }) : form;
}
