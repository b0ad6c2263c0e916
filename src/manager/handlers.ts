/** The type of a handler: it receives what its row describes and may return only what the row allows. */

import type { Caller } from "./access.ts";
import type { AnswerOf, BodyOf, PathOf, QueryOf, Route } from "./api/define.ts";
import type { Manager } from "./manager.ts";

type Answers<Row> = Row extends { answers: infer A } ? Extract<keyof A, number> : never;
export type Reply<Row> = {
  [S in Answers<Row>]: { readonly status: S; readonly body: AnswerOf<Row, S>; readonly headers?: Readonly<Record<string, string>> };
}[Answers<Row>];

export interface Call<Key extends string, Row> {
  readonly manager: Manager;
  readonly caller: Caller;
  readonly path: PathOf<Key>;
  readonly query: QueryOf<Row>;
  readonly body: BodyOf<Row>;
}

/** One function per row of a route table; a missing or misspelled one does not compile. */
export type HandlersFor<Table extends Record<string, Route>> = {
  readonly [Key in Extract<keyof Table, string>]: (call: Call<Key, Table[Key]>) => Reply<Table[Key]> | Promise<Reply<Table[Key]>>;
};

export const ok = <B>(body: B): { readonly status: 200; readonly body: B } => ({ status: 200, body });
