/** Port: what the files of a workspace were before commands ran, so that a turn can be taken back whoever changed them. */
import type { FileState } from "./workspace.ts";

export interface SeenChange {
  /** Resolved path. */
  readonly path: string;
  /** As it was when the snapshot was taken; "notKept": too large to hold on to; undefined: an earlier call has returned it. */
  readonly before: FileState | "notKept" | undefined;
  readonly after: FileState;
}

export interface Snapshot {
  /** What has changed since the snapshot was taken, or since the last call. */
  changes(): Promise<readonly SeenChange[]>;
  /** To be called when nobody will ask any more. */
  close(): void;
}

export interface Snapshots {
  /** A command is likely to come: contents are read meanwhile, so that `take` has little left to do. */
  warm(roots: readonly string[]): void;
  /** Undefined when the workspace is too large to be remembered: then only the agent's own edits can be taken back. Never rejects. */
  take(roots: readonly string[]): Promise<Snapshot | undefined>;
}
