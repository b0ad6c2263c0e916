/** Connects one transport to the app: creates a session and its peer, and cleans up after both. */
import { Allowance } from "../lib/allowance.ts";
import { errorStack } from "../lib/error-text.ts";
import type { ParamsOf } from "../protocol/define.ts";
import { invalidRequest, troubleNotice } from "../protocol/errors.ts";
import type { ServerNotifications } from "../protocol/methods.ts";
import type { SessionSource } from "../protocol/policy.ts";
import { Peer } from "../rpc/peer.ts";
import { type Transport, tooFarBehind } from "../rpc/transport.ts";
import type { App, Session } from "./app.ts";
import { announceConfigWarnings } from "./config.ts";
import { dispatch } from "./dispatch.ts";
import type { Introduction } from "./introduce.ts";
import { tooLarge } from "./too-large.ts";

export interface Connection {
  readonly session: Session;
  /** Resolves when the connection has ended and its resources were released. */
  readonly closed: Promise<void>;
  close(): void;
}

/** Properties of all connections of one listener. */
export interface ConnectionOptions {
  /** The source recorded for threads that are started on this connection. An app-server's threads count as the editor's, so that they are listed. */
  readonly source?: SessionSource;
  /** Nobody can answer questions. */
  readonly unattended?: boolean;
  /** The responses are not read by a person; an unattended connection needs a model anyway. */
  readonly needsModel?: boolean;
  /** Clients return to threads without messages. */
  readonly keepsUnused?: boolean;
  /** Clients receive the raw model items. */
  readonly receivesRaw?: boolean;
  /** Another process on this home passes its client's conversation on to us. */
  readonly isRelayed?: boolean;
  /** Why a method is not carried out for these connections, if it is not. */
  readonly refuse?: ((method: string) => string | undefined) | undefined;
  /** The connection on whose behalf an adapter opens this one: that connection is throttled or closed if its client does not read. */
  readonly onBehalfOf?: Session | undefined;
  /** The client's `initialize` was already answered by the fast start-up path. */
  readonly introduction?: Introduction | undefined;
}

/** Maximum number of internal-error notices per connection and minute. */
const noticesPerMinute = 1;

const reportBug = (app: App, method: string, error: unknown): void => app.log.error("request failed", { method, error: errorStack(error) });

/** Whatever waits for the client to read goes on. */
function readEverything(app: App, session: Session): void {
  app.relay.drained(session);
  app.subscriptions.drained(session);
}

export function serve(app: App, transport: Transport, options: ConnectionOptions = {}): Connection {
  const ended = Promise.withResolvers<void>();
  const notices = new Allowance({ count: noticesPerMinute, ms: 60_000 });
  const peer = new Peer(transport, {
    request(method, params, after, id) {
      app.requestCame();
      const why = options.refuse?.(method);
      if (why !== undefined) throw invalidRequest(why);
      const result = dispatch(method, params, { app, session, after, id });
      const checked = app.wireCheck === undefined ? result : app.wireCheck.result(method, result);
      if (!(checked instanceof Promise) || (method !== "thread/resume" && !session.isRelayed)) return checked;
      return checked.catch((error: unknown) => app.relay.takeLate(session, { id, method, params }, error));
    },
    takeRequest: (id, method, params) => app.relay.take(session, { id, method, params }),
    notification: (method) => app.log.debug("notification", { method }),
    answer: (id, outcome) => app.relay.answered(session, id, outcome) || app.subscriptions.answered(session, id, outcome),
    drained: () => readEverything(app, session),
    unreadable: (reason) => app.log.warn("unreadable message", { reason }),
    bug(method, error, isAnswered) {
      reportBug(app, method, error);
      if (!isAnswered && notices.take() !== undefined) session.notify("warning", { message: troubleNotice, threadId: null });
    },
    tooLarge,
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
    isRelayed: options.isRelayed === true,
    onBehalfOf: options.onBehalfOf,
    client: { name: "unknown", title: null, version: "0" },
    originator: "unknown",
    userAgent: "",
    initialized: false,
    dialect: app.compat ?? "0.92",
    experimental: false,
    optOut: new Set(),
    terminals: false,
    legacy: undefined,
    notify: <M extends keyof ServerNotifications>(method: M, params: ParamsOf<ServerNotifications[M]>) =>
      app.subscriptions.toSession(session, method, params),
    warned: new Set(),
    processes: new Map(),
    spawned: new Map(),
    samples: new Map(),
    commands: 0,
    onClose: new Set(),
  };
  app.subscriptions.join(session);
  if (options.introduction !== undefined) {
    Object.assign(session, options.introduction, { initialized: true });
    announceConfigWarnings(app, session);
  }

  const end = (): void => {
    release(app, session);
    ended.resolve();
  };
  return { session, closed: ended.promise, close: () => peer.close() };
}

/** Ends everything that belongs to a connection. Each on its own: one that throws must not prevent the other cleanups. */
function release(app: App, session: Session): void {
  for (const run of [
    ...session.onClose,
    () => session.legacy?.close(),
    () => app.relay.left(session),
    () => app.subscriptions.leave(session),
  ]) {
    try {
      run();
    } catch (error) {
      reportBug(app, "the end of a connection", error);
    }
  }
  session.onClose.clear();
}
