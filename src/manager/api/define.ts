/** The shape of one row of the manager's route table, and the types derived from a row. */
import type { Infer, Lazy, Schema } from "../../lib/schema.ts";

/** Permissions of a caller. Each scope includes the ones before it. */
export const scopes = ["read", "approve", "drive", "admin"] as const;
export type Scope = (typeof scopes)[number];

export type Method = "GET" | "POST" | "DELETE";
export type RouteKey = `${Method} /${string}`;

export interface Route {
  /** A one-line description; the OpenAPI summary. */
  readonly summary: string;
  /** The scope that the caller's token needs; null means that no sign-in is required. */
  readonly scope: Scope | null;
  readonly query?: Lazy;
  /** JSON body. A POST without one accepts and ignores an empty object. */
  readonly body?: Lazy;
  /** Every status that the route itself can return, with its body. */
  readonly answers: Readonly<Record<number, Lazy>>;
  /** The response is a stream or a file, not JSON. */
  readonly media?: "application/x-ndjson" | "text/event-stream" | "text/html" | "websocket";
}

type ParamNames<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParamNames<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;
/** The named segments of the path: `"GET /api/sessions/:sessionId"` gives `{ sessionId: string }`. */
export type PathOf<Key extends string> = { readonly [Name in ParamNames<Key>]: string };
export type QueryOf<Row> = Row extends { query: Lazy<infer S> } ? Infer<Lazy<S>> : Record<never, never>;
export type BodyOf<Row> = Row extends { body: Lazy<infer S> } ? Infer<Lazy<S>> : undefined;
export type AnswerOf<Row, Status extends number> = Row extends { answers: infer A }
  ? Status extends keyof A
    ? A[Status] extends Lazy<infer S>
      ? Infer<Lazy<S>>
      : never
    : never
  : never;

/** Preserves the exact type of a row. */
export const route = <const R extends Route>(row: R): R => row;

/** Adds JSON Schema limits (maxLength, maxItems, minimum …) to a schema. */
export const bounded = <S extends Schema>(
  schema: S,
  limits: { minLength?: number; maxLength?: number; minItems?: number; maxItems?: number; minimum?: number; maximum?: number },
): S => ({ ...schema, ...limits });

/** Adds a pattern to a string's schema; it only documents the format and shapes generated types, the validation is still that of a string. */
export const withPattern = <S extends Schema>(schema: S, pattern: string): S => ({ ...schema, pattern });
