/**
 * Port: folders that are made for a thread. In a fleet a thread may ask for a checkout of a git repository; whichever worker runs the thread
 * has one, with the files as of the last completed turn.
 */

/** What a thread asked for, as `fleet.git`, `fleet.ref` and `fleet.snapshots` of its config. */
export interface CheckoutSource {
  readonly url: string;
  /** A branch, tag or commit; null for the repository's default branch. */
  readonly ref: string | null;
  /** Where the files are saved, if not in the repository itself. */
  readonly snapshots: string | null;
}

/** The files as they were saved last. */
export interface SavedFiles {
  /** The commit that contains them. */
  readonly commit: string;
  /** The commit that was checked out, and its branch; null where HEAD is detached. */
  readonly head: string;
  readonly branch: string | null;
}

export interface JustSaved {
  readonly saved: SavedFiles;
  /** What could not be saved, although the rest was. */
  readonly warning: string | undefined;
}

export interface Checkouts {
  /** The source in a thread's config; undefined where it asks for none. Throws RepositoryRefusal that names the field and the fix. */
  sourceIn(config: Readonly<Record<string, unknown>>): CheckoutSource | undefined;
  /** The thread's folder: the one that is here if it has these files or newer ones, else a new one. Throws RepositoryRefusal. */
  open(threadId: string, source: CheckoutSource, saved: SavedFiles | undefined): Promise<string>;
  /** Saves the files of the thread's folder where other workers find them. Throws RepositoryRefusal. */
  save(threadId: string, source: CheckoutSource, saved: SavedFiles | undefined): Promise<JustSaved>;
  /** Where `open` would put the thread's folder. */
  placeOf(threadId: string, source: CheckoutSource): string;
  /** Deletes the thread's folder here. */
  remove(threadId: string): Promise<void>;
}

/** What a live thread needs of them. */
export interface ThreadWorkspaces {
  /** The folder of a new thread; undefined where its config asks for none. Throws RpcError. */
  begin(threadId: string, config: Readonly<Record<string, unknown>>): Promise<string | undefined>;
  /** The folder of a stored thread on this machine; undefined where it has none of its own. It is missing where git could not make it. */
  resume(threadId: string): Promise<string | undefined>;
}
