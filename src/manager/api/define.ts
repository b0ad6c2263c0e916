/** The shape of one row of the manager's route table, and the types that follow from a row. */
import type { Infer, Lazy, Schema } from "../../lib/schema.ts";

/** What a caller may do. Each scope contains the ones before it. */
export const scopes = ["read", "approve", "drive", "admin"] as const;
export type Scope = (typeof scopes)[number];

export type Method = "GET" | "POST" | "DELETE";
export type RouteKey = `${Method} /${string}`;

export interface Route {
  /** One line for people; the OpenAPI summary. */
  readonly summary: string;
  /** What the caller's token must allow; null means that no sign-in is needed. */
  readonly scope: Scope | null;
  readonly query?: Lazy;
  /** JSON body. A POST without one accepts and ignores an empty object. */
  readonly body?: Lazy;
  /** Every status that the route itself can answer with, and the body that goes with it. */
  readonly answers: Readonly<Record<number, Lazy>>;
  /** The answer is a stream or a file, not JSON. */
  readonly media?: "application/x-ndjson" | "text/event-stream" | "websocket";
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

/** Keeps the exact type of a row. */
export const route = <const R extends Route>(row: R): R => row;

/** Adds limits that JSON Schema knows (maxLength, maxItems, minimum …) to a schema. */
export const bounded = <S extends Schema>(
  schema: S,
  limits: { minLength?: number; maxLength?: number; minItems?: number; maxItems?: number; minimum?: number; maximum?: number },
): S => ({ ...schema, ...limits });

/** Describes the text of a string; the description is for readers and generated types, the check stays that of a string. */
export const withPattern = <S extends Schema>(schema: S, pattern: string): S => ({ ...schema, pattern });
