/** Creates a private git folder for one repository: with its index and history, but none of its settings. */
import { close } from "node:fs";
import { mkdir, open, readdir, rm, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { openRegular, readInto } from "../lib/bounded-read.ts";
import { type Repository, readConfig } from "./git-files.ts";

/** Settings that only affect how files are compared; each value is checked, so that nothing else can get in with it. */
const harmless: Readonly<Record<string, RegExp>> = {
  "core.filemode": /^(?:true|false)$/i,
  "core.symlinks": /^(?:true|false)$/i,
  "core.ignorecase": /^(?:true|false)$/i,
  "core.precomposeunicode": /^(?:true|false)$/i,
  "core.trustctime": /^(?:true|false)$/i,
  "core.checkstat": /^(?:default|minimal)$/i,
  "core.autocrlf": /^(?:true|false|input)$/i,
  "core.eol": /^(?:lf|crlf|native)$/i,
};

/** `folder` is empty and private. Objects are not copied: the caller points git at the repository's own. */
export async function fillGitFolder(folder: string, head: string | undefined, repository: Repository): Promise<void> {
  for (const name of ["refs", "objects", "info"]) await mkdir(path.join(folder, name), { mode: 0o700 });
  // Before the first commit there is nothing to point at: a branch that does not exist.
  await writeFile(path.join(folder, "HEAD"), `${head ?? "ref: refs/heads/none"}\n`);
  await writeFile(path.join(folder, "config"), await plainConfig(repository, head));
  await switchDriversOff(folder);
  await copyIfFile(path.join(repository.commonDir, "info/exclude"), path.join(folder, "info/exclude"));
  await copyIfFile(path.join(repository.commonDir, "shallow"), path.join(folder, "shallow"));
  await copyIfFile(path.join(repository.gitDir, "index"), path.join(folder, "index"));
  for (const name of await readdir(repository.gitDir))
    if (/^sharedindex\.[0-9a-f]+$/.test(name)) await copyIfFile(path.join(repository.gitDir, name), path.join(folder, name));
}

/** Takes precedence over any .gitattributes in the tree. */
const switchDriversOff = (folder: string): Promise<void> => writeFile(path.join(folder, "info/attributes"), "* !filter !diff !merge\n");

/** For reading attributes as the repository has them. Nothing that runs a filter may be called meanwhile. */
export async function withOwnAttributes<T>(folder: string, work: () => Promise<T>): Promise<T> {
  await rm(path.join(folder, "info/attributes"), { force: true });
  try {
    return await work();
  } finally {
    await switchDriversOff(folder);
  }
}

async function plainConfig(repository: Repository, head: string | undefined): Promise<string> {
  const given = await readConfig(repository);
  const core = Object.entries(harmless).flatMap(([key, values]) => {
    const value = given.get(key);
    return value !== undefined && values.test(value) ? [`\t${key.slice("core.".length)} = ${value}\n`] : [];
  });
  const isSha256 = head?.length === 64 || given.get("extensions.objectformat")?.toLowerCase() === "sha256";
  const format = isSha256 ? "[extensions]\n\tobjectFormat = sha256\n" : "";
  return `[core]\n\trepositoryformatversion = 1\n\tbare = false\n${core.join("")}${format}`;
}

/** An index of two million files is smaller than this. */
const maxCopyBytes = 256 * 1024 ** 2;
const chunkBytes = 1024 * 1024;

/**
 * Skips anything that is not a file, or larger than any file of git. The copy keeps its timestamps: git checks files more closely that
 * changed in the same second as the index, and a later index would make it trust them.
 */
export async function copyIfFile(from: string, to: string): Promise<void> {
  const found = await openRegular(from).catch(() => undefined);
  if (found === undefined) return;
  try {
    const { size, atime, mtime } = found.stats;
    if (size > maxCopyBytes) return;
    const copy = await open(to, "wx", 0o600);
    try {
      const buffer = Buffer.allocUnsafe(Math.max(1, Math.min(size, chunkBytes)));
      for (let at = 0; at < size; ) {
        const count = await readInto(found.fd, buffer, 0, Math.min(buffer.length, size - at), at);
        if (count === 0) break;
        await copy.writeFile(buffer.subarray(0, count));
        at += count;
      }
    } finally {
      await copy.close();
    }
    await utimes(to, atime, mtime);
  } finally {
    close(found.fd, () => {});
  }
}
