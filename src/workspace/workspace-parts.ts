/** The folders of one workspace, each remembered in the way that fits it: by reading all of it, or as a large repository. */
import path from "node:path";
import type { Snapshot } from "../core/ports/snapshots.ts";
import { findLstat, findRealPath } from "../lib/file-status.ts";
import { isInside } from "../lib/paths.ts";
import { type FilesMemory, SharedScan } from "./files-memory.ts";
import { findRepository } from "./git-files.ts";
import type { GitOptions } from "./git-run.ts";
import type { RepositoryMemory } from "./repository-memory.ts";
import { type SnapshotLimits, WorkspaceMemory } from "./workspace-memory.ts";

/** The index of a repository of about 5,000 files: from there on it costs less to watch its folders than to look at all files. */
const largeIndexBytes = 512 * 1024;

/** Cheap: one look at each folder above, and at the index. */
export async function isLargeRepository(root: string): Promise<boolean> {
  const repository = await findRepository(root).catch(() => undefined);
  return repository !== undefined && (findLstat(path.join(repository.gitDir, "index"))?.size ?? 0) >= largeIndexBytes;
}

export class WorkspaceParts implements FilesMemory {
  readonly #limits: SnapshotLimits;
  readonly #git: GitOptions | undefined;
  /** Folders that are read completely. */
  readonly #plainRoots: Set<string>;
  readonly #repositories = new Map<string, RepositoryMemory>();
  /** Folders that cannot be remembered as repositories; not tried again. */
  readonly #refused = new Set<string>();
  /** One at a time: a part that another call is about to add has read nothing yet. */
  readonly #scan = new SharedScan(() => this.#look());
  #plain: WorkspaceMemory;
  #isChosen: boolean;

  constructor(roots: readonly string[], limits: SnapshotLimits, git: GitOptions | undefined) {
    this.#limits = limits;
    this.#git = process.platform === "linux" ? git : undefined; // elsewhere no watch notifies of every change before we ask
    this.#plainRoots = new Set(roots.filter((root, i) => !roots.some((other, j) => isInside(root, other) && (other !== root || j < i))));
    this.#plain = new WorkspaceMemory([...this.#plainRoots], limits);
    this.#isChosen = this.#git === undefined;
  }

  get #parts(): readonly FilesMemory[] {
    return [this.#plain, ...this.#repositories.values()];
  }
  get isInUse(): boolean {
    return this.#scan.isRunning || this.#parts.some((part) => part.isInUse);
  }
  get isTooLarge(): boolean {
    return this.#parts.some((part) => part.isTooLarge);
  }
  get ageMs(): number {
    return Math.max(...this.#parts.map((part) => part.ageMs));
  }

  refresh(): Promise<void> {
    return this.#scan.refresh();
  }

  async #look(): Promise<void> {
    if (!this.#isChosen) {
      this.#isChosen = true;
      for (const root of this.#plainRoots) if (await isLargeRepository(root)) await this.#becomeRepository(root);
    }
    await Promise.all(this.#parts.map((part) => part.refresh()));
    if (!this.#parts.some((part) => part.isInUse) && (await this.#rearrange()))
      await Promise.all(this.#parts.map((part) => part.refresh()));
  }

  open(): Snapshot {
    const snapshots = this.#parts.map((part) => part.open());
    return {
      changes: async () => (await Promise.all(snapshots.map((snapshot) => snapshot.changes()))).flat(),
      close: () => {
        for (const snapshot of snapshots) snapshot.close();
      },
    };
  }

  close(): void {
    for (const part of this.#parts) part.close();
  }

  /** Another way for what does not fit its own; whether something was changed. */
  async #rearrange(): Promise<boolean> {
    let isChanged = false;
    for (const [root, { isTooLarge }] of this.#repositories)
      if (isTooLarge) {
        this.#repositories.delete(root);
        this.#refused.add(root);
        this.#setPlain([...this.#plainRoots, root]);
        isChanged = true;
      }
    if (this.#plain.isTooLarge || this.#plain.isFull)
      for (const root of [...this.#plainRoots]) isChanged = (await this.#becomeRepository(root)) || isChanged;
    return isChanged;
  }

  async #becomeRepository(root: string): Promise<boolean> {
    if (this.#git === undefined || this.#refused.has(root) || (await findRepository(root)) === undefined) return false;
    const { RepositoryMemory } = await import("./repository-memory.ts");
    this.#repositories.set(root, new RepositoryMemory(findRealPath(root) ?? root, this.#limits, this.#git));
    this.#setPlain([...this.#plainRoots].filter((other) => other !== root));
    return true;
  }

  #setPlain(roots: readonly string[]): void {
    this.#plainRoots.clear();
    for (const root of roots) this.#plainRoots.add(root);
    this.#plain.close();
    this.#plain = new WorkspaceMemory(roots, this.#limits);
  }
}
