/** The changes of a repository's files, one by one: what git compares, and each file's own part of the diff. */

import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import path from "node:path";
import { type ChangedFile, type DiffScope, type RepositoryDiff, RepositoryRefusal, type ShownChange } from "../core/ports/repository.ts";
import { gitFileDiff } from "../lib/git-diff.ts";
import { untrackedBlob } from "./git.ts";
import { defaultBranch } from "./git-files.ts";
import { GitFailed, type PrivateGit, type Run } from "./git-run.ts";
import { type Opened, reading } from "./repository-access.ts";

const maxFiles = 1000;
const maxChars = 8_000_000;
/** The part of one file; a longer one is not source text. */
const maxFileChars = 1_000_000;

/** One changed file with what git said about it. */
export interface Entry extends ChangedFile {
  /** As git wrote them: names need not be UTF-8. */
  readonly rawPath: Buffer;
  readonly rawOldPath: Buffer | null;
  readonly oldMode: string;
  readonly newMode: string;
  readonly oldBlob: string;
  readonly patch: Buffer;
}

export async function readDiff(opened: Opened, scope: DiffScope): Promise<RepositoryDiff> {
  return await reading(opened, async (git) => {
    const base = scope === "branch" ? ((await mergeBase(opened, git.run)) ?? null) : null;
    const entries = await entriesOf(opened, scope, git);
    const shown = entries.slice(0, maxFiles);
    let room = maxChars;
    let diff = "";
    const files = shown.map((entry): ChangedFile => {
      const omitted = entry.omitted || entry.patch.length > maxFileChars || entry.patch.length > room;
      if (!omitted) {
        room -= entry.patch.length;
        diff += entry.patch.toString("utf8");
      }
      return { ...publicEntry(entry), omitted };
    });
    const truncated = shown.length < entries.length || files.some(({ omitted }) => omitted);
    return { root: opened.repository.root, base, diff, files, truncated };
  });
}

const publicEntry = ({
  path: name,
  oldPath,
  change,
  untracked,
  submodule,
  binary,
  added,
  removed,
  id,
  fixed,
  omitted,
}: Entry): ChangedFile => ({
  ...{ path: name, oldPath, change, untracked, submodule, binary, added, removed, id, fixed, omitted },
});

/** Exactly the change that was shown. */
export async function entryOf(opened: Opened, { scope, path: name, id }: ShownChange, git: PrivateGit): Promise<Entry> {
  const entry = (await entriesOf(opened, scope, git)).find((one) => one.path === name);
  if (entry === undefined || entry.id !== id)
    throw new RepositoryRefusal("stale", `${name} has changed since it was shown. Look at it again.`);
  if (entry.fixed !== null) throw new RepositoryRefusal("refused", `${name}: ${entry.fixed}`);
  return entry;
}

/** The commit that the branch's changes are counted from; undefined if there is no default branch. */
export async function mergeBase({ repository, head }: Opened, run: Run): Promise<string | undefined> {
  const base = await defaultBranch(repository);
  if (base === undefined || head === undefined) return undefined;
  const [first] = (await run(["merge-base", base.sha, head]).catch(() => Buffer.from(""))).toString("latin1").split("\n");
  return first === undefined || first === "" ? undefined : first;
}

export async function emptyTree(run: Run): Promise<string> {
  return (await run(["hash-object", "-t", "tree", "--stdin"])).toString("latin1").trim();
}

export async function entriesOf(opened: Opened, scope: DiffScope, git: PrivateGit): Promise<readonly Entry[]> {
  const { run } = git;
  const against =
    scope === "unstaged"
      ? []
      : scope === "staged"
        ? ["--cached", opened.head ?? (await emptyTree(run))]
        : [(await mergeBase(opened, run)) ?? opened.head ?? (await emptyTree(run))];
  const tracked = await compare(against, run);
  if (scope === "staged") return tracked;
  return [...tracked, ...(await untracked(opened, run))].sort((a, b) => Buffer.compare(a.rawPath, b.rawPath));
}

const quiet = [
  ...[
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--ignore-submodules=dirty",
    "--submodule=short",
    "--full-index",
    "--no-abbrev",
    "--no-relative",
  ],
  ...[
    "--src-prefix=a/",
    "--dst-prefix=b/",
    "-M",
    "-l400",
    "-U3",
    "--inter-hunk-context=0",
    "--diff-algorithm=histogram",
    "--diff-filter=u",
  ],
];

async function compare(against: readonly string[], run: Run): Promise<Entry[]> {
  const diff = (format: readonly string[]): Promise<Buffer> =>
    run(["-c", "core.quotePath=false", "diff", ...quiet, ...format, "-z", ...against, "--"]);
  try {
    return parseChanges(await diff(["--raw", "-p"]));
  } catch (error) {
    if (!(error instanceof GitFailed) || !error.isTooMuch) throw error;
    // More than can be held: the names alone.
    return parseChanges(await diff(["--raw"])).map((entry) => ({ ...entry, omitted: true }));
  }
}

