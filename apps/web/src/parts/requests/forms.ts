/** Questions and elicitation forms as fields: what to show, what is missing, and the protocol's answer. */
import type { PendingRequest } from "../../state/model.ts";
import { detailsOf, isRecord, stringOf } from "./choices.ts";
import { spelledLine, spelledOut } from "./spelled.ts";

export interface FieldOption {
  readonly value: string;
  readonly label: string;
  readonly description: string | null;
}
export interface Field {
  readonly id: string;
  readonly label: string;
  readonly help: string | null;
  readonly input: "text" | "longText" | "secret" | "number" | "integer" | "boolean" | "one" | "many";
  readonly options: readonly FieldOption[];
  /** Whether a free-text answer is allowed besides the options. */
  readonly allowOther: boolean;
  readonly required: boolean;
  readonly format: "email" | "uri" | "date" | "date-time" | null;
  readonly min: number | null;
  readonly max: number | null;
  readonly initial: FieldValue;
}
/** `picked` holds option values; `text` a typed answer. */
export interface FieldValue {
  readonly picked: readonly string[];
  readonly text: string;
  readonly other: boolean;
}
export const emptyValue: FieldValue = { picked: [], text: "", other: false };
/** Values by field id. */
export type FieldValues = Readonly<Record<string, FieldValue>>;

export const areFieldValues = (value: unknown): value is FieldValues =>
  isRecord(value) && Object.values(value).every((one) => isRecord(one) && Array.isArray(one["picked"]) && typeof one["text"] === "string");

/** What may be kept in the browser's storage until it is sent. */
export const withoutSecrets = (fields: readonly Field[], values: FieldValues): FieldValues =>
  Object.fromEntries(Object.entries(values).filter(([id]) => fields.find((field) => field.id === id)?.input !== "secret"));

/* Questions of the model */

export function questionFields(request: PendingRequest): readonly Field[] {
  const prompt = stringOf(detailsOf(request)["prompt"]);
  const questions = questionsIn(request) ?? (prompt === null ? [] : [{ question: prompt }]);
  return questions.filter(isRecord).map((q, index) => {
    const options = Array.isArray(q["options"]) ? q["options"].map(questionOption) : [];
    const many = q["multiSelect"] === true || q["multiple"] === true || q["type"] === "multi_choice";
    const secret = q["isSecret"] === true;
    return {
      id: stringOf(q["id"]) ?? String(index),
      label: spelledOut(stringOf(q["question"]) ?? stringOf(q["text"]) ?? "Your answer"),
      help: spelledText(q["header"]),
      input: options.length === 0 ? (secret ? "secret" : "longText") : many ? "many" : "one",
      options,
      allowOther: options.length > 0 && (q["isOther"] === true || q["allowOther"] === true),
      required: true,
      format: null,
      min: null,
      max: null,
      initial: emptyValue,
    };
  });
}

/** Whether the questions are a questionnaire: one page each, sent together. */
export function isQuestionnaire(request: PendingRequest): boolean {
  const questions = questionsIn(request) ?? [];
  return questions.length > 1 && questions.some((q) => isRecord(q) && typeof q["type"] === "string");
}

function questionsIn(request: PendingRequest): readonly unknown[] | undefined {
  const given = request.questions ?? detailsOf(request)["questions"];
  return Array.isArray(given) ? given : undefined;
}

function questionOption(option: unknown): FieldOption {
  if (!isRecord(option)) return { value: String(option), label: spelledLine(String(option)), description: null };
  const label = stringOf(option["label"]) ?? stringOf(option["value"]) ?? "?";
  return { value: label, label: spelledLine(label), description: spelledText(option["description"]) };
}

export function questionResponse(fields: readonly Field[], values: Readonly<Record<string, FieldValue>>): unknown {
  const answers: Record<string, { answers: string[] }> = {};
  for (const field of fields) answers[field.id] = { answers: answersOf(field, values[field.id] ?? emptyValue) };
  return { answers };
}

function answersOf(field: Field, value: FieldValue): string[] {
  if (field.options.length === 0) return value.text.trim() === "" ? [] : [value.text];
  const own = value.other && value.text.trim() !== "" ? [value.text.trim()] : [];
  return [...value.picked, ...own];
}

/* Forms of MCP servers */

export function elicitationFields(request: PendingRequest): readonly Field[] {
  const schema = detailsOf(request)["requestedSchema"];
  if (!isRecord(schema) || !isRecord(schema["properties"])) return [];
  const required = Array.isArray(schema["required"]) ? schema["required"].map(String) : [];
  return Object.entries(schema["properties"]).map(([id, property]) =>
    schemaField(id, isRecord(property) ? property : {}, required.includes(id)),
  );
}

