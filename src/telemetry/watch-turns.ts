/** Lets log and telemetry observe turns by wrapping the audience; core does not know about it. */
import type { Answer, Audience } from "../core/ports/audience.ts";
import type { Log } from "../core/ports/log.ts";
import type { ParamsOf } from "../protocol/define.ts";
import type { ServerNotifications } from "../protocol/methods.ts";

type Notified<M extends keyof ServerNotifications> = ParamsOf<ServerNotifications[M]>;

/** Every method must be quick and must not throw. */
export interface TurnWatcher {
  turnStarted?(params: Notified<"turn/started">): void;
  turnCompleted?(params: Notified<"turn/completed">): void;
  /** Clients were sent the turn's end: for what they need not wait for. */
  turnSent?(params: Notified<"turn/completed">): void;
  itemStarted?(params: Notified<"item/started">): void;
  itemCompleted?(params: Notified<"item/completed">): void;
  failed?(params: Notified<"error">): void;
  /** Returns the callback for the answer; undefined means the question was withdrawn. */
  asked?(threadId: string, method: string, itemId: string | undefined): ((answer: Answer | undefined) => void) | undefined;
}

type Listeners = { readonly [M in keyof ServerNotifications]?: (params: Notified<M>) => void };

export function watched(audience: Audience, watchers: readonly TurnWatcher[]): Audience {
  const each = (tell: (watcher: TurnWatcher) => void): void => watchers.forEach(tell);
  const listeners: Listeners = {
    "turn/started": (params) => each((watcher) => watcher.turnStarted?.(params)),
    "turn/completed": (params) => each((watcher) => watcher.turnCompleted?.(params)),
    "item/started": (params) => each((watcher) => watcher.itemStarted?.(params)),
    "item/completed": (params) => each((watcher) => watcher.itemCompleted?.(params)),
    error: (params) => each((watcher) => watcher.failed?.(params)),
  };
  const sent: Listeners = { "turn/completed": (params) => each((watcher) => watcher.turnSent?.(params)) };
  return {
    toThread: (threadId, method, params) => {
      listeners[method]?.(params);
      audience.toThread(threadId, method, params);
      if (sent[method] === undefined) return;
      audience.hurry(threadId);
      sent[method](params);
    },
    textToThread: (at, deltas) => audience.textToThread(at, deltas),
    toOlder: (threadId, method, params) => audience.toOlder(threadId, method, params),
    toAll: (method, params) => audience.toAll(method, params),
    isWatched: (threadId) => audience.isWatched(threadId),
    forget: (threadId) => audience.forget(threadId),
    hurry: (threadId, when) => audience.hurry(threadId, when),
    caughtUp: (threadId) => audience.caughtUp(threadId),
    async ask(threadId, method, params, asking) {
      const itemId = "itemId" in params && typeof params.itemId === "string" ? params.itemId : undefined;
      const endings = watchers.map((watcher) => watcher.asked?.(threadId, method, itemId));
      let answer: Answer | undefined;
      try {
        answer = await audience.ask(threadId, method, params, asking);
        return answer;
      } finally {
        for (const end of endings) end?.(answer);
      }
    },
  };
}

/** Logs what a later reader needs: which turns there were, how they ended, what went wrong on the way. */
export function logWatcher(log: Log): TurnWatcher {
  return {
    // In the next round: the request to the model goes first.
    turnStarted: ({ threadId, turn }) => void setImmediate(() => log.info("turn started", { threadId, turnId: turn.id })),
    turnSent({ threadId, turn }) {
      const { id: turnId, status, durationMs, error } = turn;
      log.info("turn ended", { threadId, turnId, status, durationMs, ...(error == null ? {} : { error: error.message }) });
    },
    failed({ threadId, turnId, willRetry, error }) {
      const details = error.additionalDetails ?? undefined;
      log.warn(willRetry ? "model call failed, trying again" : "turn failed", { threadId, turnId, error: error.message, details });
    },
    asked(threadId, method, itemId) {
      log.debug("asked", { threadId, method, itemId });
      return (answer) => log.debug("answered", { threadId, method, itemId, how: answer?.kind ?? "withdrawn" });
    },
  };
}

/** The name of a decision, for logs and metrics. */
export function decisionOf(answer: Answer | undefined): string {
  if (answer === undefined) return "withdrawn";
  if (answer.kind !== "answered") return answer.kind;
  const { result } = answer;
  if (typeof result !== "object" || result === null) return "answered";
  const word = "decision" in result ? result.decision : "action" in result ? result.action : undefined;
  if (typeof word === "string") return word;
  return typeof word === "object" && word !== null ? (Object.keys(word)[0] ?? "answered") : "answered";
}
