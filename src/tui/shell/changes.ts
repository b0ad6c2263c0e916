/** Changes in the folder: showing them all, and having them reviewed. Git runs on the server's machine. */

import { cleanLine } from "../../lib/terminal-text.ts";
import type { ReviewTarget } from "../../protocol/review.ts";
import { createForm } from "../ask/form.ts";
import { createPicker } from "../ask/picker.ts";
import { gitDiffLines } from "../text/diff.ts";
import { wrapAll } from "../text/spans.ts";
import type { Shell } from "./shell.ts";

const gitTimeoutMs = 20_000;
const maxNewFiles = 50;
const outputCap = 4 * 1024 * 1024;

/** Settings that make git print plain text and run none of the repository's programs. */
const plainGit = ["git", "--no-pager", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "color.ui=false"];

async function git(shell: Shell, ...args: string[]): Promise<{ exitCode: number; stdout: string; stderr: string }> {
  const { settings } = shell.store.conversation;
  return await shell.client().call("command/exec", {
    command: [...plainGit, ...args],
    cwd: settings?.cwd ?? null,
    timeoutMs: gitTimeoutMs,
    outputBytesCap: outputCap,
    sandboxPolicy: { type: "readOnly" },
  });
}

export async function showDiff(shell: Shell): Promise<void> {
  shell.store.setUi({ busy: "Reading the changes" });
  const text = await wholeDiff(shell).finally(() => shell.store.setUi({ busy: undefined }));
  if (text === undefined) return shell.store.note("info", "This folder is not a git repository");
  if (text.trim() === "") return shell.store.note("info", "No changes");
  if (!shell.options.usesAltScreen) return shell.store.print([{ kind: "diff", title: "Changes", text }]);
  await shell.page("Changes", (width) => wrapAll(gitDiffLines(text, width), width));
}

/** Tracked files against the last commit, then untracked files. */
async function wholeDiff(shell: Shell): Promise<string | undefined> {
  const inside = await git(shell, "rev-parse", "--is-inside-work-tree");
  if (inside.exitCode !== 0) return undefined;
  const hasCommit = (await git(shell, "rev-parse", "--verify", "--quiet", "HEAD")).exitCode === 0;
  const tracked = await git(shell, "diff", "--no-ext-diff", "--no-textconv", ...(hasCommit ? ["HEAD"] : []));
  const names = (await git(shell, "ls-files", "--others", "--exclude-standard", "-z")).stdout.split("\0").filter((name) => name !== "");
  const fresh: string[] = [];
  for (const name of names.slice(0, maxNewFiles))
    fresh.push((await git(shell, "diff", "--no-ext-diff", "--no-textconv", "--no-index", "--", "/dev/null", name)).stdout);
  const rest = names.length - maxNewFiles;
  return [tracked.stdout, ...fresh, ...(rest > 0 ? [`… and ${rest} more new files\n`] : [])].join("");
}

export async function startReview(shell: Shell, instructions: string): Promise<void> {
  const target = instructions === "" ? await chooseTarget(shell) : ({ type: "custom", instructions } as const);
  const { threadId } = shell.store.conversation;
  if (target === undefined || threadId === undefined) return;
  await shell.client().call("review/start", { threadId, target, delivery: "inline" });
}

async function chooseTarget(shell: Shell): Promise<ReviewTarget | undefined> {
  const kind = await shell.pick(
    createPicker({
      title: "What shall be reviewed?",
      items: [
        { id: "uncommitted", label: "Uncommitted changes", detail: "everything that is not committed yet" },
        { id: "branch", label: "This branch", detail: "against the branch it goes into" },
        { id: "commit", label: "A commit", detail: "one of the last ones" },
        { id: "custom", label: "Something else", detail: "in your own words" },
      ],
    }),
  );
  if (kind === "uncommitted") return { type: "uncommittedChanges" };
  if (kind === "branch") return await chooseBranch(shell);
  if (kind === "commit") return await chooseCommit(shell);
  return kind === "custom" ? await askInstructions(shell) : undefined;
}

async function chooseBranch(shell: Shell): Promise<ReviewTarget | undefined> {
  const { stdout } = await git(shell, "branch", "--all", "--sort=-committerdate", "--format=%(refname:short)");
  const names = stdout.split("\n").filter((name) => name !== "" && !name.endsWith("/HEAD"));
  const items = names.map((name) => ({ id: name, label: cleanLine(name), detail: "" }));
  const branch = await shell.pick(
    createPicker({ title: "Against which branch?", items, canFilter: true, whenEmpty: "There is no branch" }),
  );
  return branch === undefined ? undefined : { type: "baseBranch", branch };
}

async function chooseCommit(shell: Shell): Promise<ReviewTarget | undefined> {
  const { stdout } = await git(shell, "log", "-n", "50", "--format=%H%x09%s%x09%cr");
  const commits = stdout.split("\n").flatMap((line) => {
    const [sha = "", title = "", when = ""] = line.split("\t");
    return sha === "" ? [] : [{ sha, title, when }];
  });
  const items = commits.map(({ sha, title, when }) => ({
    id: sha,
    label: cleanLine(title),
    detail: `${sha.slice(0, 8)}  ${cleanLine(when)}`,
  }));
  const sha = await shell.pick(createPicker({ title: "Which commit?", items, canFilter: true, whenEmpty: "There is no commit" }));
  const commit = commits.find((known) => known.sha === sha);
  return commit === undefined ? undefined : { type: "commit", sha: commit.sha, title: commit.title };
}

async function askInstructions(shell: Shell): Promise<ReviewTarget | undefined> {
  const given = await shell.fill(
    createForm("Review", [
      {
        id: "what",
        header: "",
        question: "What shall be reviewed, and for what?",
        detail: "",
        type: "text",
        options: [],
        allowOther: false,
        isSecret: false,
        isRequired: true,
      },
    ]),
  );
  const instructions = given?.["what"]?.[0];
  return instructions === undefined ? undefined : { type: "custom", instructions };
}
