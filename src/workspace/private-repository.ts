/**
 * A repository as undo reads it: its index, its blobs and its ignore rules, through a private git folder, so that nothing of the repository
 * can configure git and nothing is ever written to it.
 */
import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import path from "node:path";
import { readBounded } from "../lib/bounded-read.ts";
import { findLstat } from "../lib/file-status.ts";
import { findRepository, type Repository, readConfig, readHead } from "./git-files.ts";
import { copyIfFile, fillGitFolder, withOwnAttributes } from "./git-folder.ts";
import { GitIndex } from "./git-index.ts";
import { GitPipe } from "./git-pipe.ts";
import { GitFailed, type GitOptions, privateEnv, type Run, runner, timeoutMs } from "./git-run.ts";
import type { RepositoryRules } from "./repository-files.ts";

/** What the working tree has that the index does not describe; paths are relative to the repository, with `/`. */
export interface WorkingTree {
  readonly index: GitIndex;
  /** Changed or deleted since they were added, in conflict, or stored otherwise than they are in the working tree. */
  readonly differing: readonly string[];
  readonly untracked: readonly string[];
}

const maxIndexBytes = 256 * 1024 * 1024;
/** Paths in one question. */
const batch = 512;

export class PrivateRepository {
  readonly repository: Repository;
  readonly #folder: string;
  readonly #run: Run;
  readonly #blobs: GitPipe;
  readonly #rules: GitPipe;
  readonly rules: RepositoryRules;

  private constructor(repository: Repository, folder: string, options: GitOptions & { readonly git: string }, rules: RepositoryRules) {
    this.repository = repository;
    this.#folder = folder;
    this.rules = rules;
    const running = { program: options.git, cwd: repository.root, env: privateEnv(folder, repository, options.env) };
    this.#run = (args, stdin) => runner({ ...running, signal: AbortSignal.timeout(timeoutMs) })(["--no-pager", ...args], stdin);
    this.#blobs = new GitPipe({ ...running, args: ["cat-file", "--batch"] });
    // This command refuses to take pathspecs literally; names are given to it in a form that has no other meaning.
    const env = { ...running.env, GIT_LITERAL_PATHSPECS: "0" };
    this.#rules = new GitPipe({ ...running, env, args: ["check-ignore", "--stdin", "-z", "--verbose", "--non-matching", "--no-index"] });
  }

