/** Parses scenario files of the scripted model, with errors that name the position. The format is in docs/scripted-model.md. */

import { errorMessage } from "../lib/error-text.ts";
import { invalidRequest } from "../protocol/errors.ts";
import { isRecord, type Json, numberOf } from "./json.ts";

export interface Scenario {
  readonly name: string;
  /** Milliseconds between the chunks of a text. */
  readonly pace: number;
  /** Start again after the last turn. */
  readonly loop: boolean;
  /** Requests for a structured answer get the simplest value of their schema, and do not use up a step. */
  readonly sampleSchemas: boolean;
  readonly turns: readonly ScenarioTurn[];
}

export interface ScenarioTurn {
  /** Plays whenever the user's text matches; a turn without it plays once, in its place. */
  readonly user: RegExp | undefined;
  readonly steps: readonly Step[];
}

export type Step = { readonly at: string } & (
  | {
      readonly kind: "say";
      readonly text: string;
      readonly deltas: number | undefined;
      readonly phase: "commentary" | "final_answer" | undefined;
    }
  | { readonly kind: "reason"; readonly summary: readonly string[]; readonly raw: readonly string[] }
  | {
      readonly kind: "call";
      readonly tool: string;
      readonly namespace: string | undefined;
      readonly input: Json | string;
      readonly id: string | undefined;
    }
  | { readonly kind: "run"; readonly command: string; readonly options: Json; readonly id: string | undefined }
  | { readonly kind: "patch"; readonly patch: string; readonly id: string | undefined }
  | { readonly kind: "search"; readonly query: string }
  | { readonly kind: "pause"; readonly ms: number }
  | { readonly kind: "pace"; readonly ms: number }
  | { readonly kind: "usage"; readonly usage: Json }
  | { readonly kind: "warn"; readonly message: string }
  | { readonly kind: "fail"; readonly failure: Json }
  /** `text` is what was streamed of a message when the stream breaks off. */
  | { readonly kind: "disconnect"; readonly text: string | undefined }
  | { readonly kind: "expect"; readonly expect: Expectation }
);

export interface Expectation {
  readonly user?: RegExp;
  readonly output?: RegExp;
  readonly instructions?: RegExp;
  readonly model?: RegExp;
  readonly tools?: readonly string[];
  readonly images?: number;
}

/** Throws RpcError that says where the file is invalid and what was expected. `source` is the file's name. */
export function scenarioFromValue(value: unknown, source: string): Scenario {
  const fail = failer(source);
  if (!isRecord(value)) throw fail("", "expected a map with `turns`");
  only(value, ["name", "description", "pace", "loop", "sample_schemas", "turns"], "", fail);
  const turns = value["turns"];
  if (!Array.isArray(turns) || turns.length === 0) throw fail("turns", "expected a list with at least one turn");
  return {
    name: typeof value["name"] === "string" ? value["name"] : source,
    pace: milliseconds(value["pace"] ?? 0, "pace", fail),
    loop: value["loop"] === true,
    sampleSchemas: value["sample_schemas"] === true,
    turns: turns.map((turn, i) => turnFromValue(turn, `turns[${i}]`, fail)),
  };
}

type Fail = (where: string, what: string) => Error;
const failer =
  (source: string): Fail =>
  (where, what) =>
    invalidRequest(`scenario ${source}: ${where === "" ? "" : `${where}: `}${what}`);

function turnFromValue(value: unknown, at: string, fail: Fail): ScenarioTurn {
  // a bare list is a turn that answers whatever the user says
  const turn = Array.isArray(value) ? { steps: value } : value;
  if (!isRecord(turn)) throw fail(at, "expected a map with `steps`, or a list of steps");
  only(turn, ["user", "steps", "description"], at, fail);
  const steps = turn["steps"];
  if (!Array.isArray(steps) || steps.length === 0) throw fail(`${at}.steps`, "expected a list with at least one step");
  return {
    user: turn["user"] === undefined ? undefined : pattern(turn["user"], `${at}.user`, fail),
    steps: steps.map((step, i) => stepFromValue(step, `${at}.steps[${i}]`, fail)),
  };
}

