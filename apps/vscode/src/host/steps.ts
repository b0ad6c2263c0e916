/** Questions one after another, with a way back: the sequence of steps, without the widgets that show them. */
import { emptyValue, type Field, type FieldValue, fieldProblem } from "../../../web/src/parts/requests/forms.ts";

/** How one step ended. `later` leaves the question open for the panel. */
export type StepEnd<T> = { readonly kind: "done"; readonly value: T } | { readonly kind: "back" | "cancel" | "later" };

export interface Step {
  readonly title: string;
  readonly field: Field;
  /** Counted from one. */
  readonly number: number;
  readonly total: number;
  readonly canGoBack: boolean;
  readonly value: FieldValue;
}

export interface StepWidgets {
  /** Shows the options. `other` is set if the user wants to type their own answer. */
  pick(step: Step): Promise<StepEnd<{ readonly picked: readonly string[]; readonly other: boolean }>>;
  /** Shows an input line; `problem` returns the error message for a text while it is typed. */
  write(step: Step, problem: (text: string) => string | null): Promise<StepEnd<string>>;
}

export type Asked =
  | { readonly kind: "answered"; readonly values: Readonly<Record<string, FieldValue>> }
  | { readonly kind: "cancel" | "later" };

export async function askFields(title: string, fields: readonly Field[], widgets: StepWidgets): Promise<Asked> {
  const values: Record<string, FieldValue> = Object.fromEntries(fields.map((field) => [field.id, field.initial]));
  let at = 0;
  for (;;) {
    const field = fields[at];
    if (field === undefined) return { kind: "answered", values };
    const step = { title, field, number: at + 1, total: fields.length, canGoBack: at > 0, value: values[field.id] ?? emptyValue };
    const end = await askField(step, widgets);
    if (end.kind === "done") {
      values[field.id] = end.value;
      at++;
    } else if (end.kind === "back") at = Math.max(0, at - 1);
    else return { kind: end.kind };
  }
}

async function askField(step: Step, widgets: StepWidgets): Promise<StepEnd<FieldValue>> {
  const { field } = step;
  if (field.input === "boolean" || field.input === "one" || field.input === "many") return askOptions(step, widgets);
  const end = await widgets.write(step, (text) => fieldProblem(field, { ...emptyValue, text }));
  return end.kind === "done" ? { kind: "done", value: { ...emptyValue, text: end.value } } : end;
}

async function askOptions(step: Step, widgets: StepWidgets): Promise<StepEnd<FieldValue>> {
  for (;;) {
    const picked = await widgets.pick(step);
    if (picked.kind !== "done") return picked;
    const chosen = picked.value.picked;
    if (!picked.value.other) return { kind: "done", value: { ...emptyValue, picked: chosen } };
    const own: Step = { ...step, canGoBack: true };
    const written = await widgets.write(own, (text) => fieldProblem(step.field, { picked: chosen, text, other: true }));
    if (written.kind === "back") continue;
    return written.kind === "done" ? { kind: "done", value: { picked: chosen, text: written.value, other: true } } : written;
  }
}

/** A yes-or-no field as two options, so that one widget serves all choices. */
export function optionsOf(field: Field): Field["options"] {
  if (field.input !== "boolean") return field.options;
  return [
    { value: "true", label: "Yes", description: null },
    { value: "", label: "No", description: null },
  ];
}
