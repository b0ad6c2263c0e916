/** Ports: time, identity and chance, so that tests can hold them still. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Rejects with the signal's reason when aborted. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}
/** What the agent itself measures and waits by, beside the time of day. Its timers do not keep the process alive. */
export interface Timers extends Clock {
  /** Milliseconds since any moment; never runs backwards. */
  monotonic(): number;
  /** Calls back once; what is returned takes that back. */
  after(ms: number, callback: () => void): () => void;
  /** Aborted after this time. */
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
