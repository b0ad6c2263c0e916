/** The remote of a branch, and pushing to it: with the user's own credentials and none of the repository's settings. */
import { rm } from "node:fs/promises";
import path from "node:path";
import { RepositoryRefusal } from "../core/ports/repository.ts";
import { isRefName, type Repository, readConfig } from "./git-files.ts";
import { GitFailed, inPrivateGit, runner } from "./git-run.ts";
import { gitMessage, type Opened, runInRepository } from "./repository-access.ts";

export interface Remote {
  readonly name: string;
  readonly url: string;
}

/** The remote that the branch belongs to, else origin, else the only one. */
export async function remoteOf({ repository, branch }: Opened): Promise<Remote | undefined> {
  const config = await readConfig(repository);
  const names = [...config.keys()].flatMap((key) => /^remote\.(.+)\.url$/.exec(key)?.[1] ?? []);
  const own = branch === undefined ? undefined : config.get(`branch.${branch}.remote`);
  const name = names.find((one) => one === own) ?? names.find((one) => one === "origin") ?? (names.length === 1 ? names[0] : undefined);
  const url = name === undefined ? undefined : (config.get(`remote.${name}.pushurl`) ?? config.get(`remote.${name}.url`));
  return name === undefined || url === undefined ? undefined : { name, url };
}

/** Addresses that cannot name a program: no `ext::`, no option. */
const isPlainUrl = (url: string): boolean =>
  /^(?:https?|ssh|git|file):\/\/[^-\s][^\x00-\x1f]*$/i.test(url) ||
  /^\/[^\x00-\x1f]*$/.test(url) ||
  /^[\w.+-]+@[\w.-]+:(?!-)[^\x00-\x1f]+$/.test(url) ||
  /^[\w][\w.-]+:(?![:/]|-)[^\x00-\x1f]+$/.test(url);

const pushMs = 100_000;

/**
 * From a private git folder, which knows the user's settings (credentials, ssh, proxies) but none of the repository's: a repository could
 * otherwise name the ssh command or the credential helper.
 */
export async function pushBranch(opened: Opened, outer: AbortSignal): Promise<{ remote: string; branch: string }> {
  const { branch, head, repository, options } = opened;
  if (branch === undefined) throw new RepositoryRefusal("refused", "HEAD is detached: commit on a branch first.");
  if (head === undefined) throw new RepositoryRefusal("refused", "There is no commit to push yet.");
  const remote = await remoteOf(opened);
  if (remote === undefined)
    throw new RepositoryRefusal("refused", "The repository has no remote to push to. Add one with git remote add origin URL.");
  if (!isPlainUrl(remote.url))
    throw new RepositoryRefusal("refused", `The remote's address ${remote.url.slice(0, 200)} is not one that is pushed to from here.`);
  const signal = AbortSignal.any([outer, AbortSignal.timeout(pushMs)]);
  await inPrivateGit(options, { repository, head }, signal, async ({ folder }) => {
    await rm(path.join(folder, "index"), { force: true });
    const run = runner({
      program: options.git,
      cwd: options.scratch,
      env: pushEnv(options.env, folder, repository),
      signal,
      asGroup: true,
    });
    const safe = [
      "-c",
      "core.hooksPath=/dev/null",
      "-c",
      "push.gpgSign=false",
      "-c",
      "push.recurseSubmodules=no",
      "-c",
      "protocol.ext.allow=never",
    ];
    try {
      await run(["--no-pager", ...safe, "push", "--porcelain", "--no-verify", "--", remote.url, `${head}:refs/heads/${branch}`]);
    } catch (error) {
      if (signal.aborted && !outer.aborted)
        throw new RepositoryRefusal("refused", `Pushing to ${remote.name} took longer than ${pushMs / 1000} seconds.`, error);
      const isBehind =
        error instanceof GitFailed && /\[rejected\]|fetch first|non-fast-forward/.test(error.stderr + error.stdout.toString("utf8"));
      const why = isBehind ? `${branch} on ${remote.name} has commits that this one lacks. Fetch and merge them first.` : gitMessage(error);
      throw new RepositoryRefusal("refused", `Pushing to ${remote.name} failed: ${why}`, error);
    }
  });
  await notePushed(opened, { remote: remote.name, branch, head });
  return { remote: remote.name, branch };
}

/** As `git push --set-upstream` does it. */
async function notePushed(opened: Opened, { remote, branch, head }: { remote: string; branch: string; head: string }): Promise<void> {
  const { repository } = opened;
  const run = runInRepository(opened);
  const tracking = `refs/remotes/${remote}/${branch}`;
  if (!isRefName(tracking)) return;
  await run(["update-ref", "-m", "update by push", tracking, head]).catch(() => undefined);
  const file = path.join(repository.commonDir, "config");
  if ((await readConfig(repository)).has(`branch.${branch}.remote`)) return;
  await run(["config", "--file", file, `branch.${branch}.remote`, remote]).catch(() => undefined);
  await run(["config", "--file", file, `branch.${branch}.merge`, `refs/heads/${branch}`]).catch(() => undefined);
}

/** The user's own environment, for ssh and credential helpers, but nothing that would steer git or wait for a person. */
export function userEnv(own: Opened["options"]["env"]): Record<string, string> {
  const kept = Object.entries(own).filter(
    (pair): pair is [string, string] => pair[1] !== undefined && !/^(?:GIT_|PARLEY_FLEET$)/.test(pair[0]),
  );
  return {
    ...Object.fromEntries(kept),
    ...{
      GIT_TERMINAL_PROMPT: "0",
      GIT_ASKPASS: "/bin/false",
      SSH_ASKPASS: "/bin/false",
      SSH_ASKPASS_REQUIRE: "force",
      GIT_EDITOR: "/bin/false",
      GIT_PAGER: "cat",
    },
  };
}

const pushEnv = (own: Opened["options"]["env"], folder: string, repository: Repository): Record<string, string> => ({
  ...userEnv(own),
  ...{ LC_ALL: "C", GIT_DIR: folder, GIT_OBJECT_DIRECTORY: path.join(repository.commonDir, "objects"), GIT_NO_REPLACE_OBJECTS: "1" },
  GIT_ALLOW_PROTOCOL: "https:http:ssh:git:file",
});
