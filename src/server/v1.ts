/** The v1 conversation API: every method goes through the adapter that its first use opens on the connection. */
import type { v1Requests } from "../protocol/v1/methods.ts";
import type { Call, HandlersFor } from "./app.ts";

function throughAdapter(method: string): (params: unknown, call: Call) => Promise<unknown> {
  return (params, { app, session }) => {
    session.legacy ??= app.openLegacy(session);
    return session.legacy.request(method, params);
  };
}

/** One entry per row of the v1 tables. */
export function v1HandlersFor(table: typeof v1Requests): HandlersFor<typeof v1Requests> {
  return Object.fromEntries(Object.keys(table).map((method) => [method, throughAdapter(method)])) as unknown as HandlersFor<
    typeof v1Requests
  >;
}
