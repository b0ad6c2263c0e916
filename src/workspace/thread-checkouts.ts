/**
 * A checkout of a repository for each thread of a worker: a repository of its own that borrows the objects of a mirror, so that nothing an
 * agent does to it reaches other threads. At the end of a turn its files are committed by a private index and pushed to `refs/parley/<thread>`.
 */
import { lstat, mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { RepositoryRefusal } from "../core/ports/repository.ts";
import type { CheckoutSource, Checkouts, JustSaved, SavedFiles } from "../core/ports/thread-workspace.ts";
import { readBoundedText } from "../lib/bounded-read.ts";
import { replaceFileSync } from "../lib/durable-write.ts";
import { isRefName, type Repository, readHead } from "./git-files.ts";
import { copyIfFile } from "./git-folder.ts";
import { type Mirror, type MirrorOptions, openMirror } from "./git-mirror.ts";
import { GitFailed, inPrivateGit, type PrivateGit, runner } from "./git-run.ts";
import { checkAddress, type RemoteOptions, withRemote } from "./remote-repository.ts";
import { gitMessage, text } from "./repository-access.ts";

export interface CheckoutOptions extends RemoteOptions {
  /** Where mirrors and checkouts are: outside the server's own home, since commands run in the checkouts. */
  readonly root: string;
}

const checkoutMs = 120_000;
/** The end of a turn waits for it. */
const saveMs = 30_000;
const uuid = /^[0-9a-f-]{36}$/;

export function createCheckouts(given: CheckoutOptions): Checkouts {
  const options = { ...given, fetching: new Map<string, Promise<unknown>>() };
  return {
    sourceIn: (config) => sourceIn(config, options),
    open: (threadId, source, saved) =>
      inWords(source, "could not be checked out", () => openCheckout(options, { threadId, source, saved })),
    save: (threadId, source, saved) =>
      inWords(source, "could not take the files", () => saveCheckout(options, { threadId, source, saved })),
    placeOf: (threadId, source) => path.join(placeOf(options, threadId), folderName(source.url)),
    async remove(threadId) {
      if (uuid.test(threadId)) await rm(placeOf(options, threadId), { recursive: true, force: true });
    },
  };
}

interface Wanted {
  readonly threadId: string;
  readonly source: CheckoutSource;
  readonly saved: SavedFiles | undefined;
}
type Given = CheckoutOptions & MirrorOptions;
type Options = Given & { readonly git: string };

async function inWords<T>(source: CheckoutSource, what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof RepositoryRefusal) throw new RepositoryRefusal(error.kind, `${source.url} ${what}: ${error.message}`, error);
    if (!(error instanceof GitFailed)) throw error;
    throw new RepositoryRefusal("refused", `${source.url} ${what}: ${gitMessage(error)}`, error);
  }
}

function withGit(options: Given): Options {
  const git = options.program();
  if (git === undefined) throw new RepositoryRefusal("noGit", "git is not installed on this worker");
  return { ...options, git };
}

/** Both spellings of a dotted key: as one name, and as tables within each other. */
function sourceIn(config: Readonly<Record<string, unknown>>, { protocols }: CheckoutOptions): CheckoutSource | undefined {
  const nested = config["fleet"];
  const table = typeof nested === "object" && nested !== null ? (nested as Readonly<Record<string, unknown>>) : {};
  const field = (name: string): string | undefined => {
    const value = config[`fleet.${name}`] ?? table[name];
    if (value === undefined || value === null) return undefined;
    if (typeof value !== "string" || value === "") throw new RepositoryRefusal("refused", `fleet.${name} must be a text that is not empty`);
    return value;
  };
  const [url, ref, snapshots] = [field("git"), field("ref"), field("snapshots")];
  if (url === undefined) {
    if (ref !== undefined || snapshots !== undefined)
      throw new RepositoryRefusal("refused", `fleet.${ref === undefined ? "snapshots" : "ref"} belongs to fleet.git, which is missing`);
    return undefined;
  }
  checkAddress("fleet.git", url, protocols());
  if (snapshots !== undefined) checkAddress("fleet.snapshots", snapshots, protocols());
  if (ref !== undefined && (ref.startsWith("-") || ref.length > 500 || !isRefName(ref)))
    throw new RepositoryRefusal("refused", "fleet.ref is no name of a branch, tag or commit");
  return { url, ref: ref ?? null, snapshots: snapshots ?? null };
}

