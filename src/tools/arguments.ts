/** Parses a call's arguments by the tool's schema. Common mistakes of weak models are repaired first; other errors go to the model with the schema. */

import { coerced } from "../lib/coerce.ts";
import { isRecord } from "../lib/is-record.ts";
import { repairJson } from "../lib/repair-json.ts";
import { type Infer, type JsonSchema, jsonSchema, type Lazy, problem, type Schema } from "../lib/schema.ts";

export interface Slips {
  /** Alternative argument names, each with the real one: `{ command: "cmd" }`. */
  readonly otherNames?: Readonly<Record<string, string>>;
  /** The tool's own repairs, before types are converted. */
  readonly adapt?: (args: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;
}

export type Read<T> = { readonly args: T } | { readonly wrong: string };

/** Valid arguments are used unchanged. The repaired form is what the person is asked about: nothing later looks at the raw call. */
export function readArguments<T extends Schema>(schema: Lazy<T>, value: unknown, slips: Slips = {}): Read<Infer<Lazy<T>>> {
  const shape = jsonSchema(schema());
  const given = asObject(value, shape);
  const named = isRecord(given) ? renamed(given, shape, slips.otherNames ?? {}) : given;
  const args = coerced(shape, isRecord(named) && slips.adapt !== undefined ? slips.adapt(named) : named);
  const wrong = problem(schema(), args);
  return wrong === undefined ? { args: args as Infer<Lazy<T>> } : { wrong };
}

const wrappers = ["arguments", "parameters", "args", "input", "kwargs"];

/** Recovers the arguments object from other forms: its JSON text, the only argument on its own, or an extra object around it. */
function asObject(value: unknown, shape: JsonSchema): unknown {
  const { properties = {}, required = [] } = shape;
  if (typeof value === "string") {
    const read = /^\s*[{`]/.test(value) ? repairJson(value)?.value : undefined;
    if (isRecord(read)) return asObject(read, shape);
  }
  const [only] = required;
  const isBare = typeof value === "string" || Array.isArray(value);
  if (!isRecord(value)) return isBare && required.length === 1 && only !== undefined ? { [only]: value } : value;
  const keys = Object.keys(value);
  if (keys.some((key) => Object.hasOwn(properties, key))) return value;
  const wrapper = wrappers.find((key) => keys.includes(key) && keys.every((other) => other === key || other === "name"));
  if (wrapper === undefined) return value;
  const inside = typeof value[wrapper] === "string" ? (repairJson(value[wrapper])?.value ?? value[wrapper]) : value[wrapper];
  return isRecord(inside) ? inside : value;
}

/** Arguments under their real names, where the model used an alternative name or different case. */
function renamed(
  args: Readonly<Record<string, unknown>>,
  { properties = {} }: JsonSchema,
  otherNames: Readonly<Record<string, string>>,
): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  const rest: [string, unknown][] = [];
  for (const [key, value] of Object.entries(args)) {
    if (Object.hasOwn(properties, key)) out[key] = value;
    else rest.push([key, value]);
  }
  for (const [key, value] of rest) {
    const plain = key
      .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
      .replaceAll("-", "_")
      .toLowerCase();
    const own = Object.hasOwn(properties, plain) ? plain : Object.hasOwn(otherNames, plain) ? otherNames[plain] : undefined;
    const name = own !== undefined && !Object.hasOwn(out, own) ? own : key;
    Object.defineProperty(out, name, { value, enumerable: true, configurable: true, writable: true });
  }
  return out;
}

/** The arguments with one of them changed, if it is present. */
export const changed = (
  args: Readonly<Record<string, unknown>>,
  name: string,
  change: (value: unknown) => unknown,
): Readonly<Record<string, unknown>> => (Object.hasOwn(args, name) ? { ...args, [name]: change(args[name]) } : args);
