/** Port: full texts of tool results that the model sees only in part. It can read them with its commands. */
export interface OutputFiles {
  /** Saves a text under a name based on `name`; undefined when it could not be saved. Never rejects. */
  keep(name: string, text: string): Promise<KeptOutput | undefined>;
  /** The same for text that arrives in chunks. */
  open(name: string): OutputSink;
}

export interface KeptOutput {
  readonly path: string;
  /** False when the text exceeds the file limit: the file then has the beginning. */
  readonly isWhole: boolean;
}

export interface OutputSink {
  /** Copies the bytes. A promise if many wait for the disk: it resolves, also after a failure, when few do. */
  write(bytes: Uint8Array): Promise<void> | undefined;
  /** Resolves when everything is on disk; undefined when it could not be saved. Never rejects. */
  end(): Promise<KeptOutput | undefined>;
}
