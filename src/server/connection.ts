/** Joins one transport to the app: a session, its peer, and the end of both. */
import { Allowance } from "../lib/allowance.ts";
import { errorStack } from "../lib/error-text.ts";
import type { ParamsOf } from "../protocol/define.ts";
import { troubleNotice } from "../protocol/errors.ts";
import type { ServerNotifications } from "../protocol/methods.ts";
import type { SessionSource } from "../protocol/policy.ts";
import { Peer } from "../rpc/peer.ts";
import { type Transport, tooFarBehind } from "../rpc/transport.ts";
import type { App, Session } from "./app.ts";
import { announceConfigWarnings } from "./config.ts";
import { dispatch } from "./dispatch.ts";
import type { Introduction } from "./introduce.ts";

export interface Connection {
  readonly session: Session;
  /** Resolves when the connection has ended and what belonged to it was let go. */
  readonly closed: Promise<void>;
  close(): void;
}

/** What a door says of those who come through it. */
export interface ConnectionOptions {
  /** Where threads that are started here count as coming from. An app-server's count as the editor's, so that they are listed. */
  readonly source?: SessionSource;
  /** Nobody is there to answer questions. */
  readonly unattended?: boolean;
  /** No person reads what comes back as it is; who is unattended needs a model anyway. */
  readonly needsModel?: boolean;
  /** Clients come back to threads in which nothing was said yet. */
  readonly keepsUnused?: boolean;
  /** Clients are told the model's items as they are. */
  readonly receivesRaw?: boolean;
  /** The connection on whose behalf an adapter opens this one: who does not read there holds up, or is cut off, there. */
  readonly onBehalfOf?: Session | undefined;
  /** The client was greeted at the door: its `initialize` is answered. */
  readonly introduction?: Introduction | undefined;
}

/** Notices of trouble that one connection gets in a minute. */
const noticesPerMinute = 1;

const reportBug = (app: App, method: string, error: unknown): void => app.log.error("request failed", { method, error: errorStack(error) });

export function serve(app: App, transport: Transport, options: ConnectionOptions = {}): Connection {
  const ended = Promise.withResolvers<void>();
  const notices = new Allowance({ count: noticesPerMinute, ms: 60_000 });
  const peer = new Peer(transport, {
    request(method, params, after) {
      const result = dispatch(method, params, { app, session, after });
      return app.wireCheck === undefined ? result : app.wireCheck.result(method, result);
    },
    notification: (method) => app.log.debug("notification", { method }),
    answer: (id, outcome) => app.subscriptions.answered(session, id, outcome),
    drained: () => app.subscriptions.drained(session),
    unreadable: (reason) => app.log.warn("unreadable message", { reason }),
    bug(method, error, isAnswered) {
      reportBug(app, method, error);
      if (!isAnswered && notices.take() !== undefined) session.notify("warning", { message: troubleNotice, threadId: null });
    },
    closed: (error) => {
      if (error?.message === tooFarBehind) app.log.warn("a client that does not read was cut off", { client: session.client.name });
      end();
    },
  });
  const session: Session = {
    id: app.subscriptions.nextSessionId(),
    peer,
    transport: transport.kind,
    source: options.source ?? "vscode",
    unattended: options.unattended === true,
    needsModel: options.needsModel === true || options.unattended === true,
    keepsUnused: options.keepsUnused === true,
    receivesRaw: options.receivesRaw === true,
    onBehalfOf: options.onBehalfOf,
    client: { name: "unknown", title: null, version: "0" },
    originator: "unknown",
    userAgent: "",
    initialized: false,
    dialect: app.compat ?? "0.92",
    experimental: false,
    optOut: new Set(),
    legacy: undefined,
    notify: <M extends keyof ServerNotifications>(method: M, params: ParamsOf<ServerNotifications[M]>) =>
      app.subscriptions.toSession(session, method, params),
    told: new Set(),
    processes: new Map(),
    commands: 0,
    onClose: new Set(),
  };
  app.subscriptions.join(session);
  if (options.introduction !== undefined) {
    Object.assign(session, options.introduction, { initialized: true });
    announceConfigWarnings(app, session);
  }

  function end(): void {
    // Each on its own: one that throws must not keep the rest of what belonged to the connection.
    for (const run of [...session.onClose, () => session.legacy?.close(), () => app.subscriptions.leave(session)]) {
      try {
        run();
      } catch (error) {
        reportBug(app, "the end of a connection", error);
      }
    }
    session.onClose.clear();
    ended.resolve();
  }
  return { session, closed: ended.promise, close: () => peer.close() };
}
