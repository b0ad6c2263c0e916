/** Reads a repository's own files: where it is, what HEAD is, which refs it has. No process, so nothing of the repository can run. */
import { constants, lstatSync, type Stats } from "node:fs";
import { open, readdir } from "node:fs/promises";
import path from "node:path";
import type { RepositoryInfo } from "../core/ports/git.ts";
import { parseGitConfig, publicUrl } from "./git-config.ts";

export interface Repository {
  /** The folder that holds `.git`. */
  readonly root: string;
  /** HEAD and index of this working tree. */
  readonly gitDir: string;
  /** Objects, refs and config; shared by all working trees. */
  readonly commonDir: string;
}

const sha = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
const maxFile = 64 * 1024 * 1024;
const maxLoose = 5000;

export async function findRepository(cwd: string): Promise<Repository | undefined> {
  for (let root = path.resolve(cwd); ; root = path.dirname(root)) {
    const found = await repositoryAt(root);
    if (found !== undefined) return found;
    if (root === path.dirname(root)) return undefined;
  }
}

async function repositoryAt(root: string): Promise<Repository | undefined> {
  const dot = path.join(root, ".git");
  const stat = entryAt(dot);
  let gitDir = stat?.isDirectory() || stat?.isSymbolicLink() ? dot : undefined;
  if (stat?.isFile()) {
    const target = /^gitdir: *(.+?)\s*$/m.exec((await readText(dot, 4096)) ?? "")?.[1];
    gitDir = target === undefined ? undefined : path.resolve(root, target);
  }
  if (gitDir === undefined || (await readText(path.join(gitDir, "HEAD"), 4096)) === undefined) return undefined;
  const common = (await readText(path.join(gitDir, "commondir"), 4096))?.trim();
  return { root, gitDir, commonDir: common === undefined || common === "" ? gitDir : path.resolve(gitDir, common) };
}

/** One look for each folder above; most have none, and a thread that starts in no repository is spared the slower way to files. */
function entryAt(file: string): Stats | undefined {
  try {
    return lstatSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

export async function readInfo(repository: Repository): Promise<RepositoryInfo> {
  const { branch, sha: commit } = await readHead(repository);
  const url = (await readConfig(repository)).get("remote.origin.url");
  return { sha: commit ?? null, branch: branch ?? null, originUrl: url === undefined ? null : publicUrl(url) };
}

export async function readConfig(repository: Repository): Promise<ReadonlyMap<string, string>> {
  return parseGitConfig((await readText(path.join(repository.commonDir, "config"), 1024 * 1024)) ?? "");
}

export async function readHead(repository: Repository): Promise<{ branch: string | undefined; sha: string | undefined }> {
  const text = (await readText(path.join(repository.gitDir, "HEAD"), 4096))?.trim() ?? "";
  if (sha.test(text)) return { branch: undefined, sha: text };
  const ref = /^ref: *(refs\/\S+)$/.exec(text)?.[1];
  if (ref === undefined || !isRefName(ref)) return { branch: undefined, sha: undefined };
  const branch = ref.startsWith("refs/heads/") ? ref.slice("refs/heads/".length) : undefined;
  return { branch, sha: await readRef(repository, ref) };
}

/** A ref's commit: its own file first, then the packed list. */
async function readRef(repository: Repository, ref: string): Promise<string | undefined> {
  const loose = (await readText(path.join(repository.commonDir, ref), 4096))?.trim() ?? "";
  return sha.test(loose) ? loose : (await packedRefs(repository)).get(ref);
}

/** Names come from files that anybody may have written: none may leave the folder of refs. */
const isRefName = (ref: string): boolean =>
  ref.split("/").every((part) => part !== "" && !part.startsWith(".") && !/[\x00-\x20\x7f~^:?*[\\]/.test(part));

/** The commits that remotes are known to have, by full ref name. */
export async function remoteRefs(repository: Repository): Promise<ReadonlyMap<string, string>> {
  const refs = new Map([...(await packedRefs(repository))].filter(([name]) => name.startsWith("refs/remotes/")));
  const top = path.join(repository.commonDir, "refs/remotes");
  const names = await readdir(top, { recursive: true, encoding: "utf8" }).catch(() => []);
  for (const name of names.slice(0, maxLoose)) {
    const text = (await readText(path.join(top, name), 4096))?.trim() ?? "";
    if (sha.test(text)) refs.set(`refs/remotes/${name.split(path.sep).join("/")}`, text);
  }
  return refs;
}

async function packedRefs(repository: Repository): Promise<ReadonlyMap<string, string>> {
  const refs = new Map<string, string>();
  for (const line of ((await readText(path.join(repository.commonDir, "packed-refs"), maxFile)) ?? "").split("\n")) {
    const space = line.indexOf(" ");
    if (space > 0 && sha.test(line.slice(0, space))) refs.set(line.slice(space + 1), line.slice(0, space));
  }
  return refs;
}

/** The text of a regular file; undefined when it is missing, no file, or larger than `limit`. */
async function readText(file: string, limit: number): Promise<string | undefined> {
  // Not blocking: a pipe under this name must not hold the server.
  const handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch(() => undefined);
  if (handle === undefined) return undefined;
  try {
    const stat = await handle.stat();
    return stat.isFile() && stat.size <= limit ? await handle.readFile("utf8") : undefined;
  } catch {
    return undefined;
  } finally {
    await handle.close();
  }
}
