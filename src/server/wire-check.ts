/** Validates everything that is sent, notifications, requests and results, against its schema. Enabled in tests, where an error in the log fails the test. */
import type { Log } from "../core/ports/log.ts";
import { type Lazy, problem } from "../lib/schema.ts";
import { clientRequests, serverNotifications, serverRequests } from "../protocol/methods.ts";

type Row = { readonly params: Lazy; readonly result?: Lazy };
const tables = {
  notification: serverNotifications,
  request: serverRequests,
  result: clientRequests,
} as const satisfies Record<string, Readonly<Record<string, Row>>>;

export class WireCheck {
  readonly #log: Log;

  constructor(log: Log) {
    this.#log = log;
  }

  check(kind: keyof typeof tables, method: string, value: unknown): void {
    const rows: Readonly<Record<string, Row>> = tables[kind];
    const row = Object.hasOwn(rows, method) ? rows[method] : undefined;
    const schema = kind === "result" ? row?.result : row?.params;
    // As the other side receives it: undefined values are absent.
    const wrong = schema === undefined ? "no table has this method" : problem(schema(), JSON.parse(JSON.stringify(value ?? {})));
    if (wrong !== undefined) this.#log.error("outgoing message does not fit its schema", { kind, method, wrong });
  }

  /** Checks a handler's result, which may be a promise, and returns it unchanged. */
  result(method: string, result: unknown): unknown {
    if (!(result instanceof Promise)) {
      this.check("result", method, result);
      return result;
    }
    return result.then((value: unknown) => {
      this.check("result", method, value);
      return value;
    });
  }
}
