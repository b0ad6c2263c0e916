/** From a message to a handler: checks that the method is known, initialized and allowed, that the params are valid, and keeps the order; then runs it. */
import { problem } from "../lib/schema.ts";
import type { Request } from "../protocol/define.ts";
import { invalidRequest } from "../protocol/errors.ts";
import { findRow, requireRow, unknownMethod } from "../protocol/find-row.ts";
import { experimentalPart } from "../protocol/gate.ts";
import { v1Requests } from "../protocol/v1/methods.ts";
import type { Call } from "./app.ts";
import { handlers } from "./handlers.ts";
import { initializeHandlers } from "./initialize.ts";
import { threadHandlers } from "./thread.ts";
import { threadListHandlers } from "./thread-list.ts";
import { turnHandlers } from "./turn.ts";

type AnyHandler = (params: unknown, call: Call) => unknown;
/** Most sessions begin with these: they are served without loading all others. */
export const firstHandlers = { ...initializeHandlers, ...threadHandlers, ...threadListHandlers, ...turnHandlers };

export function dispatch(method: string, given: unknown, call: Call): unknown {
  const found = findRow(method);
  if (found.kind === "unknown") throw unknownMethod(method);
  if (method !== "initialize" && !call.session.initialized) throw invalidRequest("Not initialized");
  const row = requireRow(method);
  const params = readParams(row, given);
  refuseExperimental(method, row, params, call);
  warnOfNoEffect(method, row, params, call);
  const isFirst = Object.hasOwn(firstHandlers, method);
  const handler = ((isFirst ? firstHandlers : handlers) as Readonly<Record<string, AnyHandler>>)[method];
  if (handler === undefined) throw invalidRequest(`${method} is not available in this build`);
  // the v1 methods call current ones, which keep the order themselves
  const key = !isFirst && Object.hasOwn(v1Requests, method) ? undefined : row.order?.(params);
  const start = (): unknown => handler(params, call);
  if (key === undefined) return start();
  if (row.alone === undefined) return call.app.runs.run(key, start);
  const started = call.app.runs.runAlone(`${method} ${key}`, key, start);
  if (started === undefined) throw invalidRequest(row.alone);
  return started.result;
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

/** Warns about accepted fields that have no effect, so that no client relies on them. */
function warnOfNoEffect(method: string, { noEffect }: Request, params: unknown, { session, after }: Call): void {
  if (noEffect === undefined) return;
  for (const [name, value] of Object.entries(params as Readonly<Record<string, unknown>>)) {
    const why = Object.hasOwn(noEffect, name) && isAsked(value) ? noEffect[name] : undefined;
    const message = `${method}: \`${name}\` has no effect here: ${why}`;
    if (why === undefined || session.warned.has(message)) continue;
    session.warned.add(message);
    after(() => session.notify("warning", { threadId: null, message }));
  }
}

/** Null, false and empty values request nothing. */
const isAsked = (value: unknown): boolean =>
  typeof value === "object" && value !== null ? Object.keys(value).length > 0 : value !== undefined && value !== null && value !== false;