type StepReader = (value: unknown, step: Json, at: string, fail: Fail) => Step;

/** Step name → the other fields it may have, and its parser. */
const stepKinds: Readonly<Record<string, { readonly fields: readonly string[]; readonly read: StepReader }>> = {
  say: {
    fields: ["deltas", "phase"],
    read: (value, step, at, fail) => ({
      kind: "say",
      at,
      text: text(value, `${at}.say`, fail),
      deltas: step["deltas"] === undefined ? undefined : milliseconds(step["deltas"], `${at}.deltas`, fail),
      phase: step["phase"] === "commentary" || step["phase"] === "final_answer" ? step["phase"] : undefined,
    }),
  },
  reason: {
    fields: ["raw"],
    read: (value, step, at, fail) => ({
      kind: "reason",
      at,
      summary: texts(value, `${at}.reason`, fail),
      raw: texts(step["raw"], `${at}.raw`, fail),
    }),
  },
  call: {
    fields: ["with", "id", "namespace"],
    read: (value, step, at, fail) => {
      const input = step["with"] ?? {};
      if (!isRecord(input) && typeof input !== "string")
        throw fail(`${at}.with`, "expected a map of arguments, or the raw text of the call");
      const namespace = typeof step["namespace"] === "string" ? step["namespace"] : undefined;
      return { kind: "call", at, tool: text(value, `${at}.call`, fail), namespace, input, id: idOf(step) };
    },
  },
  run: {
    fields: ["with", "id"],
    read: (value, step, at, fail) => {
      const options = step["with"] ?? {};
      if (!isRecord(options)) throw fail(`${at}.with`, "expected a map of further arguments");
      return { kind: "run", at, command: text(value, `${at}.run`, fail), options, id: idOf(step) };
    },
  },
  patch: {
    fields: ["id"],
    read: (value, step, at, fail) => ({ kind: "patch", at, patch: text(value, `${at}.patch`, fail), id: idOf(step) }),
  },
  plan: { fields: ["explanation", "id"], read: planStep },
  ask: { fields: ["options", "header", "id"], read: askStep },
  search: { fields: [], read: (value, _step, at, fail) => ({ kind: "search", at, query: text(value, `${at}.search`, fail) }) },
  pause: { fields: [], read: (value, _step, at, fail) => ({ kind: "pause", at, ms: milliseconds(value, `${at}.pause`, fail) }) },
  pace: { fields: [], read: (value, _step, at, fail) => ({ kind: "pace", at, ms: milliseconds(value, `${at}.pace`, fail) }) },
  warn: { fields: [], read: (value, _step, at, fail) => ({ kind: "warn", at, message: text(value, `${at}.warn`, fail) }) },
  disconnect: { fields: [], read: (value, _step, at) => ({ kind: "disconnect", text: typeof value === "string" ? value : undefined, at }) },
  usage: {
    fields: [],
    read: (value, _step, at, fail) => {
      if (!isRecord(value)) throw fail(`${at}.usage`, "expected a map: input, cached, output, reasoning");
      return { kind: "usage", at, usage: value };
    },
  },
  fail: {
    fields: [],
    read: (value, _step, at, fail) => {
      const failure = typeof value === "string" ? { kind: value } : value;
      if (!isRecord(failure)) throw fail(`${at}.fail`, "expected a kind of failure, or a map: kind, message, status, retry");
      return { kind: "fail", at, failure };
    },
  },
  expect: { fields: [], read: (value, _step, at, fail) => ({ kind: "expect", at, expect: expectation(value, `${at}.expect`, fail) }) },
};

