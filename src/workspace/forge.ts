/** Pull requests through the user's own `gh` or `glab`, run outside the repository so that nothing of it is read. */

import { mkdir } from "node:fs/promises";
import path from "node:path";
import { type PullRequest, type PullRequestDraft, RepositoryRefusal } from "../core/ports/repository.ts";
import { isRecord } from "../lib/is-record.ts";
import { isInside } from "../lib/paths.ts";
import { findProgram, searchPathOf } from "../lib/program.ts";
import { defaultBranch } from "./git-files.ts";
import { GitFailed, runner } from "./git-run.ts";
import { gitMessage, type Opened } from "./repository-access.ts";
import { remoteOf, userEnv } from "./repository-push.ts";

export interface Forge {
  readonly name: "gh" | "glab";
  readonly program: string;
  /** `host/owner/name`. */
  readonly place: string;
}

const forgeMs = 60_000;

/** Undefined if neither program is there, or the remote is on no host. */
export async function forgeOf(opened: Opened): Promise<Forge | undefined> {
  const remote = await remoteOf(opened);
  const place = remote === undefined ? undefined : placeOf(remote.url);
  if (place === undefined) return undefined;
  const wanted = /gitlab/i.test(place.split("/")[0] ?? "") ? (["glab"] as const) : (["gh", "glab"] as const);
  for (const name of wanted) {
    const program = programFor(name, opened);
    if (program !== undefined) return { name, program, place };
  }
  return undefined;
}

/** On the user's PATH, but never from the repository or relative to a folder. */
function programFor(name: string, { options, repository }: Opened): string | undefined {
  const folders = (searchPathOf(options.env) ?? "").split(path.delimiter);
  const trusted = folders.filter((folder) => path.isAbsolute(folder) && !isInside(folder, repository.root));
  return trusted.length === 0 ? undefined : findProgram(name, trusted.join(path.delimiter), "/");
}

export function placeOf(url: string): string | undefined {
  const schemed = /^(?:https?|ssh|git):\/\/(?:[^@/]*@)?([\w.-]+)(?::\d+)?\/([\w.~/-]+?)(?:\.git)?\/?$/i.exec(url);
  const short = /^(?:[\w.+-]+@)?([\w.-]+):(?!\/)([\w.~/-]+?)(?:\.git)?\/?$/.exec(url);
  const [, host, name] = schemed ?? short ?? [];
  if (host === undefined || name === undefined || name.split("/").length < 2 || name.startsWith("-")) return undefined;
  return `${host}/${name}`;
}

async function requireForge(opened: Opened): Promise<Forge> {
  const forge = await forgeOf(opened);
  if (forge !== undefined) return forge;
  throw new RepositoryRefusal(
    "refused",
    "Pull requests need the program gh (GitHub) or glab (GitLab) on the engine's PATH, signed in, and a remote on such a host.",
  );
}

type ForgeRun = (args: readonly string[], stdin?: string) => Promise<Buffer>;

const forgeRunner =
  (opened: Opened, { name, program }: Forge, outer: AbortSignal): ForgeRun =>
  async (args, stdin = "") => {
    const { options } = opened;
    await mkdir(options.scratch, { recursive: true, mode: 0o700 });
    const signal = AbortSignal.any([outer, AbortSignal.timeout(forgeMs)]);
    const quiet = {
      GH_PROMPT_DISABLED: "1",
      GH_NO_UPDATE_NOTIFIER: "1",
      GLAB_CHECK_UPDATE: "false",
      NO_PROMPT: "1",
      NO_COLOR: "1",
      CLICOLOR: "0",
      GIT_DIR: "/dev/null",
    };
    const run = runner({ program, cwd: options.scratch, env: { ...userEnv(options.env), ...quiet }, signal, asGroup: true });
    try {
      return await run(args, stdin);
    } catch (error) {
      if (signal.aborted && !outer.aborted)
        throw new RepositoryRefusal("refused", `${name} took longer than ${forgeMs / 1000} seconds.`, error);
      throw error;
    }
  };

/** Null if the branch has none. */
export async function readPullRequest(opened: Opened, signal: AbortSignal): Promise<PullRequest | null> {
  const forge = await forgeOf(opened);
  if (forge === undefined || opened.branch === undefined) return null;
  const { place, name } = forge;
  const args =
    name === "gh"
      ? ["pr", "view", opened.branch, "--repo", place, "--json", "number,url,title,state,isDraft,statusCheckRollup"]
      : ["mr", "view", opened.branch, "--repo", place, "--output", "json"];
  try {
    return parsePullRequest(name, (await forgeRunner(opened, forge, signal)(args)).toString("utf8"));
  } catch (error) {
    if (!(error instanceof GitFailed)) throw error;
    if (/no (?:open )?(?:pull|merge) requests? (?:found|available)|not found/i.test(error.stderr)) return null;
    throw new RepositoryRefusal("refused", `${name} could not be asked: ${gitMessage(error)}`, error);
  }
}

