/** Opens a repository for a person's own work with it: the checks that every operation makes first, and the lock of its index. */
import { open, rename, rm } from "node:fs/promises";
import path from "node:path";
import { RepositoryRefusal } from "../core/ports/repository.ts";
import { readBounded } from "../lib/bounded-read.ts";
import { errorMessage } from "../lib/error-text.ts";
import { errorCode } from "../lib/system-error.ts";
import { findRepository, type Repository, readConfig, readHead } from "./git-files.ts";
import { GitFailed, type GitOptions, inPrivateGit, type PrivateGit, type Run, runner, timeoutMs } from "./git-run.ts";

export interface Opened {
  readonly repository: Repository;
  readonly branch: string | undefined;
  /** Undefined before the first commit. */
  readonly head: string | undefined;
  readonly signal: AbortSignal;
  readonly options: GitOptions & { readonly git: string };
}

/** Undefined outside a repository, and without git. */
export async function findOpened(options: GitOptions, cwd: string, signal: AbortSignal): Promise<Opened | undefined> {
  const git = options.program();
  const repository = await findRepository(cwd);
  if (git === undefined || repository === undefined) return undefined;
  const config = await readConfig(repository);
  if (/^reftable$/i.test(config.get("extensions.refstorage") ?? ""))
    throw new RepositoryRefusal(
      "refused",
      "This repository keeps its refs in the reftable format, which is not supported here. Use git in a terminal.",
    );
  const { branch, sha } = await readHead(repository);
  return {
    ...{ repository, branch, head: sha, options: { ...options, git } },
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
  };
}

export async function openRepository(options: GitOptions, cwd: string, signal: AbortSignal): Promise<Opened> {
  if (options.program() === undefined) throw new RepositoryRefusal("noGit", "git is not installed on the machine that runs the engine.");
  const opened = await findOpened(options, cwd, signal);
  if (opened === undefined) throw new RepositoryRefusal("noRepository", `${cwd} is in no git repository.`);
  return opened;
}

/** Reads with git, in a private folder with a copy of the index. */
export const reading = <T>(opened: Opened, work: (git: PrivateGit) => Promise<T>): Promise<T> =>
  inPrivateGit(opened.options, { repository: opened.repository, head: opened.head }, opened.signal, work);

const maxIndexBytes = 256 * 1024 * 1024;

/**
 * Changes the index: under git's own lock, on a copy in a private folder that then replaces it. Nothing changes if `work` fails.
 */
export async function changingIndex<T>(opened: Opened, work: (git: PrivateGit) => Promise<T>): Promise<T> {
  const { gitDir } = opened.repository;
  const lock = path.join(gitDir, "index.lock");
  const handle = await open(lock, "wx", 0o644).catch((error: unknown) => {
    if (errorCode(error) === "EEXIST")
      throw new RepositoryRefusal(
        "busy",
        `Another git program is changing this repository (${lock} exists). Try again when it has ended.`,
        error,
      );
    throw new RepositoryRefusal("refused", `The repository's index cannot be written: ${errorMessage(error)}`, error);
  });
  try {
    const result = await reading(opened, async (git) => {
      const done = await work(git);
      await handle.writeFile(await readBounded(path.join(git.folder, "index"), maxIndexBytes));
      return done;
    });
    await handle.close();
    await rename(lock, path.join(gitDir, "index"));
    return result;
  } catch (error) {
    await handle.close().catch(() => undefined);
    await rm(lock, { force: true });
    throw error;
  }
}

/**
 * For refs and worktrees git must work in the repository itself. Its config is read then, but none of these commands looks at the index or
 * at contents, and hooks are switched off: there is nothing left that they would run.
 */
export function runInRepository({ repository, options, signal }: Opened): Run {
  const kept = Object.entries(options.env).filter(
    ([name, value]) => value !== undefined && /^(?:HOME|XDG_CONFIG_HOME|SYSTEMROOT|TZ)$/.test(name),
  );
  const env = {
    ...(Object.fromEntries(kept) as Record<string, string>),
    ...{ PATH: "/usr/bin:/bin", LC_ALL: "C", GIT_DIR: repository.gitDir, GIT_WORK_TREE: repository.root },
    ...{
      GIT_OPTIONAL_LOCKS: "0",
      GIT_NO_LAZY_FETCH: "1",
      GIT_ALLOW_PROTOCOL: "none",
      GIT_TERMINAL_PROMPT: "0",
      GIT_LITERAL_PATHSPECS: "1",
    },
    ...{ GIT_ASKPASS: "/bin/false", GIT_SSH_COMMAND: "/bin/false", GIT_PAGER: "cat", GIT_EDITOR: "/bin/false" },
  };
  const run = runner({ program: options.git, cwd: repository.root, env, signal });
  const safe = ["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "core.pager=cat", "-c", "alias.none="];
  return (args, stdin) => run(["--no-pager", ...safe, ...args], stdin);
}

/** git's own message without its prefix, for people. */
export function gitMessage(error: unknown): string {
  if (!(error instanceof GitFailed)) return errorMessage(error);
  const lines = error.stderr.split("\n").map((line) => line.replace(/^(?:fatal|error|remote|hint): */, "").trim());
  return (
    lines
      .filter((line) => line !== "")
      .slice(0, 8)
      .join(" ") || error.message
  );
}

export const text = (bytes: Buffer): string => bytes.toString("utf8").trim();