const placeOf = ({ root }: CheckoutOptions, threadId: string): string => path.join(root, "threads", threadId);
const folderName = (url: string): string => /([\w.-]+?)(?:\.git)?\/*$/.exec(url)?.[1]?.replace(/^[.-]+/, "") || "repository";
const repositoryIn = (folder: string): Repository => ({
  root: folder,
  gitDir: path.join(folder, ".git"),
  commonDir: path.join(folder, ".git"),
});
const markOf = (place: string): string => path.join(place, "saved");
const refOf = (threadId: string): string => `refs/parley/${threadId}`;

async function openCheckout(given: Given, wanted: Wanted): Promise<string> {
  const { threadId, source, saved } = wanted;
  if (!uuid.test(threadId)) throw new RepositoryRefusal("refused", "not a thread's id");
  const options = withGit(given);
  const place = placeOf(options, threadId);
  const folder = path.join(place, folderName(source.url));
  const mark = saved?.commit ?? "new";
  // What was done here since it was saved last is newer than anything elsewhere.
  if ((await readBoundedText(markOf(place), 200).catch(() => undefined)) === mark && (await isCheckout(folder))) return folder;
  await rm(place, { recursive: true, force: true });
  const mirror = openMirror(options, source.url);
  const from = saved === undefined ? await mirror.resolve(source.ref) : { sha: saved.head, branch: saved.branch ?? undefined };
  if (saved !== undefined) await mirror.bring(source.snapshots ?? source.url, refOf(threadId), saved.commit);
  try {
    await makeRepository(folder, source, mirror, from);
    await writeFiles(options, folder, from.sha, saved?.commit ?? from.sha);
  } catch (error) {
    await rm(place, { recursive: true, force: true });
    throw error;
  }
  replaceFileSync(markOf(place), mark);
  return folder;
}

/** An agent may have put something else there. */
async function isCheckout(folder: string): Promise<boolean> {
  const stats = await Promise.all([folder, path.join(folder, ".git")].map((each) => lstat(each).catch(() => undefined)));
  return stats.every((each) => each?.isDirectory() === true);
}

/** By hand, so that it contains nothing but this. */
async function makeRepository(
  folder: string,
  source: CheckoutSource,
  mirror: Mirror,
  from: { readonly sha: string; readonly branch: string | undefined },
): Promise<void> {
  const { gitDir } = repositoryIn(folder);
  for (const name of ["objects/info", "objects/pack", "refs/heads", "info"])
    await mkdir(path.join(gitDir, name), { recursive: true, mode: 0o700 });
  const branch = from.branch !== undefined && isRefName(`refs/heads/${from.branch}`) ? from.branch : undefined;
  const refs = [...(await mirror.refs())].filter(([name]) => /^refs\/(?:remotes\/origin|tags)\//.test(name));
  if (branch !== undefined) refs.push([`refs/heads/${branch}`, from.sha]);
  const packed = refs.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, sha]) => `${sha} ${name}\n`);
  const tracked =
    branch === undefined ? "" : `[branch "${branch.replaceAll(/["\\]/g, "\\$&")}"]\n\tremote = origin\n\tmerge = refs/heads/${branch}\n`;
  const quoted = `"${source.url.replaceAll(/["\\]/g, "\\$&")}"`;
  const config = `[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n[remote "origin"]\n\turl = ${quoted}\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n${tracked}`;
  await writeFile(path.join(gitDir, "objects/info/alternates"), `${mirror.objects}\n`);
  await writeFile(path.join(gitDir, "packed-refs"), `# pack-refs with: sorted \n${packed.join("")}`);
  await writeFile(path.join(gitDir, "config"), config);
  await writeFile(path.join(gitDir, "HEAD"), branch === undefined ? `${from.sha}\n` : `ref: refs/heads/${branch}\n`);
}

/** The files of one commit over another that is checked out: what differs is shown as a change that is not committed. */
async function writeFiles(options: Options, folder: string, head: string, files: string): Promise<void> {
  const repository = repositoryIn(folder);
  await inPrivateGit(options, { repository, head, workTree: folder }, AbortSignal.timeout(checkoutMs), async (git) => {
    await git.run(["read-tree", "--reset", "-u", files]);
    if (files !== head) await git.run(["read-tree", "--reset", head]);
    await copyIfFile(path.join(git.folder, "index"), path.join(repository.gitDir, "index"));
  });
}