export async function openPullRequest(opened: Opened, draft: PullRequestDraft, signal: AbortSignal): Promise<PullRequest> {
  const { branch, repository } = opened;
  if (branch === undefined) throw new RepositoryRefusal("refused", "HEAD is detached: a pull request needs a branch.");
  const forge = await requireForge(opened);
  const { place, name } = forge;
  const base = draft.base ?? (await defaultBranch(repository))?.name.replace(/^origin\//, "") ?? "main";
  if (base === branch)
    throw new RepositoryRefusal("refused", `A pull request from ${branch} to itself is not possible. Commit on a new branch.`);
  if (draft.title.trim() === "") throw new RepositoryRefusal("refused", "The pull request needs a title.");
  // `--flag=value`, so that no value is taken for a flag.
  const args =
    name === "gh"
      ? [
          "pr",
          "create",
          `--repo=${place}`,
          `--head=${branch}`,
          `--base=${base}`,
          `--title=${draft.title}`,
          "--body-file=-",
          ...(draft.draft ? ["--draft"] : []),
        ]
      : [
          "mr",
          "create",
          `--repo=${place}`,
          `--source-branch=${branch}`,
          `--target-branch=${base}`,
          `--title=${draft.title}`,
          `--description=${draft.body}`,
          "--yes",
          ...(draft.draft ? ["--draft"] : []),
        ];
  let printed: string;
  try {
    printed = (await forgeRunner(opened, forge, signal)(args, draft.body)).toString("utf8");
  } catch (error) {
    if (!(error instanceof GitFailed)) throw error;
    throw new RepositoryRefusal("refused", `${name} could not open the pull request: ${gitMessage(error)}`, error);
  }
  const known = await readPullRequest(opened, signal).catch(() => null);
  const url = /https?:\/\/\S+/.exec(printed)?.[0];
  if (known !== null) return known;
  if (url === undefined) throw new RepositoryRefusal("refused", `${name} did not say where the pull request is: ${printed.slice(0, 300)}`);
  const number = Number(/(\d+)\/?$/.exec(url)?.[1] ?? 0);
  return { url, number, title: draft.title, state: draft.draft ? "draft" : "open", checks: "none" };
}

/** What the programs print; anything unexpected is as if there was none. */
export function parsePullRequest(name: Forge["name"], printed: string): PullRequest | null {
  let facts: unknown;
  try {
    facts = JSON.parse(printed);
  } catch {
    return null;
  }
  if (!isRecord(facts)) return null;
  const url = name === "gh" ? facts["url"] : facts["web_url"];
  const number = name === "gh" ? facts["number"] : facts["iid"];
  if (typeof url !== "string" || !/^https?:\/\//.test(url) || typeof number !== "number") return null;
  const state = String(facts["state"]).toLowerCase();
  const isDraft = facts["isDraft"] === true || facts["draft"] === true;
  return {
    ...{ url: url.slice(0, 2000), number, title: String(facts["title"] ?? "").slice(0, 500) },
    state: state === "merged" ? "merged" : state === "closed" ? "closed" : isDraft ? "draft" : "open",
    checks: name === "gh" ? rollup(facts["statusCheckRollup"]) : pipeline(facts["head_pipeline"] ?? facts["pipeline"]),
  };
}

const badEnds = /^(?:failure|error|timed_out|cancelled|action_required|startup_failure)$/i;

function rollup(checks: unknown): PullRequest["checks"] {
  if (!Array.isArray(checks) || checks.length === 0) return "none";
  const ends = checks.filter(isRecord).map((check) => String(check["conclusion"] || check["state"] || ""));
  if (ends.some((end) => badEnds.test(end))) return "failed";
  return ends.every((end) => /^(?:success|neutral|skipped)$/i.test(end)) ? "passed" : "pending";
}

function pipeline(value: unknown): PullRequest["checks"] {
  const status = isRecord(value) ? String(value["status"]) : "";
  if (status === "") return "none";
  if (/^(?:failed|canceled)$/.test(status)) return "failed";
  return /^(?:success|skipped)$/.test(status) ? "passed" : "pending";
}
