/** Runs git where the repository cannot configure anything: in a private git folder, with a cleaned environment, bounded in time, memory and output. */
import { spawn } from "node:child_process";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import path from "node:path";
import { boundedProgram } from "./bounded-program.ts";
import type { Repository } from "./git-files.ts";
import { fillGitFolder } from "./git-folder.ts";

export interface GitOptions {
  /** Absolute path of git, in a folder that no command may write; undefined if there is none. */
  readonly program: () => string | undefined;
  /** A private folder for short-lived files: `$CODEX_HOME/parley/cache`. Never a temp folder: git trusts its contents. */
  readonly scratch: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export const maxOutputBytes = 32 * 1024 * 1024;
const maxErrorBytes = 16 * 1024;
export const timeoutMs = 30_000;

/** git failed, wrote too much or took too long. */
export class GitFailed extends Error {
  readonly exitCode: number | null;
  /** The first lines of its error output. */
  readonly stderr: string;
  readonly isTooMuch: boolean;
  /** Some commands also write what went wrong to their output. */
  readonly stdout: Buffer;
  constructor(message: string, ended: { code: number | null; stderr: string; isTooMuch: boolean; stdout: Buffer }, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.exitCode = ended.code;
    this.stderr = ended.stderr;
    this.isTooMuch = ended.isTooMuch;
    this.stdout = ended.stdout;
  }
}

export type Run = (args: readonly string[], stdin?: string | Uint8Array) => Promise<Buffer>;

export interface Running {
  readonly program: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Ends what it has started too: ssh, credential helpers, hooks. */
  readonly asGroup?: boolean;
}

export const runner =
  ({ program, cwd, env, signal, asGroup = false }: Running): Run =>
  async (args, stdin = "") => {
    signal.throwIfAborted();
    const [bounded, boundedArgs] = asGroup ? [program, args] : boundedProgram(program, args);
    const child = spawn(bounded, boundedArgs, { cwd, env, stdio: ["pipe", "pipe", "pipe"], detached: asGroup });
    const end = (): void => endProcess(child.pid, asGroup);
    signal.addEventListener("abort", end, { once: true });
    const chunks: Buffer[] = [];
    let [size, stderr] = [0, ""];
    child.stdout.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxOutputBytes) end();
      else chunks.push(chunk);
    });
    child.stderr.on("data", (chunk: Buffer) => {
      if (stderr.length < maxErrorBytes) stderr += chunk.toString("utf8");
    });
    child.stdin.on("error", () => undefined);
    child.stdin.end(stdin);
    const { promise, resolve, reject } = Promise.withResolvers<number | null>();
    const ended = (code: number | null) => ({ code, stderr, isTooMuch: size > maxOutputBytes, stdout: Buffer.concat(chunks) });
    child.on("error", (error) => reject(new GitFailed(`${path.basename(program)} could not be run`, ended(null), error)));
    child.on("close", (code) => resolve(code));
    try {
      const code = await promise;
      if (code !== 0) throw new GitFailed(`${path.basename(program)} ${args.find((arg) => !arg.startsWith("-"))} failed`, ended(code));
      return Buffer.concat(chunks);
    } finally {
      signal.removeEventListener("abort", end);
    }
  };

function endProcess(pid: number | undefined, asGroup: boolean): void {
  try {
    if (pid !== undefined) process.kill(asGroup ? -pid : pid, "SIGKILL");
  } catch {
    // It has ended already.
  }
}

/**
 * No config of the repository, the user or the system is read: it cannot name hooks, filters, fsmonitor, textconv, an external diff, a
 * pager, an ssh command or askpass. Attributes still apply, but they can only select drivers, and there are none.
 */
export function privateEnv(
  folder: string,
  repository: Repository,
  own: GitOptions["env"],
  workTree = repository.root,
): Record<string, string> {
  const kept = Object.entries(own).filter(([name, value]) => value !== undefined && /^(?:HOME|XDG_CONFIG_HOME|SYSTEMROOT|TZ)$/.test(name));
  return {
    ...(Object.fromEntries(kept) as Record<string, string>),
    PATH: "/usr/bin:/bin",
    LC_ALL: "C",
    GIT_DIR: folder,
    GIT_WORK_TREE: workTree,
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
    GIT_LITERAL_PATHSPECS: "1",
  };
}

/** A private git folder while work is done in it. */
export interface PrivateGit {
  readonly run: Run;
  readonly folder: string;
}

export async function inPrivateGit<T>(
  options: GitOptions & { readonly git: string },
  { repository, head, workTree }: { repository: Repository; head: string | undefined; workTree?: string },
  signal: AbortSignal,
  work: (git: PrivateGit) => Promise<T>,
): Promise<T> {
  await mkdir(options.scratch, { recursive: true, mode: 0o700 });
  const folder = await mkdtemp(path.join(options.scratch, "git-"));
  try {
    await fillGitFolder(folder, head, repository);
    const env = privateEnv(folder, repository, options.env, workTree);
    const run = runner({ program: options.git, cwd: workTree ?? repository.root, env, signal });
    return await work({ run: (args, stdin) => run(["--no-pager", ...args], stdin), folder });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
