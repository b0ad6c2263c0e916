/**
 * Implements the Git port. Facts are read from files; the one operation that needs git itself runs in a private git folder, where the
 * repository cannot configure anything.
 */
import { lstat, readlink } from "node:fs/promises";
import path from "node:path";
import type { Git } from "../core/ports/git.ts";
import { readBounded } from "../lib/bounded-read.ts";
import { type Blob, gitFileDiff } from "../lib/git-diff.ts";
import { findRepository, type Repository, readHead, readInfo, remoteRefs } from "./git-files.ts";
import { GitFailed, type GitOptions, inPrivateGit, type Run, timeoutMs } from "./git-run.ts";

const maxUntracked = 500;
const maxUntrackedBytes = 1024 * 1024;

export function createGit(options: GitOptions): Git {
  return {
    async root(cwd) {
      return (await findRepository(cwd))?.root;
    },
    async info(cwd) {
      const repository = await findRepository(cwd);
      return repository === undefined ? undefined : await readInfo(repository);
    },
    async diffToRemote(cwd, signal) {
      const program = options.program();
      const repository = await findRepository(cwd);
      if (program === undefined || repository === undefined) return undefined;
      const { sha } = await readHead(repository);
      const remotes = [...new Set((await remoteRefs(repository)).values())];
      if (sha === undefined || remotes.length === 0) return undefined;
      try {
        const limited = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
        return await inPrivateGit({ ...options, git: program }, { repository, head: sha }, limited, async ({ run }) => {
          const base = await nearest(sha, remotes, run);
          if (base === undefined) return undefined;
          return { sha: base, diff: (await trackedDiff(base, run)) + (await untrackedDiff(repository, run)) };
        });
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof GitFailed || isTimeout(error)) return undefined;
        throw error;
      }
    },
  };
}

/** The nearest commit of our history that some remote has: the one with the fewest local commits on top. */
async function nearest(head: string, remotes: readonly string[], run: Run): Promise<string | undefined> {
  const listed = await run(
    ["rev-list", "--boundary", "--ignore-missing", "--stdin"],
    `${head}\n${remotes.map((sha) => `^${sha}\n`).join("")}`,
  );
  const lines = listed
    .toString("latin1")
    .split("\n")
    .filter((line) => line !== "");
  if (lines.length === 0) return head;
  let best: { sha: string; distance: number } | undefined;
  for (const sha of lines
    .filter((line) => line.startsWith("-"))
    .map((line) => line.slice(1))
    .slice(0, 16)) {
    const distance = Number((await run(["rev-list", "--count", `${sha}..${head}`])).toString("latin1"));
    if (best === undefined || distance < best.distance) best = { sha, distance };
  }
  return best?.sha;
}

async function trackedDiff(base: string, run: Run): Promise<string> {
  const quiet = [
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--ignore-submodules=dirty",
    "--full-index",
    "--src-prefix=a/",
    "--dst-prefix=b/",
  ];
  return (await run(["diff", ...quiet, base, "--"])).toString("utf8");
}

const isTimeout = (error: unknown): boolean => error instanceof Error && error.name === "TimeoutError";

async function untrackedDiff(repository: Repository, run: Run): Promise<string> {
  const names = (await run(["ls-files", "--others", "--exclude-standard", "-z"])).toString("utf8").split("\0");
  let diff = "";
  for (const name of names.filter((name) => name !== "" && !name.endsWith("/")).slice(0, maxUntracked)) {
    const blob = await untrackedBlob(path.join(repository.root, name));
    if (blob !== undefined) diff += await gitFileDiff(name, name, undefined, blob);
  }
  return diff;
}

/** A file or link as git would add it; undefined for anything git would not add, or too large to show. */
export async function untrackedBlob(file: string): Promise<Blob | undefined> {
  const stat = await lstat(file).catch(() => undefined);
  if (stat?.isSymbolicLink()) return { bytes: Buffer.from(await readlink(file)), mode: "120000" };
  if (!stat?.isFile() || stat.size > maxUntrackedBytes) return undefined;
  const bytes = await readBounded(file, maxUntrackedBytes, { links: "refuse" }).catch(() => undefined);
  return bytes === undefined ? undefined : { bytes, mode: (stat.mode & 0o100) === 0 ? "100644" : "100755" };
}
