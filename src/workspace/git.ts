/**
 * Implements the Git port. Facts are read from files; the one operation that needs git itself runs in a private git folder, where the
 * repository cannot configure anything.
 */
import { spawn } from "node:child_process";
import { lstat, mkdir, mkdtemp, readlink, rm } from "node:fs/promises";
import path from "node:path";
import type { Git } from "../core/ports/git.ts";
import { readBounded } from "../lib/bounded-read.ts";
import { type Blob, gitFileDiff } from "../lib/git-diff.ts";
import { boundedProgram } from "./bounded-program.ts";
import { findRepository, type Repository, readHead, readInfo, remoteRefs } from "./git-files.ts";
import { fillGitFolder } from "./git-folder.ts";

export interface GitOptions {
  /** Absolute path of git, in a folder that no command may write; undefined if there is none. */
  readonly program: () => string | undefined;
  /** A private folder for short-lived files: `$CODEX_HOME/parley/cache`. Never a temp folder: git trusts its contents. */
  readonly scratch: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const maxDiffBytes = 32 * 1024 * 1024;
const maxUntracked = 500;
const maxUntrackedBytes = 1024 * 1024;
const timeoutMs = 30_000;

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
      await mkdir(options.scratch, { recursive: true, mode: 0o700 });
      const folder = await mkdtemp(path.join(options.scratch, "git-"));
      try {
        const { sha } = await readHead(repository);
        const remotes = [...new Set((await remoteRefs(repository)).values())];
        if (sha === undefined || remotes.length === 0) return undefined;
        await fillGitFolder(folder, sha, repository);
        const run = runnerIn(
          program,
          repository,
          gitEnv(folder, repository, options.env),
          AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
        );
        const base = await nearest(sha, remotes, run);
        if (base === undefined) return undefined;
        return { sha: base, diff: (await trackedDiff(base, run)) + (await untrackedDiff(repository, run)) };
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof GitFailed) return undefined;
        throw error;
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
  };
}

/** git failed, wrote too much or took too long. */
class GitFailed extends Error {}

type Run = (args: readonly string[], stdin?: string) => Promise<Buffer>;

function runnerIn(program: string, repository: Repository, env: ReturnType<typeof gitEnv>, signal: AbortSignal): Run {
  return async (args, stdin = "") => {
    const [bounded, boundedArgs] = boundedProgram(program, ["--no-pager", ...args]);
    const child = spawn(bounded, boundedArgs, { cwd: repository.root, env, stdio: ["pipe", "pipe", "ignore"], signal });
    const chunks: Buffer[] = [];
    let size = 0;
    child.stdout.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxDiffBytes) child.kill("SIGKILL");
      else chunks.push(chunk);
    });
    child.stdin.on("error", () => undefined);
    child.stdin.end(stdin);
    const { promise, resolve, reject } = Promise.withResolvers<number | null>();
    child.on("error", (error) => reject(new GitFailed("git could not be run", { cause: error })));
    child.on("close", (code) => resolve(code));
    if ((await promise) !== 0) throw new GitFailed(`git ${args[0]} failed`);
    return Buffer.concat(chunks);
  };
}

/**
 * No config of the repository, the user or the system is read: it cannot name hooks, filters, fsmonitor, textconv, an external diff, a
 * pager, an ssh command or askpass. Attributes still apply, but they can only select drivers, and there are none.
 */
function gitEnv(folder: string, repository: Repository, own: GitOptions["env"]): Record<string, string> {
  const kept = Object.entries(own).filter(([name, value]) => value !== undefined && /^(?:HOME|XDG_CONFIG_HOME|SYSTEMROOT|TZ)$/.test(name));
  return {
    ...(Object.fromEntries(kept) as Record<string, string>),
    PATH: "/usr/bin:/bin",
    LC_ALL: "C",
    GIT_DIR: folder,
    GIT_WORK_TREE: repository.root,
    GIT_OBJECT_DIRECTORY: path.join(repository.commonDir, "objects"),
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_SYSTEM: "/dev/null",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_ATTR_NOSYSTEM: "1",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_NO_LAZY_FETCH: "1",
    GIT_ALLOW_PROTOCOL: "none",
    GIT_TERMINAL_PROMPT: "0",
    GIT_ASKPASS: "/bin/false",
    SSH_ASKPASS: "/bin/false",
    GIT_SSH_COMMAND: "/bin/false",
    GIT_PAGER: "cat",
    GIT_EDITOR: "/bin/false",
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
async function untrackedBlob(file: string): Promise<Blob | undefined> {
  const stat = await lstat(file).catch(() => undefined);
  if (stat?.isSymbolicLink()) return { bytes: Buffer.from(await readlink(file)), mode: "120000" };
  if (!stat?.isFile() || stat.size > maxUntrackedBytes) return undefined;
  const bytes = await readBounded(file, maxUntrackedBytes, { links: "refuse" }).catch(() => undefined);
  return bytes === undefined ? undefined : { bytes, mode: (stat.mode & 0o100) === 0 ? "100644" : "100755" };
}
