/** Stages changes and takes them out of the index again, and reads what a change replaced. */
import path from "node:path";
import { type GitBlob, RepositoryRefusal, type ShownChange } from "../core/ports/repository.ts";
import { withOwnAttributes } from "./git-folder.ts";
import { GitFailed, type PrivateGit } from "./git-run.ts";
import { changingIndex, gitMessage, type Opened, reading } from "./repository-access.ts";
import { type Entry, entriesOf, entryOf, nulSeparated } from "./repository-diff.ts";

export async function stageChange(opened: Opened, shown: ShownChange, hunk: number | undefined): Promise<void> {
  if (shown.scope === "branch") throw new RepositoryRefusal("refused", "Changes are staged from the working tree, not from the branch.");
  await changingIndex(opened, async (git) => {
    const entry = await entryOf(opened, shown, git);
    const isIn = shown.scope === "unstaged";
    if (isIn) await refuseFiltered(git, [entry]);
    if (hunk !== undefined) return await applyHunk(git, entry, hunk, isIn);
    if (isIn) return await addFiles(git, [entry]);
    await takeOut(git, entry);
  });
}

/** Every change of the files, new ones included. Returns how many there were. */
export async function stageAll(opened: Opened, git: PrivateGit): Promise<number> {
  const entries = await entriesOf(opened, "unstaged", git);
  await refuseFiltered(git, entries);
  await addFiles(git, entries);
  return entries.length;
}

async function addFiles({ run }: PrivateGit, entries: readonly Entry[]): Promise<void> {
  const names = entries.flatMap(({ rawPath, rawOldPath }) => (rawOldPath === null ? [rawPath] : [rawOldPath, rawPath]));
  if (names.length > 0) await run(["update-index", "--add", "--remove", "--replace", "-z", "--stdin"], joined(names));
}

const joined = (names: readonly Buffer[]): Buffer => Buffer.concat(names.flatMap((name) => [name, Buffer.of(0)]));

/** Back to what HEAD has. */
async function takeOut({ run }: PrivateGit, entry: Entry): Promise<void> {
  const { rawPath, rawOldPath, oldMode, oldBlob } = entry;
  const isNew = /^0+$/.test(oldMode);
  const none = "0".repeat(oldBlob.length || 40);
  const restored = rawOldPath ?? rawPath;
  const rows = [
    ...(isNew || rawOldPath !== null ? [Buffer.concat([Buffer.from(`0 ${none}\t`), rawPath])] : []),
    ...(isNew ? [] : [Buffer.concat([Buffer.from(`${oldMode} ${oldBlob}\t`), restored])]),
  ];
  await run(["update-index", "-z", "--index-info"], joined(rows));
}

async function applyHunk({ run }: PrivateGit, entry: Entry, number: number, isIn: boolean): Promise<void> {
  const patch = hunkPatch(entry.patch, number);
  if (patch === undefined) throw new RepositoryRefusal("stale", `${entry.path} has no such part any more. Look at it again.`);
  // A new file must be known to git before a part of it can be added.
  try {
    await run(["apply", "--cached", "--whitespace=nowarn", ...(isIn ? [] : ["-R"]), "-"], patch);
  } catch (error) {
    if (!(error instanceof GitFailed)) throw error;
    throw new RepositoryRefusal(
      "refused",
      `This part of ${entry.path} cannot be ${isIn ? "staged" : "unstaged"} alone: ${gitMessage(error)}`,
      error,
    );
  }
}

/** The header of a file's patch with one of its hunks. */
export function hunkPatch(patch: Buffer, number: number): Buffer | undefined {
  const starts: number[] = [];
  for (let at = 0; at < patch.length; ) {
    if (patch.toString("latin1", at, at + 3) === "@@ ") starts.push(at);
    const end = patch.indexOf(0x0a, at);
    at = end === -1 ? patch.length : end + 1;
  }
  const [first, start] = [starts[0], starts[number]];
  if (first === undefined || start === undefined) return undefined;
  return Buffer.concat([patch.subarray(0, first), patch.subarray(start, starts[number + 1] ?? patch.length)]);
}

/**
 * A filter (Git LFS, for example) is a program that the repository names, so it is not run; without it the wrong bytes would be stored. The
 * private folder switches filters off, so the attributes are read while that line is away.
 */
export async function refuseFiltered({ run, folder }: PrivateGit, entries: readonly Pick<Entry, "rawPath">[]): Promise<void> {
  if (entries.length === 0) return;
  const names = joined(entries.map(({ rawPath }) => rawPath));
  const fields = nulSeparated(await withOwnAttributes(folder, () => run(["check-attr", "--stdin", "-z", "filter"], names)));
  for (let i = 0; i + 2 < fields.length; i += 3) {
    const value = fields[i + 2]?.toString("utf8") ?? "";
    if (value !== "unspecified" && value !== "unset")
      throw new RepositoryRefusal(
        "refused",
        `${fields[i]?.toString("utf8")} goes through the filter "${value}", a program that the repository names and that is not run here. Use git in a terminal.`,
      );
  }
}

/** The states that taking a change back would restore: of the file itself and, after a move, of its earlier name. */
export async function readBefore(opened: Opened, shown: ShownChange): Promise<readonly { path: string; blob: GitBlob }[]> {
  if (shown.scope === "staged") throw new RepositoryRefusal("refused", "Unstage this change first, then take it back.");
  return await reading(opened, async (git) => {
    const entry = await entryOf(opened, shown, git);
    if (entry.submodule) throw new RepositoryRefusal("refused", `${entry.path} is a submodule; use git in it.`);
    await refuseFiltered(git, [entry]);
    const at = (name: string): string => path.join(opened.repository.root, name);
    const before = await blobOf(git, entry);
    if (entry.oldPath === null) return [{ path: at(entry.path), blob: before }];
    return [
      { path: at(entry.oldPath), blob: before },
      { path: at(entry.path), blob: { kind: "absent" } },
    ];
  });
}

async function blobOf({ run }: PrivateGit, { oldMode, oldBlob, path: name }: Entry): Promise<GitBlob> {
  if (/^0*$/.test(oldMode) || /^0*$/.test(oldBlob)) return { kind: "absent" };
  // With the name git applies the line endings that the file has in the working tree.
  const bytes = await run(["cat-file", ...(oldMode === "120000" ? ["blob", oldBlob] : ["--filters", `--path=${name}`, oldBlob])]);
  if (oldMode === "120000") return { kind: "link", target: bytes.toString("utf8") };
  return { kind: "file", bytes, isExecutable: oldMode === "100755" };
}
