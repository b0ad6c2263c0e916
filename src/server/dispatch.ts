/** From a message to a handler: known? initialized? allowed? params fit? in order? Then run. */
import { problem } from "../lib/schema.ts";
import type { Later, Request } from "../protocol/define.ts";
import { invalidRequest } from "../protocol/errors.ts";
import { clientRequests } from "../protocol/methods.ts";
import type { Call } from "./app.ts";
import { handlers } from "./handlers.ts";

type Row = Request | Later;
type AnyHandler = (params: unknown, call: Call) => unknown;

export function dispatch(method: string, given: unknown, call: Call): unknown {
  const row = findRow(method);
  if (row === undefined)
    throw invalidRequest(`Invalid request: unknown variant \`${method.slice(0, 200)}\`, expected one of ${knownMethods()}`);
  if (method !== "initialize" && !call.session.initialized) throw invalidRequest("Not initialized");
  if ("later" in row) throw invalidRequest(`${method} is not available in this build`);
  refuseExperimental(method, row, call);
  const params = readParams(row, given);
  refuseExperimentalFields(method, row, params, call);
  const handler = (handlers as Record<string, AnyHandler>)[method];
  if (handler === undefined) throw invalidRequest(`${method} is not available in this build`);
  const key = row.order?.(params);
  return key === undefined ? handler(params, call) : call.app.runs.run(key, () => handler(params, call));
}

function findRow(method: string): Row | undefined {
  return Object.hasOwn(clientRequests, method) ? (clientRequests as Record<string, Row>)[method] : undefined;
}

const knownMethods = (): string =>
  Object.keys(clientRequests)
    .map((name) => `\`${name}\``)
    .join(", ");

/** Missing and null params count as `{}`, so that the documents' own examples work. */
function readParams(row: Request, given: unknown): unknown {
  const plain = given ?? {};
  const isObject = typeof plain === "object" && !Array.isArray(plain);
  const params = row.accept !== undefined && isObject ? row.accept(plain as Record<string, unknown>) : plain;
  const wrong = problem(row.params(), params);
  if (wrong !== undefined) throw invalidRequest(`Invalid request: ${wrong}`);
  return params;
}

const gates = (gate: true | "current" | undefined, call: Call): boolean =>
  gate !== undefined && !call.session.experimental && (gate === true || call.session.dialect === "0.166");

function refuseExperimental(method: string, row: Request, call: Call): void {
  if (gates(row.experimental, call)) throw invalidRequest(`${method} requires experimentalApi capability`);
}

function refuseExperimentalFields(method: string, row: Request, params: unknown, call: Call): void {
  for (const [field, gate] of Object.entries(row.experimentalFields ?? {})) {
    const value = (params as Record<string, unknown>)[field];
    const isSet = value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0);
    if (isSet && gates(gate, call)) throw invalidRequest(`${method}.${field} requires experimentalApi capability`);
  }
}
