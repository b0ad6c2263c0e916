/** Linked worktrees for sessions: a separate checkout with its own branch, merged back into the repository's own folder or discarded. */
import { randomBytes } from "node:crypto";
import { mkdir, readdir, rm, rmdir } from "node:fs/promises";
import path from "node:path";
import { type MergedWorktree, type RemovedWorktree, RepositoryRefusal } from "../core/ports/repository.ts";
import { findRepository, underwayIn } from "./git-files.ts";
import { copyIfFile } from "./git-folder.ts";
import { GitFailed, inPrivateGit, type PrivateGit } from "./git-run.ts";
import { changingIndex, gitMessage, type Opened, openRepository, reading, runInRepository, text } from "./repository-access.ts";
import { checkBranchName, writeCommit } from "./repository-commit.ts";
import { entriesOf, nulSeparated } from "./repository-diff.ts";
import { refuseFiltered, stageAll } from "./repository-stage.ts";
import { mainRepository } from "./repository-status.ts";

/** Not under CODEX_HOME: commands never run inside the server's own home. */
export function worktreesFolder(env: Opened["options"]["env"]): string {
  const data = env["XDG_DATA_HOME"];
  const home = env["HOME"] ?? "/";
  return path.join(data !== undefined && path.isAbsolute(data) ? data : path.join(home, ".local", "share"), "parley", "worktrees");
}

/** git only registers it; the files are written by a git without the repository's settings, since a filter of them is a program. */
export async function addWorktree(opened: Opened, cwd: string, branch: string | undefined): Promise<{ folder: string; root: string }> {
  const { repository, head, options } = opened;
  if (head === undefined)
    throw new RepositoryRefusal("refused", "A worktree needs a commit to begin with, and this repository has none yet.");
  if (branch !== undefined) await checkBranchName(opened, branch);
  const parent = path.join(worktreesFolder(options.env), randomBytes(4).toString("hex"));
  await mkdir(parent, { recursive: true, mode: 0o700 });
  const root = path.join(parent, path.basename(repository.root));
  try {
    await runInRepository(opened)([
      "worktree",
      "add",
      "--quiet",
      "--no-checkout",
      ...(branch === undefined ? ["--detach"] : ["-b", branch]),
      "--",
      root,
      head,
    ]);
    const linked = await findRepository(root);
    if (linked === undefined) throw new Error("git made no worktree");
    await inPrivateGit(options, { repository: linked, head, workTree: root }, opened.signal, async ({ run, folder }) => {
      await rm(path.join(folder, "index"), { force: true });
      await run(["read-tree", "--reset", "-u", head]);
      await rm(path.join(linked.gitDir, "index"), { force: true });
      await copyIfFile(path.join(folder, "index"), path.join(linked.gitDir, "index"));
    });
  } catch (error) {
    await runInRepository(opened)(["worktree", "remove", "--force", "--", root]).catch(() => undefined);
    await rm(parent, { recursive: true, force: true });
    throw new RepositoryRefusal("refused", `git could not make a worktree of ${repository.root}: ${gitMessage(error)}`, error);
  }
  return { folder: path.join(root, path.relative(repository.root, cwd)), root: repository.root };
}

interface Linked {
  readonly tree: Opened;
  readonly main: Opened;
}

async function openLinked(tree: Opened, signal: AbortSignal): Promise<Linked> {
  const main = await mainRepository(tree.repository);
  if (main === undefined) throw new RepositoryRefusal("refused", `${tree.repository.root} is not a worktree of another repository.`);
  if (!tree.repository.root.startsWith(`${worktreesFolder(tree.options.env)}${path.sep}`))
    throw new RepositoryRefusal("refused", `${tree.repository.root} was not made for a session; use git worktree in a terminal.`);
  return { tree, main: await openRepository(tree.options, main.root, signal) };
}

export async function mergeWorktree(given: Opened, signal: AbortSignal): Promise<MergedWorktree> {
  const { tree, main } = await openLinked(given, signal);
  if (tree.head === undefined || main.head === undefined) throw new RepositoryRefusal("refused", "There is no commit to merge.");
  const underway = underwayIn(main.repository);
  if (underway !== null) throw new RepositoryRefusal("refused", `A ${underway} is under way in ${main.repository.root}. Finish it first.`);
  const into = main.branch ?? main.head.slice(0, 12);
  await reading(tree, async (git) => {
    if ((await entriesOf(tree, "unstaged", git)).length + (await entriesOf(tree, "staged", git)).length > 0)
      throw new RepositoryRefusal("refused", "The worktree has changes that are not committed. Commit them first.");
  });
  const merged = await changingIndex(main, (git) => mergeInto(main, tree, git));
  if (merged.conflicts.length > 0) return { into, sha: main.head, conflicts: merged.conflicts };
  await dropWorktree(tree, main, tree.head);
  return { into, sha: merged.sha, conflicts: [] };
}

