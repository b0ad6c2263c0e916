/** Turns the agent's questions and the forms of MCP servers into forms, and the given values into their responses. */
import { parse } from "../../lib/schema.ts";
import { spelledLine, spelledOut } from "../../lib/terminal-text.ts";
import {
  type McpElicitationPrimitiveSchema,
  McpElicitationSchema,
  type McpServerElicitationRequestParams,
} from "../../protocol/elicitation.ts";
import type { ToolRequestUserInputParams, ToolRequestUserInputResponse } from "../../protocol/user-input.ts";
import type { Approval } from "./approval.ts";
import { createForm, type Field, type Form, type Given, type Option } from "./form.ts";

export function questionsForm({ questions }: ToolRequestUserInputParams): Form {
  const fields = questions.map((question): Field => {
    const options = (question.options ?? []).map(
      ({ label, description }): Option => ({
        value: label,
        label: spelledLine(label),
        description: description === label ? "" : spelledLine(description ?? ""),
      }),
    );
    const isMulti = question.multiple === true || question.type === "multi_choice";
    return {
      id: question.id,
      header: spelledLine(question.header),
      question: spelledOut(question.question || question.text || ""),
      detail: "",
      type: options.length === 0 ? "text" : isMulti ? "multi" : "choice",
      options,
      allowOther: question.isOther === true || question.allowOther === true,
      isSecret: question.isSecret === true,
      isRequired: true,
    };
  });
  return createForm(fields.length === 1 ? fields[0]?.header || "Question" : "Questions", fields);
}

export function questionsAnswer(given: Given): ToolRequestUserInputResponse {
  return { answers: Object.fromEntries(Object.entries(given).map(([id, answers]) => [id, { answers: [...answers] }])) };
}

/** A form to fill in, a page to open, or neither: then it can only be declined. */
export type Elicitation = Form | Approval | { readonly kind: "unknown"; readonly mode: string };

export function elicitationPrompt(params: McpServerElicitationRequestParams): Elicitation {
  const server = spelledLine(params.serverName);
  switch (params.mode) {
    case "form":
    case "openai/form":
    case "openaiForm": {
      const schema = parse(McpElicitationSchema, params.requestedSchema);
      if (schema === undefined) return { kind: "unknown", mode: params.mode };
      return elicitationForm(`${server} asks: ${spelledOut(params.message)}`, schema);
    }
    case "url":
      return pageApproval(`${server} asks you to open a page`, [
        ["page", spelledLine(params.url)],
        ["why", spelledOut(params.message)],
      ]);
    case "openai/userVerification":
      return pageApproval(`${server}: ${spelledLine(params.title)}`, [["asks", spelledOut(params.description)]]);
    default:
      return { kind: "unknown", mode: String((params as { mode?: unknown }).mode) };
  }
}

function pageApproval(title: string, rows: readonly (readonly [string, string])[]): Approval {
  return {
    kind: "approval",
    title,
    subject: { kind: "rows", rows },
    choices: [
      { key: "y", label: "Yes, done or agreed", answer: { action: "accept" } },
      { key: "n", label: "No", answer: { action: "decline" } },
      { key: "c", label: "Not now", answer: { action: "cancel" } },
    ],
    selected: 0,
  };
}

function elicitationForm(title: string, schema: McpElicitationSchema): Form | Approval {
  const fields = Object.entries(schema.properties).map(([id, property]) => fieldOf(id, property, schema.required ?? []));
  if (fields.length === 0) return pageApproval(title, []);
  const defaults = Object.entries(schema.properties).flatMap(([id, { default: value }]) =>
    value === null || value === undefined ? [] : [[id, Array.isArray(value) ? value : [String(value)]] as const],
  );
  return createForm(title, fields, Object.fromEntries(defaults));
}

function fieldOf(id: string, property: McpElicitationPrimitiveSchema, required: readonly string[]): Field {
  const options = optionsOf(property);
  const base = {
    id,
    header: spelledLine(id),
    question: spelledOut(property.title ?? id),
    detail: spelledOut(property.description ?? ""),
    allowOther: false,
    isSecret: "format" in property && (property.format as string) === "password",
    isRequired: required.includes(id),
    options,
  };
  if (property.type === "array") return { ...base, type: "multi" };
  if (options.length > 0) return { ...base, type: property.type === "boolean" ? "boolean" : "choice" };
  if (property.type === "number" || property.type === "integer") return { ...base, type: property.type, check: numberCheck(property) };
  return { ...base, type: "text", check: textCheck(property) };
}

function optionsOf(property: McpElicitationPrimitiveSchema): Option[] {
  const made = (value: string, label: string): Option => ({ value, label: spelledLine(label), description: "" });
  if (property.type === "boolean") return [made("true", "Yes"), made("false", "No")];
  if (property.type === "array") {
    const { items } = property;
    return "anyOf" in items ? items.anyOf.map((o) => made(o.const, o.title)) : items.enum.map((value) => made(value, value));
  }
  if ("oneOf" in property) return property.oneOf.map((o) => made(o.const, o.title));
  if (!("enum" in property)) return [];
  const names = "enumNames" in property ? (property.enumNames ?? []) : [];
  return property.enum.map((value, i) => made(value, names[i] ?? value));
}

type NumberProperty = Extract<McpElicitationPrimitiveSchema, { type: "number" | "integer" }>;

function numberCheck({ type, minimum, maximum }: NumberProperty): (text: string) => string | undefined {
  return (text) => {
    const number = Number(text.trim());
    if (!Number.isFinite(number)) return "This must be a number";
    if (type === "integer" && !Number.isInteger(number)) return "This must be a whole number";
    if (typeof minimum === "number" && number < minimum) return `This must be at least ${minimum}`;
    return typeof maximum === "number" && number > maximum ? `This must be at most ${maximum}` : undefined;
  };
}

function textCheck(property: McpElicitationPrimitiveSchema): (text: string) => string | undefined {
  const { minLength, maxLength, format } = property as { minLength?: number | null; maxLength?: number | null; format?: string | null };
  const forms: Readonly<Record<string, readonly [RegExp, string]>> = {
    email: [/^[^\s@]+@[^\s@]+$/, "This must be an e-mail address"],
    uri: [/^[a-z][a-z0-9+.-]*:\S+$/i, "This must be an address such as https://…"],
    date: [/^\d{4}-\d{2}-\d{2}$/, "This must be a date such as 2026-01-31"],
    "date-time": [/^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}/, "This must be a date and time such as 2026-01-31T12:00:00Z"],
  };
  return (text) => {
    if (typeof minLength === "number" && text.length < minLength) return `This must have at least ${minLength} characters`;
    if (typeof maxLength === "number" && text.length > maxLength) return `This must have at most ${maxLength} characters`;
    const form = format ? forms[format] : undefined;
    return form !== undefined && !form[0].test(text.trim()) ? form[1] : undefined;
  };
}

/** The values in the types that the form requires. */
export function elicitationAnswer(form: Form, given: Given): { readonly action: "accept"; readonly content: Record<string, unknown> } {
  const content = form.fields.flatMap(({ id, type }): [string, unknown][] => {
    const values = given[id];
    if (values === undefined) return [];
    const [value = ""] = values;
    if (type === "multi") return [[id, [...values]]];
    if (type === "boolean") return [[id, value === "true"]];
    return [[id, type === "number" || type === "integer" ? Number(value.trim()) : value]];
  });
  return { action: "accept", content: Object.fromEntries(content) };
}
