/** The types of rows in the method tables. A method is described only in its row; the row's doc comment is its line in docs/protocol.md. */
import { fits, type Infer, type Lazy, named, object, type Schema } from "../lib/schema.ts";

/** Params as received, known only to be an object. */
export type RawParams = Record<string, unknown>;
/** Which clients must opt in with `capabilities.experimentalApi`: all of them, or only those of the current generation. */
export type Gate = true | "current";

export interface Request<P extends Schema = any, R extends Schema = any> {
  readonly params: Lazy<P>;
  readonly result: Lazy<R>;
  /** Requests that return the same key run one after another; undefined means "run immediately". */
  readonly order?: (params: Infer<Lazy<P>>) => string | undefined;
  /** Refused with this message while another request of the method with the same order key waits or runs. */
  readonly alone?: string;
  /** The method is refused unless the client opted in. */
  readonly experimental?: Gate;
  /** Fields that are refused, when set, unless the client opted in. */
  readonly experimentalFields?: Readonly<Record<string, Gate>>;
  /** Accepted fields that have no effect here, with the reason. A client that sets one gets a `warning`, once per connection. */
  readonly noEffect?: Readonly<Record<string, string>>;
  /** Converts older and alternative spellings into the ones the schema knows; runs before validation and may throw a wire error. */
  readonly accept?: (params: RawParams) => RawParams;
  /** Throws the wire error for values of the right type that are out of bounds (an empty command, a negative time). Run by `accept`. */
  readonly limits?: (params: Infer<Lazy<P>>) => void;
  /** Not in Codex: in the generated schema under `x-parley`. */
  readonly own?: true;
}

/** A row for a request. Its limits become part of `accept`, so calling that and validating the params is sufficient. */
export function request<P extends Schema, R extends Schema>(row: Request<P, R>): Request<P, R> {
  const { accept, limits } = row;
  if (limits === undefined) return row;
  return {
    ...row,
    accept(given) {
      const params = accept?.(given) ?? given;
      if (fits(row.params(), params)) limits(params as Infer<Lazy<P>>);
      return params;
    },
  };
}

export interface Notification<P extends Schema = any> {
  readonly params: Lazy<P>;
  /** Not in Codex, or a document's own spelling that no Codex ever sent. */
  readonly own?: true;
}
export const notification = <P extends Schema>(params: Lazy<P>, rest: Omit<Notification, "params"> = {}): Notification<P> => ({
  params,
  ...rest,
});

export const Empty = named("Empty", () => object({}));

export type ParamsOf<Row> = Row extends { params: Lazy<infer P> } ? Infer<Lazy<P>> : never;
export type ResultOf<Row> = Row extends { result: Lazy<infer R> } ? Infer<Lazy<R>> : never;

/** Orders requests that change the same thread. */
export const byThread = (params: { threadId: string }): string => `thread:${params.threadId}`;
/** Orders everything that changes sections, projects and attachments. */
export const byLists = (): string => "lists";
/** Orders everything that changes the settings files. */
export const byConfig = (): string => "config";
/** Orders everything that changes who is signed in. */
export const byAccount = (): string => "account";
