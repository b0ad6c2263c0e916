/** Commits what is staged, on the current branch or a new one, and pushes a branch: a person's explicit acts. */
import { accessSync, constants, statSync } from "node:fs";
import path from "node:path";
import { type CommitRequest, RepositoryRefusal } from "../core/ports/repository.ts";
import { isRefName, type Repository, readRef, underwayIn } from "./git-files.ts";
import { GitFailed, type PrivateGit, runner } from "./git-run.ts";
import { changingIndex, gitMessage, type Opened, reading, runInRepository, text } from "./repository-access.ts";
import { emptyTree, nulSeparated } from "./repository-diff.ts";
import { userEnv } from "./repository-push.ts";
import { stageAll } from "./repository-stage.ts";

/** Hooks may run tests; callers wait two minutes. */
const hooksMs = 100_000;

const zero = (sha: string | undefined): string => "0".repeat(sha?.length ?? 40);

export async function commitChanges(opened: Opened, request: CommitRequest, outer: AbortSignal): Promise<{ sha: string; branch: string }> {
  const message = request.message.trim();
  if (message === "") throw new RepositoryRefusal("refused", "The commit needs a message.");
  const underway = underwayIn(opened.repository);
  if (underway !== null)
    throw new RepositoryRefusal("refused", `A ${underway} is under way in this repository. Finish it in a terminal first.`);
  const branch = await branchFor(opened, request.branch);
  if (request.asInTerminal)
    return await commitAsInTerminal(opened, request, branch, AbortSignal.any([outer, AbortSignal.timeout(hooksMs)]));
  const staged = request.all ? changingIndex(opened, (git) => makeCommit(opened, git, message, true)) : undefined;
  const sha = await (staged ?? reading(opened, (git) => makeCommit(opened, git, message, false)));
  await moveBranch(opened, branch, sha, `commit: ${message.split("\n")[0]?.slice(0, 100)}`);
  return { sha, branch };
}

async function makeCommit(opened: Opened, git: PrivateGit, message: string, all: boolean): Promise<string> {
  const { run } = git;
  if (all) await stageAll(opened, git);
  const unmerged = nulSeparated(await run(["ls-files", "--unmerged", "-z"]));
  if (unmerged.length > 0) throw new RepositoryRefusal("refused", "Some files have conflicts. Solve them first.");
  const tree = text(await run(["write-tree"]));
  const before = opened.head === undefined ? await emptyTree(run) : text(await run(["rev-parse", "--verify", `${opened.head}^{tree}`]));
  if (tree === before)
    throw new RepositoryRefusal(
      "refused",
      all ? "There is nothing to commit." : "Nothing is staged. Stage something, or commit every change.",
    );
  return await writeCommit(opened, git, { tree, parents: opened.head === undefined ? [] : [opened.head], message });
}

interface NewCommit {
  readonly tree: string;
  readonly parents: readonly string[];
  readonly message: string;
}

/** In the name of the person whose settings these are. */
export async function writeCommit(opened: Opened, { folder }: PrivateGit, { tree, parents, message }: NewCommit): Promise<string> {
  const { name, email } = await identityOf(opened);
  const { repository, options, signal } = opened;
  const env = {
    ...{ PATH: "/usr/bin:/bin", LC_ALL: "C", GIT_DIR: folder, GIT_OBJECT_DIRECTORY: path.join(repository.commonDir, "objects") },
    ...{ GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null", ...(options.env["TZ"] === undefined ? {} : { TZ: options.env["TZ"] }) },
    ...{ GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email, GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: email },
  };
  const run = runner({ program: options.git, cwd: repository.root, env, signal });
  return text(await run(["--no-pager", "commit-tree", tree, ...parents.flatMap((sha) => ["-p", sha]), "-F", "-"], `${message}\n`));
}

async function identityOf(opened: Opened): Promise<{ name: string; email: string }> {
  const own = await userSettings(opened);
  const [name, email] = [own.get("user.name"), own.get("user.email")];
  if (name === undefined || email === undefined)
    throw new RepositoryRefusal(
      "refused",
      'git does not know who you are. On the machine that runs the engine: git config --global user.name "Your Name", and user.email.',
    );
  return { name, email };
}

/** Settings of the user and of the repository about the user; reading them runs nothing. */
export async function userSettings(opened: Opened): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  const listed = await runInRepository(opened)([
    "config",
    "--includes",
    "--null",
    "--get-regexp",
    "^(user\\.|commit\\.gpgsign$|author\\.|core\\.hookspath$)",
  ]).catch(() => Buffer.from(""));
  for (const row of nulSeparated(listed)) {
    const [key = "", ...value] = row.toString("utf8").split("\n");
    // The one that we set ourselves, to switch hooks off.
    if (key === "core.hookspath" && value.join("\n") === "/dev/null") continue;
    found.set(key, value.join("\n"));
  }
  return found;
}

