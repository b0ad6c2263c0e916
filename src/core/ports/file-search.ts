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
  /** Begins to list the files below the roots. Ignored files are left out; a root that cannot be read is empty. */
  open(roots: readonly string[]): FileIndex;
}

/** The files below some roots, listed once and again when the listing has grown old. */
export interface FileIndex {
  /** The best matches, best first. `onPartial` hears the matches so far while the listing runs. Rejects with the signal's reason when aborted. */
  search(
    query: string,
    limit: number,
    signal: AbortSignal,
    onPartial?: (found: readonly FoundFile[]) => void,
  ): Promise<readonly FoundFile[]>;
  /** Stops a listing that still runs. */
  close(): void;
}
