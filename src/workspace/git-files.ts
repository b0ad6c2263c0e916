/** Reads a repository's own files: its location, HEAD and refs. Starts no process, so nothing of the repository can run. */
import { lstatSync, type Stats } from "node:fs";
import { readdir } from "node:fs/promises";
import path from "node:path";
import type { RepositoryInfo } from "../core/ports/git.ts";
import { readBoundedText } from "../lib/bounded-read.ts";
import { parseGitConfig, publicUrl } from "./git-config.ts";

export interface Repository {
  /** The folder that contains `.git`. */
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

/**
 * One synchronous stat per parent folder; most have no repository, and a thread that starts outside any repository avoids the slower
 * asynchronous calls.
 */
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

/** A ref's commit: from its own file, else from packed-refs. */
export async function readRef(repository: Repository, ref: string): Promise<string | undefined> {
  const loose = (await readText(path.join(repository.commonDir, ref), 4096))?.trim() ?? "";
  return sha.test(loose) ? loose : (await packedRefs(repository)).get(ref);
}

/** Names come from untrusted files: none may lead out of the refs folder. */
export const isRefName = (ref: string): boolean =>
  ref.split("/").every((part) => part !== "" && !part.startsWith(".") && !/[\x00-\x20\x7f~^:?*[\\]/.test(part));

/** The commits that remotes are known to have, by full ref name. */
export const remoteRefs = (repository: Repository): Promise<ReadonlyMap<string, string>> => refsUnder(repository, "refs/remotes");
/** The repository's own branches, by full ref name. */
export const branchRefs = (repository: Repository): Promise<ReadonlyMap<string, string>> => refsUnder(repository, "refs/heads");

async function refsUnder(repository: Repository, under: string): Promise<ReadonlyMap<string, string>> {
  const refs = new Map([...(await packedRefs(repository))].filter(([name]) => name.startsWith(`${under}/`)));
  const top = path.join(repository.commonDir, under);
  for (const file of await looseRefs(top)) {
    const text = (await readText(file, 4096))?.trim() ?? "";
    if (sha.test(text)) refs.set(`${under}/${path.relative(top, file).split(path.sep).join("/")}`, text);
  }
  return refs;
}

/** The branch that others are compared with: what the remote calls its default, else the usual names, on the remote or here. */
export async function defaultBranch(repository: Repository): Promise<{ readonly name: string; readonly sha: string } | undefined> {
  const named = /^ref: *(refs\/remotes\/\S+)$/.exec(
    (await readText(path.join(repository.commonDir, "refs/remotes/origin/HEAD"), 4096))?.trim() ?? "",
  );
  const usual = ["main", "master", "trunk"];
  const candidates = [
    ...(named?.[1] === undefined ? [] : [named[1]]),
    ...usual.map((name) => `refs/remotes/origin/${name}`),
    ...usual.map((name) => `refs/heads/${name}`),
  ];
  for (const ref of candidates) {
    const commit = isRefName(ref) ? await readRef(repository, ref) : undefined;
    if (commit !== undefined) return { name: ref.replace(/^refs\/(?:heads|remotes)\//, ""), sha: commit };
  }
  return undefined;
}

const beginnings = [
  ["MERGE_HEAD", "merge"],
  ["rebase-merge", "rebase"],
  ["rebase-apply", "rebase"],
  ["CHERRY_PICK_HEAD", "cherry-pick"],
  ["REVERT_HEAD", "revert"],
] as const;

/** What a person has begun in this working tree and not finished. */
export const underwayIn = ({ gitDir }: Repository): string | null =>
  beginnings.find(([name]) => entryAt(path.join(gitDir, name)) !== undefined)?.[1] ?? null;

/** Links are skipped: two that point to their own folder would form an endless tree. */
async function looseRefs(top: string): Promise<readonly string[]> {
  const files: string[] = [];
  const todo = [top];
  for (let folder = todo.pop(), seen = 0; folder !== undefined && files.length < maxLoose && seen < maxLoose; folder = todo.pop(), seen++)
    for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => []))
      if (entry.isDirectory()) todo.push(path.join(folder, entry.name));
      else if (entry.isFile()) files.push(path.join(folder, entry.name));
  return files.slice(0, maxLoose);
}

async function packedRefs(repository: Repository): Promise<ReadonlyMap<string, string>> {
  const refs = new Map<string, string>();
  for (const line of ((await readText(path.join(repository.commonDir, "packed-refs"), maxFile)) ?? "").split("\n")) {
    const space = line.indexOf(" ");
    if (space > 0 && sha.test(line.slice(0, space))) refs.set(line.slice(space + 1), line.slice(0, space));
  }
  return refs;
}

/** The text of a regular file; undefined if it is missing, not a file, or larger than `limit`. */
const readText = (file: string, limit: number): Promise<string | undefined> => readBoundedText(file, limit).catch(() => undefined);