async function branchFor(opened: Opened, wanted: string | undefined): Promise<string> {
  if (wanted === undefined || wanted === opened.branch) {
    if (opened.branch !== undefined) return opened.branch;
    throw new RepositoryRefusal("refused", "HEAD is detached: name a branch for the commit.");
  }
  await checkBranchName(opened, wanted);
  const at = await readRef(opened.repository, `refs/heads/${wanted}`);
  if (at !== undefined && at !== opened.head)
    throw new RepositoryRefusal(
      "refused",
      `The branch ${wanted} exists and is at another commit. Choose a new name, or switch to it in a terminal.`,
    );
  return wanted;
}

export async function checkBranchName(opened: Opened, name: string): Promise<void> {
  const isFit = !name.startsWith("-") && isRefName(`refs/heads/${name}`);
  const isRight =
    isFit &&
    (await runInRepository(opened)(["check-ref-format", `refs/heads/${name}`]).then(
      () => true,
      () => false,
    ));
  if (!isRight) throw new RepositoryRefusal("refused", `"${name}" is not a name that git accepts for a branch.`);
}

async function moveBranch(opened: Opened, branch: string, sha: string, why: string): Promise<void> {
  const run = runInRepository(opened);
  const ref = `refs/heads/${branch}`;
  const isCurrent = branch === opened.branch;
  const before = isCurrent ? opened.head : await readRef(opened.repository, ref);
  try {
    await run(["update-ref", "-m", why, ref, sha, before ?? zero(opened.head)]);
    if (!isCurrent) await run(["symbolic-ref", "-m", why, "HEAD", ref]);
  } catch (error) {
    throw new RepositoryRefusal("stale", `The branch ${branch} was moved by another program meanwhile: ${gitMessage(error)}`, error);
  }
}

/** What the person asked for by name: hooks and filters of the repository run, with the user's own environment, outside every sandbox. */
async function commitAsInTerminal(
  opened: Opened,
  request: CommitRequest,
  branch: string,
  signal: AbortSignal,
): Promise<{ sha: string; branch: string }> {
  const { options, repository } = opened;
  const run = runner({ program: options.git, cwd: repository.root, env: userEnv(options.env), signal, asGroup: true });
  const step = async (args: readonly string[], stdin?: string): Promise<Buffer> =>
    await run(args, stdin).catch((error: unknown) => {
      const said =
        error instanceof GitFailed ? `${error.stderr}\n${error.stdout.toString("utf8")}`.trim().slice(0, 2000) : gitMessage(error);
      throw new RepositoryRefusal("refused", `git ${args[0]} failed: ${said}`, error);
    });
  if (branch !== opened.branch)
    await step(["switch", ...((await readRef(repository, `refs/heads/${branch}`)) === undefined ? ["-c"] : []), branch]);
  if (request.all) await step(["add", "--all"]);
  await step(["commit", "--quiet", "--file=-"], `${request.message.trim()}\n`);
  return { sha: text(await step(["rev-parse", "HEAD"])), branch };
}

const commitHooks = ["pre-commit", "prepare-commit-msg", "commit-msg", "post-commit"];

/** The hooks that `git commit` would run. */
export function hooksOf(repository: Repository, hooksPath: string | undefined): string[] {
  const folder =
    hooksPath === undefined
      ? path.join(repository.commonDir, "hooks")
      : path.resolve(repository.root, hooksPath.replace(/^~(?=\/)/, process.env["HOME"] ?? "~"));
  return commitHooks.filter((name) => {
    try {
      const file = path.join(folder, name);
      if (!statSync(file).isFile()) return false;
      accessSync(file, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
