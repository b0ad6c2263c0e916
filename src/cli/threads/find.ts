/** Finds the thread that the user means: by id, by a prefix of it, by name, or the newest. */
import type { Client } from "../../client/client.ts";
import type { Thread } from "../../protocol/thread.ts";
import type { ThreadListParams } from "../../protocol/thread-list.ts";
import { StartError, UsageError } from "../usage.ts";

/** Everything but sub-agents, whose threads belong to another thread. */
export const ownKinds: NonNullable<ThreadListParams["sourceKinds"]> = ["cli", "vscode", "exec", "appServer", "unknown"];
const allKinds: NonNullable<ThreadListParams["sourceKinds"]> = [...ownKinds, "subAgent"];
const pageSize = 100;
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Pages through a list; `limit` 0 means all of it. */
export async function* listThreads(client: Client, params: ThreadListParams, limit: number): AsyncGenerator<Thread> {
  let cursor: string | null = null;
  let left = limit === 0 ? Number.POSITIVE_INFINITY : limit;
  do {
    const page: { data: readonly Thread[]; nextCursor?: string | null } = await client.call("thread/list", {
      modelProviders: [],
      ...params,
      cursor,
      limit: Math.min(pageSize, left),
    });
    yield* page.data;
    left -= page.data.length;
    cursor = page.nextCursor ?? null;
  } while (cursor !== null && left > 0);
}

/** The threads that the arguments name, each once, in order. */
export async function threadsNamed(client: Client, args: readonly string[], last: boolean): Promise<readonly Thread[]> {
  if (last && args.length > 0) throw new UsageError("name a thread or pass --last, not both");
  if (last) return [await newestThread(client)];
  if (args.length === 0) throw new UsageError("the thread is missing: give its id, the first letters of it, its name, or --last");
  const found = new Map<string, Thread>();
  for (const argument of args) {
    const thread = await threadNamed(client, argument);
    found.set(thread.id, thread);
  }
  return [...found.values()];
}

export async function threadOf(client: Client, args: readonly string[], last: boolean): Promise<Thread> {
  const [thread, extra] = await threadsNamed(client, args, last);
  if (thread === undefined || extra !== undefined) throw new UsageError("name one thread");
  return thread;
}

/** Ids go to the server unchanged, so that its own error is shown; anything else is a name or a prefix of an id. */
export async function threadIdOf(client: Client, idOrName: string): Promise<string> {
  return uuid.test(idOrName.toLowerCase()) ? idOrName : (await threadNamed(client, idOrName)).id;
}

async function newestThread(client: Client): Promise<Thread> {
  for await (const thread of listThreads(client, { sortKey: "updated_at", sourceKinds: [...ownKinds] }, 1)) return thread;
  throw new StartError("there is no thread yet");
}

async function threadNamed(client: Client, idOrName: string): Promise<Thread> {
  const lower = idOrName.toLowerCase();
  if (uuid.test(lower)) return (await client.call("thread/read", { threadId: lower, includeTurns: false })).thread;
  const named: Thread[] = [];
  const begun: Thread[] = [];
  for (const archived of [false, true])
    for await (const thread of listThreads(client, { archived, sourceKinds: [...allKinds] }, 0)) {
      if (thread.name === idOrName) named.push(thread);
      if (lower !== "" && thread.id.startsWith(lower)) begun.push(thread);
    }
  // A name is meant as a whole, also one that could be the beginning of an id.
  const matches = named.length > 0 ? named : begun;
  const [first] = matches;
  if (first === undefined)
    throw new StartError(`no thread is called '${idOrName}' and no id starts with it; \`parley threads list\` shows them`);
  if (matches.length > 1) throw new StartError(`'${idOrName}' may be ${nameSome(matches)}; give more letters of the id`);
  return first;
}

function nameSome(threads: readonly Thread[]): string {
  const ids = threads.slice(0, 3).map(({ id }) => id);
  return `${ids.join(", ")}${threads.length > 3 ? ` or ${threads.length - 3} others` : ""}`;
}
