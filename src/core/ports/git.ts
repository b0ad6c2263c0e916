/** Port: the server's own use of git. Nothing that a repository configures is ever run. */
export interface RepositoryInfo {
  readonly sha: string | null;
  readonly branch: string | null;
  /** Without user name, password, token or query. */
  readonly originUrl: string | null;
}

export interface Git {
  /** The folder that holds `.git`, upwards from `cwd`; undefined outside a repository. */
  root(cwd: string): Promise<string | undefined>;
  /** Commit, branch and origin by reading files alone; undefined outside a repository. */
  info(cwd: string): Promise<RepositoryInfo | undefined>;
  /**
   * The nearest commit that a remote is known to have, and everything that `cwd`'s working tree, including untracked files, adds to it.
   * Undefined when there is no repository, no remote branch or no git. Rejects with the signal's reason when aborted.
   */
  diffToRemote(cwd: string, signal: AbortSignal): Promise<{ readonly sha: string; readonly diff: string } | undefined>;
}
