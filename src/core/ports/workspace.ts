/** Port: the files that the agent itself edits. Every call uses a resolved path and never follows a symbolic link. */

/** The state at a path. Contents are kept in memory: edits are of source files, and a limit guards against others. */
export type FileState =
  | { readonly kind: "absent" }
  | { readonly kind: "file"; readonly bytes: Uint8Array; readonly mode: number }
  /** The link itself, not its target. */
  | { readonly kind: "link"; readonly target: string }
  /** Neither file nor link; `what` is the kind for the user ("folder", "device"). */
  | { readonly kind: "other"; readonly what: string };

export const absent: FileState = { kind: "absent" };

/** A file that was not there before: its mode is what the process's umask leaves of 0666. */
export interface NewFile {
  readonly kind: "file";
  readonly bytes: Uint8Array;
  readonly mode?: undefined;
}

/** A resolved path. */
export interface Place {
  /** Absolute and free of links; names that do not exist yet are kept as they were written. */
  readonly real: string;
  /** The last component itself is a link (it was followed). */
  readonly viaLink: boolean;
}

/** Side effects of a write or removal: the folders it created, outermost first. */
export interface Receipt {
  readonly madeFolders: readonly string[];
}

export interface Workspace {
  /** Follows links (also dangling ones) by hand. Throws WorkspaceRefusal for a loop, a NUL or a name that is too long. */
  locate(path: string): Promise<Place>;
  /** Like `locate`, but the last component is not followed. */
  locateEntry(path: string): Promise<string>;
  /** The state at a resolved path. Throws WorkspaceRefusal when a folder on the way has become a link, or a file is larger than `maxBytes`. */
  read(real: string, maxBytes?: number): Promise<FileState>;
  /**
   * Puts `next` (a file, a link or nothing) in the place of `expected`, making folders as needed. Contract: the new content appears at once or not at
   * all; a file keeps its owner; nothing is written through a link, even when one is put in place while this runs; when the place does not
   * hold `expected` any more it throws WorkspaceRefusal with kind "changed" and leaves everything as it is.
   */
  replace(real: string, expected: FileState, next: FileState | NewFile): Promise<Receipt>;
  /** Removes the folder if it is empty; returns whether it did. */
  removeFolder(real: string): Promise<boolean>;
}

/** Facts about the machine that are not in the settings. */
export interface MachineFolders {
  readonly codexHome: string;
  readonly tmpdir: string | undefined;
  readonly userHome?: string | undefined;
  /** The files that the server itself runs from. */
  readonly program?: readonly string[];
}

/** Why a file was not touched: a message for the model and the user, and the kind for code. */
export class WorkspaceRefusal extends Error {
  readonly kind: "changed" | "link" | "tooLarge" | "badPath" | "denied" | "io";
  constructor(kind: WorkspaceRefusal["kind"], message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.kind = kind;
  }
}

/** Equal in kind, content and, for files, permission bits. */
export const sameState = (a: FileState, b: FileState): boolean =>
  sameContent(a, b) && (a.kind !== "file" || b.kind !== "file" || a.mode === b.mode);

export function sameContent(a: FileState, b: FileState): boolean {
  if (a.kind === "file" && b.kind === "file") return Buffer.compare(a.bytes, b.bytes) === 0;
  if (a.kind === "link" && b.kind === "link") return a.target === b.target;
  return a.kind === "absent" && b.kind === "absent";
}
