/** Defensive access to JSON from a provider: every field may be missing or of another type. */

export type Json = { readonly [key: string]: unknown };

export const isRecord = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value);
const nothing: Json = Object.freeze({});
/** The value if it is an object, else an empty one, so that reads can be chained. */
export const recordOf = (value: unknown): Json => (isRecord(value) ? value : nothing);
export const stringOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
/** A finite number, also when given as text (as in headers). */
export function numberOf(value: unknown): number | undefined {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}
/** A token count: never negative, never a fraction. */
export const countOf = (value: unknown): number => Math.max(0, Math.round(numberOf(value) ?? 0));

export { parseJson } from "../lib/parse-json.ts";
