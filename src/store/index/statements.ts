/** The prepared statements of the index's connection. */
import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from "node:sqlite";

export class Statements {
  readonly #db: DatabaseSync;
  readonly #known = new Map<string, StatementSync>();
  readonly #lists = new Map<string, StatementSync>();

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  of(sql: string): StatementSync {
    const known = this.#known.get(sql);
    if (known !== undefined) return known;
    const fresh = this.#db.prepare(sql);
    this.#known.set(sql, fresh);
    return fresh;
  }
  /** Rows as arrays of their columns: as objects they take several times as long, and lists read many. */
  rows(sql: string, ...values: readonly SQLInputValue[]): SQLOutputValue[][] {
    let known = this.#lists.get(sql);
    if (known === undefined) {
      known = this.#db.prepare(sql);
      known.setReturnArrays(true);
      this.#lists.set(sql, known);
    }
    return known.all(...values) as unknown as SQLOutputValue[][];
  }
  /** Not by the statement's own `run`: that also returns the last row's number, and those of a full-text index are too large for it. */
  run(sql: string, ...values: readonly SQLInputValue[]): void {
    this.of(sql).get(...values);
  }
  clear(): void {
    this.#known.clear();
    this.#lists.clear();
  }
}