/** Everything is computed first: the working tree is touched only when nothing stands in the way. */
async function mergeInto(
  main: Opened,
  tree: Opened,
  git: PrivateGit,
): Promise<{ sha: string; conflicts: { path: string; reason: string }[] }> {
  const { run } = git;
  const [ours, theirs] = [main.head ?? "", tree.head ?? ""];
  const base = text(await run(["merge-base", ours, theirs]).catch(() => Buffer.from("")));
  if (base === theirs) return { sha: ours, conflicts: [] };
  const name = tree.branch ?? "the worktree";
  const isForward = base === ours;
  const result = isForward ? `${theirs}^{tree}` : await mergedTree(git, ours, theirs);
  if (typeof result !== "string") return { sha: ours, conflicts: result.map((at) => ({ path: at, reason: "changed on both sides" })) };
  const wanted = text(await run(["rev-parse", "--verify", result]));
  const changed = nulSeparated(await run(["diff-tree", "-r", "-z", "--name-only", "--no-renames", ours, wanted, "--"]));
  await refuseFiltered(
    git,
    changed.map((rawPath) => ({ rawPath })),
  );
  const inTheWay = await blockers(main, git, changed);
  if (inTheWay.length > 0) return { sha: ours, conflicts: inTheWay };
  const sha = isForward
    ? theirs
    : await writeCommit(main, git, { tree: wanted, parents: [ours, theirs], message: `Merge branch '${name}'` });
  try {
    await run(["read-tree", "-m", "-u", ours, wanted]);
  } catch (error) {
    throw new RepositoryRefusal("refused", `The files in ${main.repository.root} could not be updated: ${gitMessage(error)}`, error);
  }
  const ref = main.branch === undefined ? "HEAD" : `refs/heads/${main.branch}`;
  await runInRepository(main)(["update-ref", "-m", `merge ${name}`, ref, sha, ours]);
  return { sha, conflicts: [] };
}

/** The merged tree, or the paths in conflict. */
async function mergedTree({ run }: PrivateGit, ours: string, theirs: string): Promise<string | string[]> {
  try {
    return (
      nulSeparated(await run(["merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", ours, theirs]))[0]?.toString("latin1") ??
      ""
    );
  } catch (error) {
    if (error instanceof GitFailed && error.exitCode === 1)
      return nulSeparated(error.stdout)
        .slice(1)
        .map((name) => name.toString("utf8"));
    throw new RepositoryRefusal("refused", `git could not merge: ${gitMessage(error)}`, error);
  }
}

/** Files that the merge would write over although a person has changed them. */
async function blockers(main: Opened, git: PrivateGit, changed: readonly Buffer[]): Promise<{ path: string; reason: string }[]> {
  const touched = new Set(changed.map((name) => name.toString("latin1")));
  const own = [...(await entriesOf(main, "unstaged", git)), ...(await entriesOf(main, "staged", git))];
  const hit = own.filter(
    ({ rawPath, rawOldPath }) =>
      touched.has(rawPath.toString("latin1")) || (rawOldPath !== null && touched.has(rawOldPath.toString("latin1"))),
  );
  return [...new Set(hit.map((entry) => entry.path))].map((at) => ({
    path: at,
    reason: `has changes in ${main.repository.root} that are not committed`,
  }));
}

export async function removeWorktree(given: Opened, onlyIfMerged: boolean, signal: AbortSignal): Promise<RemovedWorktree> {
  const { tree, main } = await openLinked(given, signal);
  const content = await snapshotOf(tree, main);
  if (onlyIfMerged && content !== undefined) return { removed: false, kept: null };
  const kept = content === undefined ? null : `refs/parley/discarded/${path.basename(path.dirname(tree.repository.root))}`;
  if (content !== undefined && kept !== null) await runInRepository(main)(["update-ref", "-m", "discarded worktree", kept, content]);
  await dropWorktree(tree, main, tree.head);
  return { removed: true, kept };
}

/** A commit with everything that only the worktree has; undefined if the repository's own branch has it all. */
async function snapshotOf(tree: Opened, main: Opened): Promise<string | undefined> {
  return await reading(tree, async (git) => {
    const { run } = git;
    const isDirty = (await stageAll(tree, git)) > 0 || (await entriesOf(tree, "staged", git)).length > 0;
    const parents = tree.head === undefined ? [] : [tree.head];
    if (isDirty)
      return await writeCommit(tree, git, { tree: text(await run(["write-tree"])), parents, message: "Files of a discarded worktree" });
    if (tree.head === undefined || main.head === undefined) return tree.head;
    const extra = Number(text(await run(["rev-list", "--count", `${main.head}..${tree.head}`])));
    return extra === 0 ? undefined : tree.head;
  });
}

async function dropWorktree({ repository, branch }: Opened, main: Opened, head: string | undefined): Promise<void> {
  const run = runInRepository(main);
  try {
    await run(["worktree", "remove", "--force", "--force", "--", repository.root]);
  } catch (error) {
    throw new RepositoryRefusal("refused", `The worktree could not be removed: ${gitMessage(error)}`, error);
  }
  if (branch !== undefined)
    await run(["update-ref", "-d", `refs/heads/${branch}`, ...(head === undefined ? [] : [head])]).catch(() => undefined);
  await removeEmpty(path.dirname(repository.root));
}

async function removeEmpty(folder: string): Promise<void> {
  if ((await readdir(folder).catch(() => ["?"])).length === 0) await rmdir(folder).catch(() => undefined);
}