async function saveCheckout(given: Given, { threadId, source, saved }: Wanted): Promise<JustSaved> {
  const options = withGit(given);
  const place = placeOf(options, threadId);
  const folder = path.join(place, folderName(source.url));
  if (!(await isCheckout(folder))) throw new RepositoryRefusal("refused", `the checkout ${folder} is gone, or no repository any more`);
  const repository = repositoryIn(folder);
  const { sha: head, branch = null } = await readHead(repository);
  if (head === undefined) throw new RepositoryRefusal("refused", "its HEAD names no commit");
  const signal = AbortSignal.timeout(saveMs);
  const { tree, before, warning } = await inPrivateGit(options, { repository, head, workTree: folder }, signal, async ({ run }) => {
    // A file that cannot be read, or a repository within this one, is no reason to lose all others.
    const warning = await run(["add", "--all", "--ignore-errors", "--", "."]).then(
      () => undefined,
      (error: unknown) => {
        if (!(error instanceof GitFailed) || error.exitCode !== 1) throw error;
        return gitMessage(error);
      },
    );
    const before =
      saved === undefined ? undefined : text(await run(["rev-parse", "--verify", `${saved.commit}^{tree}`]).catch(() => Buffer.from("")));
    return { tree: text(await run(["write-tree"])), before, warning };
  });
  if (saved !== undefined && tree === before && saved.head === head) return { saved: { ...saved, branch }, warning };
  const commit = await pushFiles(options, { threadId, source, saved }, { repository, tree, head });
  replaceFileSync(markOf(place), commit);
  return { saved: { commit, head, branch }, warning };
}

interface Files {
  readonly repository: Repository;
  readonly tree: string;
  readonly head: string;
}

/** Each saved commit contains those before it, so that none that a thread's row names is ever out of reach of the ref. */
async function pushFiles(options: Options, { threadId, source, saved }: Wanted, files: Files): Promise<string> {
  const url = source.snapshots ?? source.url;
  const ref = refOf(threadId);
  const { commonDir: folder } = files.repository;
  return await withRemote(options, { folder, refs: new Map(), limitMs: saveMs }, async (remote) => {
    const parents = [files.head, ...(saved === undefined ? [] : [saved.commit])];
    for (let tries = 0; ; tries++) {
      const commit = await commitFiles(options, files, parents);
      try {
        await remote.push(url, [`${commit}:${ref}`]);
        return commit;
      } catch (error) {
        const said = error instanceof GitFailed ? error.stderr + error.stdout.toString("utf8") : "";
        if (tries === 2 || !/\[rejected\]|fetch first|non-fast-forward/.test(said)) throw error;
        // A worker that died after it had pushed left a commit that no row names: it stays in the history, and its files do not count.
        await remote.fetch(url, [`+${ref}:${ref}`]);
        parents.push(text(await remote.run(["rev-parse", "--verify", ref])));
      }
    }
  });
}

async function commitFiles(options: Options, { repository, tree, head }: Files, parents: readonly string[]): Promise<string> {
  const signal = AbortSignal.timeout(saveMs);
  return await inPrivateGit(options, { repository, head }, signal, async ({ folder }: PrivateGit) => {
    const who = { NAME: "Parley", EMAIL: "parley@fleet.invalid" };
    const env = {
      ...{ PATH: "/usr/bin:/bin", LC_ALL: "C", GIT_DIR: folder, GIT_OBJECT_DIRECTORY: path.join(repository.commonDir, "objects") },
      ...{ GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null" },
      ...Object.fromEntries(
        ["AUTHOR", "COMMITTER"].flatMap((role) => Object.entries(who).map(([name, value]) => [`GIT_${role}_${name}`, value])),
      ),
    };
    const run = runner({ program: options.git, cwd: repository.root, env, signal });
    return text(
      await run([
        "--no-pager",
        "commit-tree",
        tree,
        ...[...new Set(parents)].flatMap((sha) => ["-p", sha]),
        "-m",
        "Files at the end of a turn",
      ]),
    );
  });
}
