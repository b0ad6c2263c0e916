/** The manager's message storage: queues, accepted messages and messages in transit, all in its state file. */
import { choosesAnything, merged, turnSettings } from "../sessions/controls.ts";
import type { EngineLink } from "../sessions/link.ts";
import { Messages } from "../sessions/messages.ts";
import type { QueuedMessage } from "../sessions/records.ts";
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
  const queue = (sessionId: string): readonly QueuedMessage[] => store.state.queues[sessionId] ?? [];
  const isSame =
    (sessionId: string, messageId: string) =>
    (entry: { sessionId: string; messageId: string }): boolean =>
      entry.messageId === messageId && entry.sessionId === sessionId;
  return new Messages({
    link,
    sessions,
    now,
    queue,
    setQueue(sessionId, next) {
      const { [sessionId]: _, ...rest } = store.state.queues;
      const queues = next.length === 0 ? rest : { ...rest, [sessionId]: [...next] };
      // A message that is still to be sent must not be lost, so its write must succeed; removing one takes effect even if the write fails.
      if (next.length > queue(sessionId).length) store.change({ queues });
      else store.note({ queues });
      hub.emit("queue_updated", sessionId, { sessionId, queue: [...next] });
    },
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
    notSent: (session, error) => warn("a queued message was not accepted", { session: session.id, error }),
  });
}
