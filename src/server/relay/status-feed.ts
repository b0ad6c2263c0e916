/** What a process tells others on the same home about the threads that it runs: their statuses, without opening any of them. */
import { isThreadId } from "../../core/thread/threads.ts";
import { isRecord } from "../../lib/is-record.ts";
import { parseJson } from "../../lib/parse-json.ts";
import { parse } from "../../lib/schema.ts";
import { ThreadStatus } from "../../protocol/thread.ts";
import type { Transport } from "../../rpc/transport.ts";
import type { App } from "../app.ts";

/** Null if the process has let the thread go. */
export type Statuses = ReadonlyMap<string, ThreadStatus | null>;

/** Several changes of one moment are one line. */
const gatherMs = 20;
/** A reader that leaves this much unread is disconnected; it may come again. */
const maxBacklog = 1024 * 1024;
const maxThreads = 10_000;

/** Sends the statuses of all threads that this process holds, then those that change, until the other side leaves. */
export function feedStatuses(app: App, transport: Transport): void {
  const changed = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  const send = (ids: Iterable<string>): void => {
    transport.send(JSON.stringify({ statuses: Object.fromEntries(statusesOf(app, ids)) }));
    if (transport.backlog > maxBacklog) transport.close();
  };
  const note = (threadId: string): void => {
    changed.add(threadId);
    timer ??= setTimeout(() => {
      timer = undefined;
      const ids = [...changed];
      changed.clear();
      send(ids);
    }, gatherMs).unref();
  };
  app.subscriptions.statusWatchers.add(note);
  transport.onMessage = () => transport.close(); // nothing else can be asked here
  transport.onClose = () => {
    clearTimeout(timer);
    app.subscriptions.statusWatchers.delete(note);
  };
  send(app.threads.ids);
}

function statusesOf({ threads }: App, ids: Iterable<string>): Statuses {
  const live = new Map(threads.all.map((thread) => [thread.id, thread]));
  return new Map(
    [...ids].map((id) => {
      const thread = live.get(id);
      // A thread without a lease is another process's, or nobody's.
      return [id, thread?.lease === undefined ? null : thread.status()];
    }),
  );
}

/** Undefined if the line is not in the right form. */
export function readStatuses(line: string): Statuses | undefined {
  const message = parseJson(line);
  const given = isRecord(message) ? message["statuses"] : undefined;
  if (!isRecord(given)) return undefined;
  const entries = Object.entries(given);
  if (entries.length > maxThreads) return undefined;
  const read = new Map<string, ThreadStatus | null>();
  for (const [id, value] of entries) {
    const status = value === null ? null : parse(ThreadStatus, value);
    if (!isThreadId(id) || status === undefined) return undefined;
    read.set(id, status);
  }
  return read;
}
