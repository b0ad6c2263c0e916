/** Port: finds files by a few letters of their path. */
export interface FoundFile {
  readonly root: string;
  /** Relative to the root, with `/`. */
  readonly path: string;
  readonly kind: "file" | "directory";
  readonly score: number;
  /** Which characters of `path` matched, ascending. */
  readonly indices: readonly number[];
}

export interface FileSearch {
  /** Starts listing the files below the roots. Ignored files are left out; an unreadable root is empty. */
  open(roots: readonly string[]): FileIndex;
}

/** The files below some roots, listed once and refreshed when the listing is old. */
export interface FileIndex {
  /** The best matches, best first. `onPartial` receives the matches so far while the listing runs. Rejects with the signal's reason when aborted. */
  search(
    query: string,
    limit: number,
    signal: AbortSignal,
    onPartial?: (found: readonly FoundFile[]) => void,
  ): Promise<readonly FoundFile[]>;
  /** Stops a running listing. */
  close(): void;
}
