/** Which part of a request needs `capabilities.experimentalApi`. Serves server/dispatch.ts. */
import type { Gate, Request } from "./define.ts";

/** A client of the current generation, or of the documents' (0.92 to 0.99), which gated far less. */
export type Generation = "current" | "documents";

/** The name to put before "requires experimentalApi capability", or undefined if nothing in the request needs it. Params have been validated. */
export function experimentalPart(method: string, row: Request, params: unknown, generation: Generation): string | undefined {
  const isGated = (gate: Gate | undefined): boolean => gate === true || (gate === "current" && generation === "current");
  if (isGated(row.experimental)) return method;
  const given = params as Readonly<Record<string, unknown>>;
  for (const [field, gate] of Object.entries(row.experimentalFields ?? {}))
    if (isGated(gate) && isUsed(given[field], generation)) return `${method}.${field}`;
  return isGranular(given["approvalPolicy"]) ? "askForApproval.granular" : undefined;
}

/** Null, false and absence mean "not used". An empty list means that only for 0.98: 0.166 refuses it too. */
function isUsed(value: unknown, generation: Generation): boolean {
  if (value === undefined || value === null || value === false) return false;
  return generation === "current" || !Array.isArray(value) || value.length > 0;
}

const isGranular = (policy: unknown): boolean => typeof policy === "object" && policy !== null && "granular" in policy;
