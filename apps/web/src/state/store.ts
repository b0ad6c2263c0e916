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

/** After a frame that took long to draw, this many times as long stays free for everything else. */
const freeShare = 4;
const longestPauseMs = 200;
const frameMs = 16;

/** What the pace is measured and kept with; the browser's own, except in tests. */
export type PageClock = Pick<typeof globalThis, "requestAnimationFrame" | "setTimeout" | "clearTimeout" | "performance">;

/** Once per frame, and less often where drawing takes long, so that text that streams in takes a fifth of the page's thread at most. */
export function pacedFrames(clock: PageClock = globalThis): Schedule {
  let freeUntil = 0;
  return (run) => {
    let isDrawn = false;
    const draw = (): void => {
      if (isDrawn) return;
      isDrawn = true;
      clock.clearTimeout(hidden);
      const started = clock.performance.now();
      run();
      // A timer's turn comes when the frame has been laid out and painted.
      clock.setTimeout(() => {
        const ended = clock.performance.now();
        freeUntil = ended + Math.min(longestPauseMs, (ended - started) * freeShare);
      });
    };
    // A page hidden before its next frame gets none. The timer ends with its own frame: later it would draw what waits for the next one, without its pause.
    const hidden = clock.setTimeout(draw, longestPauseMs + 50);
    const pause = freeUntil - clock.performance.now();
    if (pause < frameMs) clock.requestAnimationFrame(draw);
    else clock.setTimeout(() => clock.requestAnimationFrame(draw), pause);
  };
}
