/** Ports: time, ids and randomness, so that tests can control them. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Rejects with the signal's reason when aborted. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}
/** The agent's own clock and timers, apart from the time of day. Its timers do not keep the process alive. */
export interface Timers extends Clock {
  /** Milliseconds since an arbitrary point; never runs backwards. */
  monotonic(): number;
  /** Calls back once; the returned function cancels it. */
  after(ms: number, callback: () => void): () => void;
  /** A signal that aborts after this time. */
  timeout(ms: number): AbortSignal;
}
export interface Ids {
  /** UUIDv7: sorts by time. */
  thread(): string;
  turn(): string;
  item(): string;
  /** A number from 0 up to 1. */
  random(): number;
}
