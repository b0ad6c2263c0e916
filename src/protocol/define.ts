/** The kinds of rows in the method tables. A row is the only place a method is described. */
import { type Infer, type Lazy, named, object, type Schema } from "../lib/schema.ts";

export interface Request<P extends Schema = any, R extends Schema = any> {
  readonly params: Lazy<P>;
  readonly result: Lazy<R>;
  /** Requests that return the same key run one after another; undefined means "run at once". */
  readonly order?: (params: Infer<Lazy<P>>) => string | undefined;
  /** Refused unless the client opted in with `capabilities.experimentalApi`. "current" gates only clients of today's generation. */
  readonly experimental?: true | "current";
  /** Fields that are refused unless the client opted in, with the generation that gates them. */
  readonly experimentalFields?: Readonly<Record<string, true | "current">>;
  /** Rewrites older and alternative spellings into the ones the schema knows; runs before the check. */
  readonly accept?: (params: Record<string, unknown>) => Record<string, unknown>;
  /** Ours alone: in the generated schema under `x-parley`. */
  readonly own?: true;
}
export const request = <P extends Schema, R extends Schema>(row: Request<P, R>): Request<P, R> => row;

/** A row whose part is still to come; answered with "not available in this build" and left out of the generated files. */
export interface Later {
  readonly later: string;
}
export const later = (part: string): Later => ({ later: part });

export interface Notification<P extends Schema = any> {
  readonly params: Lazy<P>;
}
export const notification = <P extends Schema>(params: Lazy<P>): Notification<P> => ({ params });

export const Empty = named("Empty", () => object({}));

export type ParamsOf<Row> = Row extends { params: Lazy<infer P> } ? Infer<Lazy<P>> : never;
export type ResultOf<Row> = Row extends { result: Lazy<infer R> } ? Infer<Lazy<R>> : never;

/** The rows of a table that have a handler in this build. */
export type Served<Table> = { readonly [M in keyof Table as Table[M] extends Later ? never : M]: Table[M] };
/** Orders requests that change the same thread. */
export const byThread = (params: { threadId: string }): string => `thread:${params.threadId}`;
