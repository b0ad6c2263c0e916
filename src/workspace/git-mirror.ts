/** What a worker has fetched of a repository, for all its threads: objects, and the names of commits. No settings, no hooks, no index. */
import { createHash } from "node:crypto";
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { RepositoryRefusal } from "../core/ports/repository.ts";
import { readBoundedText } from "../lib/bounded-read.ts";
import { replaceFileSync } from "../lib/durable-write.ts";
import { type Remote, type RemoteOptions, withRemote } from "./remote-repository.ts";
import { text } from "./repository-access.ts";

export interface Mirror {
  readonly objects: string;
  refs(): Promise<ReadonlyMap<string, string>>;
  /** The newest commit of a branch, tag or commit's name; of the default branch for null. */
  resolve(ref: string | null): Promise<{ readonly sha: string; readonly branch: string | undefined }>;
  /** Fetches a ref, from wherever it is kept, until the commit is here. */
  bring(url: string, ref: string, commit: string): Promise<void>;
}

const fetchMs = 300_000;
const maxRefsBytes = 64 * 1024 * 1024;
const everything = ["+refs/heads/*:refs/remotes/origin/*", "+refs/tags/*:refs/tags/*"];

export interface MirrorOptions extends RemoteOptions {
  readonly root: string;
  /** What runs in each mirror; the next one waits for it. */
  readonly fetching: Map<string, Promise<unknown>>;
}

export function openMirror(options: MirrorOptions & { readonly git: string }, url: string): Mirror {
  const folder = path.join(options.root, "mirrors", createHash("sha256").update(url).digest("hex").slice(0, 24));
  const names = path.join(folder, "packed-refs");
  const refs = async (): Promise<ReadonlyMap<string, string>> => parseRefs(await readBoundedText(names, maxRefsBytes).catch(() => ""));

  /** Two at once would each lose what the other has learned, and fetch the same. */
  const changing = <T>(work: (remote: Remote) => Promise<T>): Promise<T> =>
    oneAtATime(options.fetching, folder, async () => {
      for (const name of ["objects/info", "objects/pack"]) await mkdir(path.join(folder, name), { recursive: true, mode: 0o700 });
      return await withRemote(options, { folder, refs: await refs(), limitMs: fetchMs }, async (remote) => {
        const result = await work(remote);
        replaceFileSync(names, await remote.run(["for-each-ref", "--format=%(objectname) %(refname)"]));
        return result;
      });
    });

  return {
    objects: path.join(folder, "objects"),
    refs,
    resolve: (ref) =>
      changing(async (remote) => {
        const head = ref === null ? await remote.head(url) : undefined;
        if (ref === null && head === undefined) throw new RepositoryRefusal("refused", "it has no commit yet");
        await remote.fetch(url, everything);
        return head ?? (await named(remote, url, ref ?? "HEAD"));
      }),
    bring: (from, ref, commit) =>
      changing(async (remote) => {
        if (await has(remote, commit)) return;
        await remote.fetch(from, [`+${ref}:${ref}`]);
        if (!(await has(remote, commit)))
          throw new RepositoryRefusal("refused", `the saved files (commit ${commit}) are not in ${ref} of ${from}`);
      }),
  };
}

function oneAtATime<T>(running: MirrorOptions["fetching"], folder: string, work: () => Promise<T>): Promise<T> {
  const next = (running.get(folder) ?? Promise.resolve()).then(work, work);
  const settled = next.catch(() => undefined).finally(() => running.get(folder) === settled && running.delete(folder));
  running.set(folder, settled);
  return next;
}

const commitOf = async ({ run }: Remote, name: string): Promise<string | undefined> =>
  text(await run(["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`]).catch(() => Buffer.from(""))) || undefined;
const has = async (remote: Remote, sha: string): Promise<boolean> => (await commitOf(remote, sha)) !== undefined;

async function named(remote: Remote, url: string, ref: string): Promise<{ sha: string; branch: string | undefined }> {
  const branch = ref.replace(/^refs\/heads\//, "");
  const onBranch = await commitOf(remote, `refs/remotes/origin/${branch}`);
  if (onBranch !== undefined) return { sha: onBranch, branch };
  const isHash = /^[0-9a-f]{7,64}$/.test(ref);
  const tagged =
    (await commitOf(remote, ref.startsWith("refs/") ? ref : `refs/tags/${ref}`)) ?? (isHash ? await commitOf(remote, ref) : undefined);
  if (tagged !== undefined) return { sha: tagged, branch: undefined };
  // A commit or ref that no branch or tag leads to: some servers give it by its name.
  if (ref.startsWith("refs/") || /^[0-9a-f]{40,64}$/.test(ref)) {
    const kept = `refs/parley/wanted/${createHash("sha256").update(ref).digest("hex").slice(0, 16)}`;
    const found = await remote.fetch(url, [`+${ref}:${kept}`]).then(
      () => commitOf(remote, kept),
      () => undefined,
    );
    if (found !== undefined) return { sha: found, branch: undefined };
  }
  throw new RepositoryRefusal("refused", `there is no branch, tag or commit '${ref}' in it`);
}

function parseRefs(listed: string): ReadonlyMap<string, string> {
  return new Map(
    listed.split("\n").flatMap((line) => {
      const [, sha, name] = /^([0-9a-f]{40}|[0-9a-f]{64}) (refs\/\S+)$/.exec(line) ?? [];
      return sha === undefined || name === undefined ? [] : [[name, sha] as const];
    }),
  );
}
