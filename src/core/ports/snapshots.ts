/** Port: the state of a workspace's files before commands ran, so that a turn can be undone whoever changed them. */
import type { FileState } from "./workspace.ts";

export interface SeenChange {
  /** Resolved path. */
  readonly path: string;
  /** Its state when the snapshot was taken; "notKept": too large to keep; undefined: an earlier call returned it. */
  readonly before: FileState | "notKept" | undefined;
  readonly after: FileState;
}

export interface Snapshot {
  /** What has changed since the snapshot was taken, or since the last call. */
  changes(): Promise<readonly SeenChange[]>;
  /** Call when no more changes will be requested. */
  close(): void;
}

export interface Snapshots {
  /** A turn begins: where the first snapshot takes long, it is begun meanwhile. Costs next to nothing elsewhere. */
  prepare(roots: readonly string[]): Promise<void>;
  /** A command is likely to follow: contents are read meanwhile, so that `take` has little left to do. */
  warm(roots: readonly string[]): void;
  /** Undefined when the workspace is too large for a snapshot, or could not be read in time: only the agent's own edits can be undone then. Never rejects. */
  take(roots: readonly string[]): Promise<Snapshot | undefined>;
  /** What a thread's clients are told when `take` returned nothing; undefined if they know it already. */
  whyNone(roots: readonly string[], threadId: string): string | undefined;
}
