/** Holds the state, folds actions into it at most once per frame, and notifies subscribed screens. */
import { type Action, reduce } from "./fold.ts";
import { type AppState, emptyState } from "./model.ts";

export interface Store {
  get(): AppState;
  /** Takes effect at once: for user actions. */
  dispatch(action: Action): void;
  /** Takes effect with the next frame, together with others: for streamed events. */
  stream(action: Action): void;
  subscribe(listener: () => void): () => void;
}

/** Runs a function soon, at best before the next paint; running it twice must be harmless. */
export type Schedule = (run: () => void) => void;

export function createStore(schedule: Schedule): Store {
  let state = emptyState;
  let waiting: Action[] = [];
  const listeners = new Set<() => void>();

  const flush = (): void => {
    const actions = waiting;
    waiting = [];
    const before = state;
    for (const action of actions) state = reduce(state, action);
    if (state !== before) for (const listener of listeners) listener();
  };

  return {
    get: () => state,
    dispatch(action) {
      waiting.push(action);
      flush();
    },
    stream(action) {
      waiting.push(action);
      if (waiting.length === 1) schedule(flush);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export const nextFrame: Schedule = (run) => {
  requestAnimationFrame(() => run());
  // A page hidden before its next frame gets none, so a timer flushes too; a flush with nothing to do costs nothing.
  setTimeout(run, 200);
};
