/** Connects the adapter of the older API to a connection. */
import { V1Adapter } from "../adapters/v1/adapter.ts";
import type { App, LegacyAdapter, Session } from "../server/app.ts";
import { connectInProcess } from "./in-process.ts";

export function openV1(app: () => App, session: Session): LegacyAdapter {
  const adapter = new V1Adapter({
    connect: () =>
      connectInProcess(app(), {
        clientInfo: { name: session.client.name, title: session.client.title, version: session.client.version },
        capabilities: { experimentalApi: true, extensions: { parley: { dialect: "0.92" } } },
        connection: { source: session.source, receivesRaw: true, onBehalfOf: session },
      }),
    notify: (method, params) => {
      if (!session.optOut.has(method)) session.peer.notify(method, params);
    },
    ask: (method, params) => app().subscriptions.askSession(session, method, params),
    userAgent: session.userAgent,
    authStatus: (params) => app().accounts.status(params),
    diffToRemote: (cwd) => app().git.diffToRemote(cwd, AbortSignal.timeout(60_000)),
  });
  return { request: (method, params) => adapter.request(method as never, params as never), close: () => adapter.close() };
}