/** Reads `git diff --raw -p -z`: the raw part, NUL, and the patches in the same order. */
export function parseChanges(output: Buffer): Entry[] {
  const rows: { readonly fields: readonly string[]; readonly names: readonly Buffer[] }[] = [];
  let at = 0;
  const next = (): Buffer => {
    const end = output.indexOf(0, at);
    const token = output.subarray(at, end === -1 ? output.length : end);
    at = end === -1 ? output.length : end + 1;
    return token;
  };
  while (output[at] === 0x3a) {
    const fields = next().toString("latin1").slice(1).split(" ");
    const names = /^[RC]/.test(fields[4] ?? "") ? [next(), next()] : [next()];
    // Two colons: a file with conflicts, compared with both sides.
    if (fields[0]?.startsWith(":") !== true) rows.push({ fields, names });
  }
  if (output[at] === 0) at++;
  const patches = splitPatches(output.subarray(at));
  let used = 0;
  return rows.map(({ fields: [oldMode = "", newMode = "", oldBlob = "", , status = ""], names }) => {
    // A file that became a link, or a link that became a file, has two parts: its end and its beginning.
    const parts = patches.slice(used, used + (status.startsWith("T") ? 2 : 1));
    used += parts.length;
    const rawPath = names.at(-1) ?? Buffer.from("");
    return makeEntry({
      ...{ rawPath, rawOldPath: names.length > 1 ? (names[0] ?? null) : null, oldMode, newMode, oldBlob, status },
      ...{ patch: Buffer.concat(parts), isUntracked: false },
    });
  });
}

/** Every line of a hunk begins with a sign: only a header can begin with these letters. */
function splitPatches(output: Buffer): Buffer[] {
  const start = Buffer.from("diff --");
  const cuts: number[] = [];
  for (let at = output.indexOf(start); at !== -1; at = output.indexOf(start, at + 1))
    if (at === 0 || output[at - 1] === 0x0a) cuts.push(at);
  const parts = cuts.map((from, i) => output.subarray(from, cuts[i + 1] ?? output.length));
  return parts.filter((part) => part.toString("latin1", 0, 11) === "diff --git ");
}

interface Found {
  readonly rawPath: Buffer;
  readonly rawOldPath: Buffer | null;
  readonly oldMode: string;
  readonly newMode: string;
  readonly oldBlob: string;
  readonly status: string;
  readonly patch: Buffer;
  readonly isUntracked: boolean;
}

const changes = { A: "add", D: "delete", R: "rename", T: "type" } as const;

function makeEntry(found: Found): Entry {
  const { rawPath, rawOldPath, oldMode, newMode, oldBlob, status, patch, isUntracked } = found;
  const submodule = oldMode === "160000" || newMode === "160000";
  const counted = countLines(patch);
  const id = createHash("sha256")
    .update(`${oldMode} ${newMode} ${oldBlob} ${status}\0`)
    .update(rawPath)
    .update("\0")
    .update(patch)
    .digest("hex");
  return {
    path: rawPath.toString("utf8"),
    oldPath: rawOldPath?.toString("utf8") ?? null,
    change: changes[(status[0] ?? "M") as keyof typeof changes] ?? "update",
    untracked: isUntracked,
    submodule,
    binary: counted === undefined,
    ...(counted ?? { added: 0, removed: 0 }),
    id: id.slice(0, 32),
    fixed: isUtf8(rawPath) && (rawOldPath === null || isUtf8(rawOldPath)) ? null : "its name is not UTF-8; use git in a terminal.",
    omitted: false,
    ...{ rawPath, rawOldPath, oldMode, newMode, oldBlob, patch },
  };
}

/** Undefined for a binary file. */
function countLines(patch: Buffer): { added: number; removed: number } | undefined {
  let [added, removed, inHunk] = [0, 0, false];
  for (let at = 0; at < patch.length; ) {
    const end = patch.indexOf(0x0a, at);
    const first = patch[at];
    if (first === 0x40) inHunk = true;
    else if (first === 0x64) inHunk = false;
    else if (!inHunk && first === 0x42 && patch.toString("latin1", at, at + 13) === "Binary files ") return undefined;
    else if (inHunk && first === 0x2b) added++;
    else if (inHunk && first === 0x2d) removed++;
    at = end === -1 ? patch.length : end + 1;
  }
  return { added, removed };
}

async function untracked({ repository }: Opened, run: Run): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (const rawPath of nulSeparated(await run(["ls-files", "--others", "--exclude-standard", "-z"]))) {
    const name = rawPath.toString("utf8");
    // A folder is a repository of its own.
    if (name.endsWith("/") || entries.length > maxFiles) continue;
    const blob = isUtf8(rawPath) ? await untrackedBlob(path.join(repository.root, name)) : undefined;
    const patch = blob === undefined ? "" : await gitFileDiff(name, name, undefined, blob);
    const entry = makeEntry({
      ...{ rawPath, rawOldPath: null, oldMode: "000000", newMode: blob?.mode ?? "100644", oldBlob: "", status: "A" },
      ...{ patch: Buffer.from(patch), isUntracked: true },
    });
    entries.push(blob === undefined ? { ...entry, omitted: true } : entry);
  }
  return entries;
}

export function nulSeparated(output: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  for (let at = 0; at < output.length; ) {
    const end = output.indexOf(0, at);
    parts.push(output.subarray(at, end === -1 ? output.length : end));
    at = end === -1 ? output.length : end + 1;
  }
  return parts.filter((part) => part.length > 0);
}
