/** Fetching from and pushing to a repository that a client has named: with the host's own credentials, and with nothing that the address or either repository could make git run. */
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { RepositoryRefusal } from "../core/ports/repository.ts";
import { type GitOptions, inPrivateGit, type Run, runner } from "./git-run.ts";
import { userEnv } from "./repository-push.ts";

export type Protocol = "https" | "ssh" | "file";

export interface RemoteOptions extends GitOptions {
  /** Which addresses clients may name. */
  readonly protocols: () => readonly Protocol[];
}

/** Checks an address; `field` names it in the refusal. */
export function checkAddress(field: string, url: string, protocols: readonly Protocol[]): void {
  const refuse = (why: string): never => {
    throw new RepositoryRefusal("refused", `${field}: ${why}`);
  };
  if (url.length > 2000 || /[\x00-\x20\x7f]/.test(url)) refuse("the address contains spaces or control characters, or is too long");
  const protocol = protocolOf(url);
  if (protocol === undefined) return refuse("expected an address like https://HOST/PATH, ssh://HOST/PATH or USER@HOST:PATH");
  if (!protocols.includes(protocol))
    refuse(`addresses of the kind ${protocol} are not allowed on this worker, only ${protocols.join(", ")}`);
  if (/^[a-z]+:\/\/[^/]*:[^/]*@/i.test(url))
    refuse("the address contains a password; leave it out, and give the workers' hosts a credential helper");
}

/** None that git could take for an option, or that names a program (`ext::`). */
function protocolOf(url: string): Protocol | undefined {
  if (/^https:\/\/[\w[][^\s]*$/i.test(url)) return "https";
  if (/^ssh:\/\/(?:[\w.+-]+@)?[\w[][^\s]*$/i.test(url) || /^(?:[\w.+-]+@)[\w][\w.-]*:(?![-:])[^\s]+$/.test(url)) return "ssh";
  return /^(?:file:\/\/)?\/[^\s]*$/.test(url) ? "file" : undefined;
}

const safe = [
  ["core.hooksPath", "/dev/null"],
  ["core.fsmonitor", "false"],
  ["core.alternateRefsCommand", "true"],
  ["protocol.ext.allow", "never"],
  ["receive.autogc", "false"],
  ["gc.auto", "0"],
  ["maintenance.auto", "false"],
  ["push.gpgSign", "false"],
  ["push.recurseSubmodules", "no"],
  ["fetch.recurseSubmodules", "no"],
].flatMap(([name, value]) => ["-c", `${name}=${value}`]);

/** A repository on the same disk is served by our own git: its hooks and settings must not run either. */
const servedBy = (url: string, service: "upload-pack" | "receive-pack"): readonly string[] =>
  protocolOf(url) === "file" ? [`--${service}=git ${safe.join(" ")} ${service}`] : [];

export interface Remote {
  /** `refs` are refspecs. Refs that exist here tell the other side what it need not send. */
  fetch(url: string, refs: readonly string[]): Promise<void>;
  push(url: string, refs: readonly string[]): Promise<void>;
  /** Its HEAD: the commit, and the branch's name. */
  head(url: string): Promise<{ readonly sha: string; readonly branch: string | undefined } | undefined>;
  /** git without the network, in the same private folder. */
  readonly run: Run;
}

/** Works with the objects of `folder`, which has no settings that count. `refs`: what is known of it, by full name. */
export async function withRemote<T>(
  options: RemoteOptions & { readonly git: string },
  { folder, refs, limitMs }: { readonly folder: string; readonly refs: ReadonlyMap<string, string>; readonly limitMs: number },
  work: (remote: Remote) => Promise<T>,
): Promise<T> {
  const signal = AbortSignal.timeout(limitMs);
  const repository = { root: folder, gitDir: folder, commonDir: folder };
  try {
    return await inPrivateGit(options, { repository, head: undefined, workTree: options.scratch }, signal, async (git) => {
      const known = [...refs].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, sha]) => `${sha} ${name}\n`);
      await writeFile(path.join(git.folder, "packed-refs"), `# pack-refs with: sorted \n${known.join("")}`);
      const network = runner({
        program: options.git,
        cwd: options.scratch,
        env: networkEnv(options, git.folder, folder),
        signal,
        asGroup: true,
      });
      const call: Run = (args) => network(["--no-pager", ...safe, ...args]);
      return await work({
        run: git.run,
        async fetch(url, wanted) {
          const flags = ["--no-tags", "--force", "--no-write-fetch-head", "--no-auto-maintenance", "--no-recurse-submodules"];
          await call(["fetch", "--quiet", ...flags, ...servedBy(url, "upload-pack"), "--", url, ...wanted]);
        },
        async push(url, wanted) {
          await call(["push", "--porcelain", "--no-verify", ...servedBy(url, "receive-pack"), "--", url, ...wanted]);
        },
        async head(url) {
          const lines = (await call(["ls-remote", "--symref", ...servedBy(url, "upload-pack"), "--", url, "HEAD"])).toString("utf8");
          const sha = /^([0-9a-f]{40,64})\tHEAD$/m.exec(lines)?.[1];
          return sha === undefined ? undefined : { sha, branch: /^ref: refs\/heads\/(\S+)\tHEAD$/m.exec(lines)?.[1] };
        },
      });
    });
  } catch (error) {
    if (signal.aborted) throw new RepositoryRefusal("refused", `git took longer than ${limitMs / 1000} seconds`, error);
    throw error;
  }
}

const networkEnv = (options: RemoteOptions, folder: string, objects: string): Record<string, string> => ({
  ...userEnv(options.env),
  ...{ LC_ALL: "C", GIT_DIR: folder, GIT_OBJECT_DIRECTORY: path.join(objects, "objects"), GIT_NO_REPLACE_OBJECTS: "1" },
  GIT_ALLOW_PROTOCOL: options.protocols().join(":"),
});
