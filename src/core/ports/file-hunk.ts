/** A change to one file as patches and tools describe it, before it is matched against the file's content. */
export interface ChunkLine {
  /** Context, added or removed. */
  readonly sign: " " | "+" | "-";
  readonly text: string;
}
export interface Chunk {
  /** Lines to skip past before searching for the chunk's own lines, in order. */
  readonly anchors: readonly string[];
  readonly lines: readonly ChunkLine[];
  /** The chunk's lines must be the last ones of the file. */
  readonly atEnd: boolean;
}
export type FileHunk =
  | { readonly op: "add"; readonly path: string; readonly content: string }
  | { readonly op: "delete"; readonly path: string }
  | { readonly op: "update"; readonly path: string; readonly movePath: string | undefined; readonly chunks: readonly Chunk[] }
  /** Replaces one text in a file with another. */
  | { readonly op: "replace"; readonly path: string; readonly oldText: string; readonly newText: string; readonly all: boolean }
  /** The whole content of a file, new or existing. */
  | { readonly op: "write"; readonly path: string; readonly content: string };
