/** What a person sees of a repository at a glance: branch, distance to its remote, counts of changes, and what can be done. */
import path from "node:path";
import type { RepositoryStatus } from "../core/ports/repository.ts";
import { forgeOf } from "./forge.ts";
import { publicUrl } from "./git-config.ts";
import { branchRefs, defaultBranch, findRepository, type Repository, readConfig, readHead, readRef, underwayIn } from "./git-files.ts";
import type { Run } from "./git-run.ts";
import { type Opened, reading, text } from "./repository-access.ts";
import { hooksOf, userSettings } from "./repository-commit.ts";
import { mergeBase, nulSeparated } from "./repository-diff.ts";
import { remoteOf } from "./repository-push.ts";

const maxNamed = 200;

export async function readStatus(opened: Opened, worktreesFolder: string): Promise<RepositoryStatus> {
  const { repository, branch, head } = opened;
  return await reading(opened, async ({ run }) => {
    const counts = await countChanges(run);
    const base = await defaultBranch(repository);
    const from = await mergeBase(opened, run);
    const remote = await remoteOf(opened);
    const settings = await userSettings(opened);
    return {
      ...{ root: repository.root, branch: branch ?? null, sha: head ?? null, base: base ?? null, ...counts },
      upstream: await upstreamOf(opened, run),
      ahead: head === undefined || from === undefined ? 0 : await countCommits(run, `${from}..${head}`),
      underway: underwayIn(repository),
      branches: [...(await branchRefs(repository)).keys()]
        .map((ref) => ref.slice("refs/heads/".length))
        .sort()
        .slice(0, maxNamed),
      remote: remote === undefined ? null : { name: remote.name, url: publicUrl(remote.url) ?? "" },
      forge: (await forgeOf(opened))?.name ?? null,
      hooks: hooksOf(repository, settings.get("core.hookspath")),
      signs: /^(?:true|yes|on|1)$/i.test(settings.get("commit.gpgsign") ?? ""),
      worktree: await worktreeOf(repository, worktreesFolder),
    };
  });
}

/** The repository's own folder, for a linked worktree. */
export async function mainRepository({ gitDir, commonDir }: Repository): Promise<Repository | undefined> {
  if (gitDir === commonDir || path.basename(commonDir) !== ".git") return undefined;
  return await findRepository(path.dirname(commonDir));
}

async function worktreeOf(repository: Repository, worktreesFolder: string): Promise<RepositoryStatus["worktree"]> {
  const main = await mainRepository(repository);
  if (main === undefined) return null;
  const isOurs = repository.root.startsWith(`${worktreesFolder}${path.sep}`);
  return { root: main.root, branch: (await readHead(main)).branch ?? null, isOurs };
}

async function countChanges(run: Run): Promise<Pick<RepositoryStatus, "staged" | "unstaged" | "untracked" | "conflicts">> {
  const rows = nulSeparated(
    await run(["status", "--porcelain=v2", "-z", "--untracked-files=all", "--ignore-submodules=dirty", "--no-renames"]),
  );
  let [staged, unstaged, untracked] = [0, 0, 0];
  const conflicts: string[] = [];
  for (const row of rows) {
    const line = row.toString("utf8");
    if (line.startsWith("1 ")) {
      if (line[2] !== ".") staged++;
      if (line[3] !== ".") unstaged++;
    } else if (line.startsWith("? ")) untracked++;
    else if (line.startsWith("u ") && conflicts.length < maxNamed) conflicts.push(line.split(" ").slice(10).join(" "));
  }
  return { staged, unstaged, untracked, conflicts };
}

const countCommits = async (run: Run, range: string): Promise<number> =>
  Number(text(await run(["rev-list", "--count", range]).catch(() => Buffer.from("0"))));

async function upstreamOf({ repository, branch, head }: Opened, run: Run): Promise<RepositoryStatus["upstream"]> {
  if (branch === undefined || head === undefined) return null;
  const config = await readConfig(repository);
  const remote = config.get(`branch.${branch}.remote`) ?? "origin";
  const name = `${remote}/${config.get(`branch.${branch}.merge`)?.replace(/^refs\/heads\//, "") ?? branch}`;
  const sha = /[\x00-\x20~^:?*[\\]|\.\./.test(name) ? undefined : await readRef(repository, `refs/remotes/${name}`);
  if (sha === undefined) return null;
  return { name, ahead: await countCommits(run, `${sha}..${head}`), behind: await countCommits(run, `${head}..${sha}`) };
}
