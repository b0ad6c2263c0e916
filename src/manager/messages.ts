/** The manager's message storage: accepted messages and messages in transit, in its state file. What waits is kept by the engine. */
import { choosesAnything, merged, turnSettings } from "../sessions/controls.ts";
import type { EngineLink } from "../sessions/link.ts";
import { Messages } from "../sessions/messages.ts";
import type { Hub } from "./hub.ts";
import type { Sessions } from "./sessions.ts";
import type { ManagerStore } from "./store.ts";

export interface ManagerMessagePorts {
  readonly hub: Hub;
  readonly store: ManagerStore;
  readonly sessions: Sessions;
  readonly link: () => EngineLink;
  now(): number;
  warn(message: string, fields: Readonly<Record<string, unknown>>): void;
}

export function managerMessages({ hub, store, sessions, link, now, warn }: ManagerMessagePorts): Messages {
  const isSame =
    (sessionId: string, messageId: string) =>
    (entry: { sessionId: string; messageId: string }): boolean =>
      entry.messageId === messageId && entry.sessionId === sessionId;
  return new Messages({
    link,
    sessions,
    now,
    queueChanged: (sessionId, queue) => hub.emit("queue_updated", sessionId, { sessionId, queue: [...queue] }),
    accepted: (sessionId, messageId) => store.state.accepted.find(isSame(sessionId, messageId)),
    accept: (sessionId, messageId, turnId) => store.note({ accepted: [...store.state.accepted, { messageId, sessionId, turnId }] }),
    handed: {
      has: (sessionId, messageId) => store.state.handed.some(isSame(sessionId, messageId)),
      add: (sessionId, messageId) => store.change({ handed: [...store.state.handed, { messageId, sessionId }] }),
      delete(sessionId, messageId) {
        const same = isSame(sessionId, messageId);
        store.note({ handed: store.state.handed.filter((entry) => !same(entry)) });
      },
    },
    choose(session, overrides) {
      if (!choosesAnything(overrides)) return;
      const controls = merged(sessions.controls(session), overrides);
      store.change({ controls: { ...store.state.controls, [session.id]: controls } });
    },
    turnSettings: (session) => turnSettings(sessions.controls(session)),
    notSent: (session, error) => warn("a message was not sent, or the queue not read", { session: session.id, error }),
  });
}
