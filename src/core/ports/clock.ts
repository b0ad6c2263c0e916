/** Ports: time and identity, so that tests can hold both still. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Rejects with the signal's reason when aborted. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}
export interface Ids {
  /** UUIDv7: sorts by time. */
  thread(): string;
  turn(): string;
  item(): string;
}