  /** The repository that contains a folder; undefined if there is none, or no git. */
  static async open(root: string, options: GitOptions): Promise<PrivateRepository | undefined> {
    const git = options.program();
    const repository = await findRepository(root);
    if (git === undefined || repository === undefined) return undefined;
    await mkdir(options.scratch, { recursive: true, mode: 0o700 });
    await removeLeftovers(options.scratch);
    const folder = await mkdtemp(path.join(options.scratch, `${folderName(process.pid)}-`));
    try {
      const { sha } = await readHead(repository);
      await fillGitFolder(folder, sha, repository);
      const config = await readConfig(repository);
      const isSha256 = sha?.length === 64 || config.get("extensions.objectformat")?.toLowerCase() === "sha256";
      const hasModes = config.get("core.filemode")?.toLowerCase() !== "false";
      return new PrivateRepository(repository, folder, { ...options, git }, { digest: isSha256 ? "sha256" : "sha1", hasModes });
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
  }

  /** The index as the repository has it. */
  async index(): Promise<GitIndex> {
    const found = await this.#readIndex();
    if (found !== undefined) return found;
    // A form that we do not read: git writes it anew.
    await this.#run(["update-index", "--no-split-index", "--index-version", "2"]);
    const written = await this.#readIndex();
    if (written === undefined) throw new Error("the repository's index cannot be read");
    return written;
  }

  /** Updates the timestamps in the private index, so that `compare` need not read files that are as git has stored them. */
  async refresh(): Promise<void> {
    // A failure says that some files differ.
    await this.#run(["update-index", "--no-split-index", "--index-version", "2", "-q", "--refresh"]).catch((error: unknown) => {
      if (!(error instanceof GitFailed && error.exitCode === 1)) throw error;
    });
  }

  /** Compares the working tree below a folder with the index, which is not needed on disk any more then. */
  async compare(below: string): Promise<WorkingTree> {
    const scope = below === "" ? [] : ["--", below];
    const listing = this.#paths(["ls-files", "--others", "--exclude-standard", "-z", ...scope]);
    listing.catch(() => undefined); // reported below, unless something else fails first
    const index = await this.index();
    const differing = await this.#paths(["diff-files", "--name-only", "-z", "--ignore-submodules=all", "--no-ext-diff", ...scope]);
    const untracked = await listing;
    const hasAttributes = index.mentions(".gitattributes") || untracked.some((name) => name.endsWith(".gitattributes"));
    const converted = await this.#converted(hasAttributes);
    await rm(path.join(this.#folder, "index"), { force: true });
    return { index, differing: [...differing, ...converted], untracked: untracked.filter((name) => !name.endsWith("/")) };
  }

  /** Undefined if it has a form that we do not read. */
  async #readIndex(): Promise<GitIndex | undefined> {
    const file = path.join(this.#folder, "index");
    if (findLstat(file) === undefined) return GitIndex.empty; // nothing was ever added
    return GitIndex.parse(await readBounded(file, maxIndexBytes), this.rules.digest === "sha256");
  }

  /** The content of a blob; undefined if it is not there or larger. */
  async blob(oid: string, maxBytes: number): Promise<Buffer | undefined> {
    let isTooLarge = false;
    const found = await this.#blobs.ask<Buffer | "none">(`${oid}\n`, (arrived) => {
      const end = arrived.indexOf(10);
      if (end < 0) return { needs: arrived.length + 1 };
      const size = /^[0-9a-f]+ blob (\d+)$/.exec(arrived.toString("latin1", 0, end))?.[1];
      isTooLarge = Number(size) > maxBytes;
      if (size === undefined || isTooLarge) return { answer: "none" };
      const whole = end + 1 + Number(size) + 1;
      return arrived.length < whole ? { needs: whole } : { answer: Buffer.from(arrived.subarray(end + 1, whole - 1)) };
    });
    if (isTooLarge) this.#blobs.close(); // the rest of it is still on its way
    return found === "none" ? undefined : found;
  }

  /** Which of these paths the repository's rules ignore; undefined if git does not answer. */
  async ignored(names: readonly string[]): Promise<ReadonlySet<string> | undefined> {
    const found = new Set<string>();
    for (let from = 0; from < names.length; from += batch) {
      const some = names.slice(from, from + batch);
      const answers = await this.#rules.ask(some.map((name) => `./${name}\0`).join(""), (arrived) => ignoredAmong(arrived, some));
      if (answers === undefined) return undefined;
      for (const name of answers) found.add(name);
    }
    return found;
  }

  /** A rule file has changed: git has read the old one. */
  forgetRules(): void {
    this.#rules.close();
  }

  /** Starts what answers questions, so that the first one after a command need not wait. */
  warm(): void {
    this.#blobs.start();
    this.#rules.start();
  }

  async close(): Promise<void> {
    this.#blobs.close();
    this.#rules.close();
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** What a filter, an encoding or a line ending changes on the way to the index: the blob is not what the file holds. */
  async #converted(hasAttributes: boolean): Promise<readonly string[]> {
    const own = path.join(this.repository.commonDir, "info/attributes");
    if (!hasAttributes && findLstat(own) === undefined) return [];
    return await withOwnAttributes(this.#folder, async () => {
      await copyIfFile(own, path.join(this.#folder, "info/attributes"));
      const set = ["filter", "working-tree-encoding", "ident"].map((name) => `:(top,exclude,attr:!${name})`);
      const found: string[] = [];
      for (const pathspec of [...set, ":(top,attr:eol=crlf)"])
        found.push(...(await this.#paths(["--no-literal-pathspecs", "ls-files", "-z", "--", pathspec])));
      return found;
    });
  }

  async #paths(args: readonly string[]): Promise<readonly string[]> {
    const listed = (await this.#run(args)).toString("utf8").split("\0");
    // A name that is not UTF-8 cannot be passed on to clients.
    return listed.filter((name) => name !== "" && !name.includes("\ufffd"));
  }
}

/** For each path four fields, each ended by a NUL: where the rule is, its line, the rule, the path. */
function ignoredAmong(arrived: Buffer, names: readonly string[]): { readonly answer: string[] } | { readonly needs: number } {
  const fields = arrived.toString("utf8").split("\0");
  if (arrived.at(-1) !== 0 || fields.length <= names.length * 4) return { needs: arrived.length + 1 };
  return {
    answer: names.filter((_, i) => {
      const rule = fields[i * 4 + 2] ?? "";
      return rule !== "" && !rule.startsWith("!");
    }),
  };
}

const folderName = (pid: number): string => `undo-${pid}`;

/** Of servers that were killed. */
async function removeLeftovers(scratch: string): Promise<void> {
  for (const name of await readdir(scratch)) {
    const pid = /^undo-(\d+)-/.exec(name)?.[1];
    if (pid !== undefined && !isAlive(Number(pid))) await rm(path.join(scratch, name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !(error instanceof Error && "code" in error && error.code === "ESRCH");
  }
}
