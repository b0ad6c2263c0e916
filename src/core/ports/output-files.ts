/** Port: whole texts of tool results of which the model is shown a part. It can read them with its commands. */
export interface OutputFiles {
  /** Keeps a text under a name like `name`. Resolves with its path, or undefined when it could not be kept; never rejects. */
  keep(name: string, text: string): Promise<string | undefined>;
}