function stepFromValue(value: unknown, at: string, fail: Fail): Step {
  // "- say only this" is the shortest step
  const step = typeof value === "string" ? (value === "disconnect" ? { disconnect: true } : { say: value }) : value;
  if (!isRecord(step)) throw fail(at, "expected a text or a map");
  const name = Object.keys(step).find((key) => Object.hasOwn(stepKinds, key));
  const kind = name === undefined ? undefined : stepKinds[name];
  if (name === undefined || kind === undefined)
    throw fail(at, `unknown step \`${Object.keys(step).join(", ")}\`; expected one of ${Object.keys(stepKinds).join(", ")}`);
  only(step, [name, ...kind.fields], at, fail);
  return kind.read(step[name], step, at, fail);
}

function planStep(value: unknown, step: Json, at: string, fail: Fail): Step {
  if (!Array.isArray(value)) throw fail(`${at}.plan`, "expected a list of steps");
  const plan = value.map((entry, i) => {
    const row = typeof entry === "string" ? { step: entry } : entry;
    if (!isRecord(row)) throw fail(`${at}.plan[${i}]`, "expected a text, or a map: step, status");
    return { step: text(row["step"], `${at}.plan[${i}].step`, fail), status: row["status"] ?? "pending" };
  });
  const explanation = typeof step["explanation"] === "string" ? { explanation: step["explanation"] } : {};
  return { kind: "call", at, tool: "update_plan", namespace: undefined, input: { ...explanation, plan }, id: idOf(step) };
}

function askStep(value: unknown, step: Json, at: string, fail: Fail): Step {
  const questions = Array.isArray(value)
    ? value
    : [{ id: "answer", header: step["header"] ?? "Question", question: text(value, `${at}.ask`, fail), options: step["options"] ?? [] }];
  const whole = questions.map((question, i) => {
    if (!isRecord(question)) throw fail(`${at}.ask[${i}]`, "expected a map: id, header, question, options");
    const options = Array.isArray(question["options"]) ? question["options"] : [];
    return { ...question, options: options.map((o) => (typeof o === "string" ? { label: o, description: o } : o)) };
  });
  return { kind: "call", at, tool: "request_user_input", namespace: undefined, input: { questions: whole }, id: idOf(step) };
}

function expectation(value: unknown, at: string, fail: Fail): Expectation {
  if (!isRecord(value)) throw fail(at, "expected a map: user, output, instructions, model, tools, images");
  only(value, ["user", "output", "instructions", "model", "tools", "images"], at, fail);
  const out: Record<string, unknown> = {};
  for (const key of ["user", "output", "instructions", "model"])
    if (value[key] !== undefined) out[key] = pattern(value[key], `${at}.${key}`, fail);
  if (value["tools"] !== undefined) out["tools"] = texts(value["tools"], `${at}.tools`, fail);
  if (value["images"] !== undefined) out["images"] = milliseconds(value["images"], `${at}.images`, fail);
  return out;
}

/** A text that must occur, or a regular expression between slashes. */
function pattern(value: unknown, at: string, fail: Fail): RegExp {
  const source = text(value, at, fail);
  const regex = /^\/(.*)\/([ims]*)$/s.exec(source);
  try {
    return regex === null ? new RegExp(source.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "i") : new RegExp(regex[1] ?? "", regex[2]);
  } catch (error) {
    throw fail(at, `not a regular expression: ${errorMessage(error)}`);
  }
}

function text(value: unknown, at: string, fail: Fail): string {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  throw fail(at, "expected a text");
}

function texts(value: unknown, at: string, fail: Fail): readonly string[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value.map((v, i) => text(v, `${at}[${i}]`, fail)) : [text(value, at, fail)];
}

function milliseconds(value: unknown, at: string, fail: Fail): number {
  const number = numberOf(value);
  if (number === undefined || number < 0) throw fail(at, "expected a number of at least 0");
  return number;
}

const idOf = (step: Json): string | undefined => (typeof step["id"] === "string" ? step["id"] : undefined);

function only(value: Json, allowed: readonly string[], at: string, fail: Fail): void {
  const unknown = Object.keys(value).find((key) => !allowed.includes(key));
  if (unknown !== undefined) throw fail(at, `unknown key \`${unknown}\`; expected ${allowed.join(", ")}`);
}