function schemaField(id: string, schema: Readonly<Record<string, unknown>>, required: boolean): Field {
  const many = schema["type"] === "array";
  const source = many && isRecord(schema["items"]) ? schema["items"] : schema;
  const options = enumOptions(source);
  const type = schema["type"];
  const input: Field["input"] = many
    ? "many"
    : options.length > 0
      ? "one"
      : type === "boolean"
        ? "boolean"
        : type === "integer"
          ? "integer"
          : type === "number"
            ? "number"
            : "text";
  const format = stringOf(schema["format"]);
  return {
    id,
    label: spelledOut(stringOf(schema["title"]) ?? id),
    help: spelledText(schema["description"]),
    input,
    options,
    allowOther: false,
    required,
    format: format === "email" || format === "uri" || format === "date" || format === "date-time" ? format : null,
    min: numberOf(schema[many ? "minItems" : input === "text" ? "minLength" : "minimum"]),
    max: numberOf(schema[many ? "maxItems" : input === "text" ? "maxLength" : "maximum"]),
    initial: initialValue(schema["default"]),
  };
}

function enumOptions(schema: Readonly<Record<string, unknown>>): readonly FieldOption[] {
  const titled = schema["oneOf"] ?? schema["anyOf"];
  if (Array.isArray(titled))
    return titled.filter(isRecord).map((o) => ({
      value: String(o["const"]),
      label: spelledLine(stringOf(o["title"]) ?? String(o["const"])),
      description: spelledText(o["description"]),
    }));
  if (!Array.isArray(schema["enum"])) return [];
  const names = Array.isArray(schema["enumNames"]) ? schema["enumNames"] : [];
  return schema["enum"].map((value, i) => ({
    value: String(value),
    label: spelledLine(stringOf(names[i]) ?? String(value)),
    description: null,
  }));
}

function initialValue(value: unknown): FieldValue {
  if (Array.isArray(value)) return { ...emptyValue, picked: value.map(String) };
  if (typeof value === "boolean") return { ...emptyValue, picked: value ? ["true"] : [] };
  if (typeof value === "string" || typeof value === "number") return { picked: [String(value)], text: String(value), other: false };
  return emptyValue;
}

export function elicitationContent(fields: readonly Field[], values: Readonly<Record<string, FieldValue>>): Record<string, unknown> {
  const content: Record<string, unknown> = {};
  for (const field of fields) {
    const value = values[field.id] ?? field.initial;
    if (field.input === "boolean") content[field.id] = value.picked.includes("true");
    else if (field.input === "many") {
      if (value.picked.length > 0 || field.required) content[field.id] = [...value.picked];
    } else if (field.input === "one") {
      if (value.picked[0] !== undefined) content[field.id] = value.picked[0];
    } else if (value.text !== "")
      content[field.id] = field.input === "number" || field.input === "integer" ? Number(value.text) : value.text;
  }
  return content;
}

/** The error message for a field's value; null if it can be sent. */
export function fieldProblem(field: Field, value: FieldValue): string | null {
  if (field.input === "boolean") return null;
  if (field.input === "many" || field.input === "one") return optionProblem(field, value);
  const text = value.text.trim();
  if (text === "") return field.required ? `${field.label} is missing` : null;
  if (field.input === "number" || field.input === "integer") return numberProblem(field, text);
  if (field.min !== null && value.text.length < field.min) return `${field.label} needs at least ${field.min} characters`;
  if (field.max !== null && value.text.length > field.max) return `${field.label} may have at most ${field.max} characters`;
  return formatProblem(field, text);
}

function optionProblem(field: Field, value: FieldValue): string | null {
  const count = value.picked.length + (value.other && value.text.trim() !== "" ? 1 : 0);
  if (value.other && value.text.trim() === "") return `Write your own answer for ${field.label}`;
  if (count === 0 && field.required) return `Choose an answer for ${field.label}`;
  if (field.input === "many" && field.min !== null && count < field.min) return `Choose at least ${field.min} for ${field.label}`;
  if (field.input === "many" && field.max !== null && count > field.max) return `Choose at most ${field.max} for ${field.label}`;
  return null;
}

function numberProblem(field: Field, text: string): string | null {
  const number = Number(text);
  if (!Number.isFinite(number)) return `${field.label} must be a number`;
  if (field.input === "integer" && !Number.isInteger(number)) return `${field.label} must be a whole number`;
  if (field.min !== null && number < field.min) return `${field.label} must be at least ${field.min}`;
  if (field.max !== null && number > field.max) return `${field.label} must be at most ${field.max}`;
  return null;
}

function formatProblem(field: Field, text: string): string | null {
  if (field.format === "email" && !/^[^\s@]+@[^\s@]+$/.test(text)) return `${field.label} must be an e-mail address`;
  if (field.format === "uri" && !URL.canParse(text)) return `${field.label} must be a full address`;
  if (field.format === "date" && !/^\d{4}-\d{2}-\d{2}$/.test(text)) return `${field.label} must be a date like 2026-01-31`;
  if (field.format === "date-time" && Number.isNaN(Date.parse(text))) return `${field.label} must be a date and time`;
  return null;
}

const spelledText = (value: unknown): string | null => (typeof value === "string" && value !== "" ? spelledOut(value) : null);
const numberOf = (value: unknown): number | null => (typeof value === "number" ? value : null);
