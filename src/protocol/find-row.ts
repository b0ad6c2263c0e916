/** From the name of a method to its row, or to the words with which it is refused. Serves server/dispatch.ts. */
import type { Request } from "./define.ts";
import { invalidRequest, type RpcError } from "./errors.ts";
import { clientRequests } from "./methods.ts";
import { refusalOf } from "./unsupported.ts";

/** What is known of a method's name. Only a name of the tables is found, never one of Object.prototype. */
export type FoundRow =
  | { readonly kind: "row"; readonly row: Request }
  | { readonly kind: "unsupported"; readonly words: string }
  | { readonly kind: "unknown" };

export function findRow(method: string): FoundRow {
  const table: Readonly<Record<string, Request>> = clientRequests;
  const row = Object.hasOwn(table, method) ? table[method] : undefined;
  if (row !== undefined) return { kind: "row", row };
  const words = refusalOf(method);
  return words === undefined ? { kind: "unknown" } : { kind: "unsupported", words };
}

/** The row of a method that this build serves. Throws what the client is to be told otherwise. */
export function requireRow(method: string): Request {
  const found = findRow(method);
  if (found.kind === "unknown") throw unknownMethod(method);
  if (found.kind === "unsupported") throw invalidRequest(found.words);
  return found.row;
}

const maxQuoted = 200;

/** Codex reports an unknown method as a fault of the request, with every name it knows; it does so even before `initialize`. */
export function unknownMethod(method: string): RpcError {
  const known = Object.keys(clientRequests).map((name) => `\`${name}\``);
  const name = method.length > maxQuoted ? `${method.slice(0, maxQuoted)}…` : method;
  return invalidRequest(`Invalid request: unknown variant \`${name}\`, expected one of ${known.join(", ")}`);
}
