/** Port: whole texts of tool results of which the model is shown a part. It can read them with its commands. */
export interface OutputFiles {
  /** Keeps a text under a name like `name`; undefined when it could not be kept. Never rejects. */
  keep(name: string, text: string): Promise<KeptOutput | undefined>;
  /** The same for what comes piece by piece. */
  open(name: string): OutputSink;
}

export interface KeptOutput {
  readonly path: string;
  /** False for more than a file may hold: then it is the beginning. */
  readonly isWhole: boolean;
}

export interface OutputSink {
  /** Takes a copy. */
  write(bytes: Uint8Array): void;
  /** Resolves when all is on disk; undefined when it could not be kept. Never rejects. */
  end(): Promise<KeptOutput | undefined>;
}
