/** Holds what an engine of another process says against the protocol, before anything of the manager acts on it. */
import { type Lazy, problem } from "../lib/schema.ts";
import { serverNotifications, serverRequests } from "../protocol/methods.ts";

type Rows = Readonly<Record<string, { readonly params: Lazy }>>;

/** No method of any generation is nearly as long. */
const maxMethod = 200;

/** Why a message is not taken; undefined takes it. What a newer engine may have added, methods and fields, is let through. */
export function misfit(kind: "notification" | "request", method: string, params: unknown): string | undefined {
  if (method.length > maxMethod) return `a method of ${method.length} characters`;
  const rows: Rows = kind === "notification" ? serverNotifications : serverRequests;
  const row = Object.hasOwn(rows, method) ? rows[method] : undefined;
  return row === undefined ? undefined : problem(row.params(), params);
}
