/** Where a client's request goes: to the worker that holds its thread, to one that fits, or to any. */
import { invalidRequest } from "../protocol/errors.ts";
import { objectOf, textOf, threadIdIn } from "../relay/messages.ts";

/** What is done with a request about a thread that nobody holds. */
export type IfFree =
  /** Any worker answers it from the store, also while the thread moves from one worker to another. */
  | "stored"
  /** Any worker answers it. */
  | "anywhere"
  /** It opens the thread at the worker where it is placed. */
  | "opens"
  /** It makes a new thread out of what is stored, at any worker that fits. */
  | "forks"
  /** The thread has to be opened first. */
  | "needsOpen";

export type Target =
  /** `folder` is where it works, `handle` the client's name of something that an earlier request has begun. */
  | { readonly kind: "home"; readonly folder: string | undefined; readonly handle: string | undefined }
  | { readonly kind: "thread"; readonly threadId: string; readonly ifFree: IfFree }
  | { readonly kind: "new"; readonly labels: readonly string[] }
  /** To where another request of the client went. */
  | { readonly kind: "request"; readonly id: string | number }
  /** The front answers it itself. */
  | { readonly kind: "loaded" };

const starting: ReadonlySet<string> = new Set(["thread/start", "newConversation"]);
const opening: ReadonlySet<string> = new Set(["thread/resume", "resumeConversation"]);
const forking: ReadonlySet<string> = new Set(["thread/fork", "forkConversation"]);
/** These work on a thread that somebody has opened. After a worker's end it may be nobody's for a while, which its client need not know. */
const needingOpen: ReadonlySet<string> = new Set([
  "turn/start",
  "turn/steer",
  "review/start",
  "thread/compact/start",
  "thread/inject_items",
  "thread/revert",
  "thread/rollback",
  "thread/settings/update",
  "thread/shellCommand",
  "sendUserMessage",
  "sendUserTurn",
  "addConversationListener",
]);

/** What is stored answers these, whoever runs the thread. */
const fromStore: ReadonlySet<string> = new Set([
  "thread/read",
  "thread/turns/list",
  "thread/items/list",
  "thread/items/read",
  "thread/timeline/list",
  "thread/searchOccurrences",
  "getConversationSummary",
]);

/** Stored threads have no file: their path is a name. */
const namedThread = /^parley:\/\/([\w-]{1,100})$/;

export function targetOf(method: string, params: unknown): Target {
  if (starting.has(method)) return { kind: "new", labels: labelsIn(params) };
  if (method === "thread/loaded/list") return { kind: "loaded" };
  if (method === "thread/sample/cancel") {
    const { requestId } = objectOf(params);
    return typeof requestId === "string" || typeof requestId === "number" ? { kind: "request", id: requestId } : homeFor(params);
  }
  const { path, rolloutPath, history } = objectOf(params);
  const threadId = namedThread.exec(textOf(path) ?? textOf(rolloutPath) ?? "")?.[1] ?? threadIdIn(params);
  if (threadId === undefined || (opening.has(method) && Array.isArray(history)))
    return opening.has(method) || forking.has(method) ? { kind: "new", labels: [] } : homeFor(params);
  return { kind: "thread", threadId, ifFree: whenFree(method) };
}

function whenFree(method: string): IfFree {
  if (opening.has(method)) return "opens";
  if (forking.has(method)) return "forks";
  if (needingOpen.has(method)) return "needsOpen";
  return fromStore.has(method) ? "stored" : "anywhere";
}

/** The names that clients give to what goes on after the answer: commands, programs, watches, searches. */
const handles = ["processId", "processHandle", "watchId", "sessionId"] as const;

function homeFor(params: unknown): Target {
  const given = objectOf(params);
  const name = handles.find((key) => typeof given[key] === "string");
  const [root] = [given["roots"], given["cwds"]].flatMap((list) => (Array.isArray(list) ? list : []));
  const folder = [given["cwd"], given["path"], given["sourcePath"], root].find((one) => typeof one === "string");
  return { kind: "home", folder: textOf(folder), handle: name === undefined ? undefined : `${name} ${String(given[name])}` };
}

/** Only a worker with all of these may run the thread. */
function labelsIn(params: unknown): readonly string[] {
  const config = objectOf(objectOf(params)["config"]);
  const labels = config["fleet.labels"] ?? objectOf(config["fleet"])["labels"] ?? [];
  if (!Array.isArray(labels) || labels.length > 32 || !labels.every((label) => typeof label === "string" && label !== ""))
    throw invalidRequest('Invalid request: config["fleet.labels"] must be a list of at most 32 labels');
  return labels;
}
