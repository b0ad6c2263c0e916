/** Clones repositories with the system's git. Nothing from a repository is run, and nobody is asked for a password. */
import { execFile } from "node:child_process";
import { PluginProblem } from "./id.ts";

export interface GitOptions {
  /** The program's path; undefined when there is none. */
  readonly program: () => string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface Wanted {
  readonly url: string;
  readonly ref: string | undefined;
  /** Only these folders; all of it when empty. */
  readonly folders: readonly string[];
}

const timeoutMs = 120_000;
const maxOutput = 1024 * 1024;
/** No hooks, no transports that run programs, no bare repository inside the repository. */
const safe = ["-c", "core.hooksPath=/dev/null", "-c", "protocol.ext.allow=never", "-c", "safe.bareRepository=explicit"];

/** Fetches into `folder`, which is empty. Returns the commit. Throws PluginProblem. */
export async function cloneInto(folder: string, { url, ref, folders }: Wanted, options: GitOptions): Promise<string> {
  const part = folders.length === 0 ? [] : ["--filter=blob:none", "--sparse"];
  await git(["clone", "--quiet", "--no-recurse-submodules", "--no-checkout", ...part, "--", url, folder], options);
  if (folders.length > 0) await git(["sparse-checkout", "set", "--no-cone", "--", ...folders], options, folder);
  // A name that begins with `-` never gets here, and `--` keeps it from being parsed as a file.
  await git(["checkout", "--quiet", "--no-recurse-submodules", ref ?? "HEAD", "--"], options, folder);
  return (await git(["rev-parse", "HEAD"], options, folder)).trim();
}

/** The current commit of a repository. Throws PluginProblem. */
export async function remoteRevision({ url, ref }: Wanted, options: GitOptions): Promise<string> {
  if (ref !== undefined && /^[0-9a-f]{40}$/i.test(ref)) return ref;
  const [line = ""] = (await git(["ls-remote", "--", url, ref ?? "HEAD"], options)).split("\n");
  const revision = line.split("\t")[0]?.trim() ?? "";
  if (revision === "") throw new PluginProblem(`${url} has no ${ref ?? "commit"}`);
  return revision;
}

function git(args: readonly string[], { program, env }: GitOptions, cwd?: string): Promise<string> {
  const found = program();
  if (found === undefined) throw new PluginProblem("git is not installed, which this source needs");
  const { GIT_DIR: _, GIT_WORK_TREE: __, ...others } = env;
  const environment = { ...others, GIT_TERMINAL_PROMPT: "0", GIT_ASKPASS: "", SSH_ASKPASS: "", GIT_OPTIONAL_LOCKS: "0" };
  return new Promise((resolve, reject) => {
    const options = {
      ...(cwd === undefined ? {} : { cwd }),
      env: environment,
      timeout: timeoutMs,
      maxBuffer: maxOutput,
      encoding: "utf8" as const,
    };
    execFile(found, [...safe, ...args], options, (error, stdout, stderr) => {
      if (error === null) return resolve(stdout);
      const why = error.killed === true ? `took longer than ${timeoutMs / 1000} seconds` : stderr.trim().slice(0, 2000) || error.message;
      reject(new PluginProblem(`git ${args[0]} failed: ${why}`));
    }).stdin?.end();
  });
}
