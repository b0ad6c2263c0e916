/** From a message to a handler: known? initialized? allowed? params fit? in order? Then run. */
import { problem } from "../lib/schema.ts";
import type { Request } from "../protocol/define.ts";
import { invalidRequest } from "../protocol/errors.ts";
import { findRow, requireRow, unknownMethod } from "../protocol/find-row.ts";
import { experimentalPart } from "../protocol/gate.ts";
import { v1Requests } from "../protocol/v1/methods.ts";
import type { Call } from "./app.ts";
import { handlers } from "./handlers.ts";

type AnyHandler = (params: unknown, call: Call) => unknown;

export function dispatch(method: string, given: unknown, call: Call): unknown {
  const found = findRow(method);
  if (found.kind === "unknown") throw unknownMethod(method);
  if (method !== "initialize" && !call.session.initialized) throw invalidRequest("Not initialized");
  const row = requireRow(method);
  const params = readParams(row, given);
  refuseExperimental(method, row, params, call);
  tellOfNoEffect(method, row, params, call);
  const handler = (handlers as Readonly<Record<string, AnyHandler>>)[method];
  if (handler === undefined) throw invalidRequest(`${method} is not available in this build`);
  // the older methods call today's, which keep the order themselves
  const key = Object.hasOwn(v1Requests, method) ? undefined : row.order?.(params);
  return key === undefined ? handler(params, call) : call.app.runs.run(key, () => handler(params, call));
}

/** Missing and null params count as `{}`, so that the documents' own examples work. */
function readParams(row: Request, given: unknown): unknown {
  const plain = given ?? {};
  const isObject = typeof plain === "object" && !Array.isArray(plain);
  const params = row.accept !== undefined && isObject ? row.accept(plain as Record<string, unknown>) : plain;
  const wrong = problem(row.params(), params);
  if (wrong !== undefined) throw invalidRequest(`Invalid request: ${wrong}`);
  return params;
}

function refuseExperimental(method: string, row: Request, params: unknown, { session }: Call): void {
  const part = session.experimental
    ? undefined
    : experimentalPart(method, row, params, session.dialect === "0.166" ? "current" : "documents");
  if (part !== undefined) throw invalidRequest(`${part} requires experimentalApi capability`);
}

/** What is taken and changes nothing is said, so that no client believes it done. */
function tellOfNoEffect(method: string, { noEffect }: Request, params: unknown, { session, after }: Call): void {
  if (noEffect === undefined) return;
  for (const [name, value] of Object.entries(params as Readonly<Record<string, unknown>>)) {
    const why = Object.hasOwn(noEffect, name) && isAsked(value) ? noEffect[name] : undefined;
    const message = `${method}: \`${name}\` has no effect here: ${why}`;
    if (why === undefined || session.told.has(message)) continue;
    session.told.add(message);
    after(() => session.notify("warning", { threadId: null, message }));
  }
}

/** Null, false and the empty ask for nothing. */
const isAsked = (value: unknown): boolean =>
  typeof value === "object" && value !== null ? Object.keys(value).length > 0 : value !== undefined && value !== null && value !== false;
