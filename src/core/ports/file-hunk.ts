/** A change to one file as patches and tools name it, before it is matched with what the file holds. */
export interface ChunkLine {
  /** Kept, added or removed. */
  readonly sign: " " | "+" | "-";
  readonly text: string;
}
export interface Chunk {
  /** Lines to jump past before looking for the chunk's own lines, in order. */
  readonly anchors: readonly string[];
  readonly lines: readonly ChunkLine[];
  /** The chunk's lines are the last ones of the file. */
  readonly atEnd: boolean;
}
export type FileHunk =
  | { readonly op: "add"; readonly path: string; readonly content: string }
  | { readonly op: "delete"; readonly path: string }
  | { readonly op: "update"; readonly path: string; readonly movePath: string | undefined; readonly chunks: readonly Chunk[] }
  /** A text that stands in a file gives way to another. */
  | { readonly op: "replace"; readonly path: string; readonly oldText: string; readonly newText: string; readonly all: boolean }
  /** All of a file, new or old. */
  | { readonly op: "write"; readonly path: string; readonly content: string };
