/** Finds a method's row by name, or the error message for an unavailable method. Serves server/dispatch.ts. */
import type { Request } from "./define.ts";
import { invalidRequest, type RpcError } from "./errors.ts";
import { initializeRequests } from "./initialize.ts";
import { clientRequests } from "./methods.ts";
import { threadRequests } from "./thread.ts";
import { threadListRequests } from "./thread-list.ts";
import { turnRequests } from "./turn.ts";
import { refusalOf } from "./unsupported.ts";

/** Most sessions begin with these: they are found without loading the tables of all others. */
const firstRequests: Readonly<Record<string, Request>> = {
  ...initializeRequests,
  ...threadRequests,
  ...threadListRequests,
  ...turnRequests,
};

/** The result of looking up a method. Only names in the tables are found, never those of Object.prototype. */
export type FoundRow =
  | { readonly kind: "row"; readonly row: Request }
  | { readonly kind: "unsupported"; readonly error: RpcError }
  | { readonly kind: "unknown" };

export function findRow(method: string): FoundRow {
  const table: Readonly<Record<string, Request>> = Object.hasOwn(firstRequests, method) ? firstRequests : clientRequests;
  const row = Object.hasOwn(table, method) ? table[method] : undefined;
  if (row !== undefined) return { kind: "row", row };
  const error = refusalOf(method);
  return error === undefined ? { kind: "unknown" } : { kind: "unsupported", error };
}

/** The row of a method that this build serves. Otherwise throws the error for the client. */
export function requireRow(method: string): Request {
  const found = findRow(method);
  if (found.kind === "unknown") throw unknownMethod(method);
  if (found.kind === "unsupported") throw found.error;
  return found.row;
}

const maxQuoted = 200;

/** Codex reports an unknown method as an invalid request, with every name it knows, even before `initialize`. */
export function unknownMethod(method: string): RpcError {
  const known = Object.keys(clientRequests).map((name) => `\`${name}\``);
  const name = method.length > maxQuoted ? `${method.slice(0, maxQuoted)}…` : method;
  return invalidRequest(`Invalid request: unknown variant \`${name}\`, expected one of ${known.join(", ")}`);
}
