/** Port: what the files of a workspace were before commands ran, so that a turn can be taken back whoever changed them. */
import type { FileState } from "./workspace.ts";

export interface SeenChange {
  /** Resolved path. */
  readonly path: string;
  /** "notKept": too large to hold on to. */
  readonly before: FileState | "notKept";
  readonly after: FileState;
}

export interface Snapshot {
  /** What has changed since the snapshot was taken, or since the last call. */
  changes(): Promise<readonly SeenChange[]>;
}

export interface Snapshots {
  /** Undefined when the workspace is too large to be remembered: then only the agent's own edits can be taken back. Never rejects. */
  take(roots: readonly string[], signal: AbortSignal): Promise<Snapshot | undefined>;
}
