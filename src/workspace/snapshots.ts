/** Keeps snapshots of the files of workspaces, without ignored ones, while turns run in them and for some time afterwards. */
import type { Snapshots } from "../core/ports/snapshots.ts";
import { grouped } from "../lib/grouped.ts";
import type { FilesMemory } from "./files-memory.ts";
import type { GitOptions } from "./git-run.ts";
import type { SnapshotLimits } from "./workspace-memory.ts";
import { isLargeRepository, WorkspaceParts } from "./workspace-parts.ts";

const standard: SnapshotLimits = { files: 10_000, fileBytes: 1024 * 1024, totalBytes: 24 * 1024 * 1024 };
/** A scan that began this recently is as good as a new one: an edit is unlikely to fall into so short a time. */
const freshMs = 100;
/** How long a workspace that is too large is not scanned again. */
const tooLargeMs = 30_000;
/** How long contents are kept for the next turn. */
const idleMs = 5 * 60_000;
const maxWorkspaces = 4;
/** How long a command waits for its snapshot; a disk that is slower than that is read on for the next one. */
const waitMs = 15_000;
/** How long it is remembered that a workspace is no large repository, and of how many. */
const lookAgainMs = 60_000;
const maxLooked = 100;
/** How many threads are remembered that know that their workspace is too large. */
const maxTold = 1000;

/** Without `git`, large repositories are treated like other large folders. */
export function createSnapshots(limits: SnapshotLimits = standard, git?: GitOptions): Snapshots {
  const memories = new Map<string, { readonly memory: FilesMemory; timer: NodeJS.Timeout | undefined }>();
  const looked = new Map<string, number>();
  const told = new Set<string>();

  /** The memory for these roots, marked as the most recently used. */
  function memoryOf(roots: readonly string[]): FilesMemory {
    const key = roots.join("\0");
    const entry = memories.get(key) ?? { memory: new WorkspaceParts(roots, limits, git), timer: undefined };
    memories.delete(key);
    memories.set(key, entry);
    for (const [other, { memory, timer }] of memories) {
      if (memories.size <= maxWorkspaces) break;
      if (other === key || memory.isInUse) continue;
      clearTimeout(timer);
      memories.delete(other);
      memory.close();
    }
    clearTimeout(entry.timer);
    entry.timer = setInterval(() => {
      if (entry.memory.isInUse) return;
      clearInterval(entry.timer);
      memories.delete(key);
      entry.memory.close();
    }, idleMs).unref();
    return entry.memory;
  }
  const isKnown = (memory: FilesMemory): boolean => memory.ageMs < (memory.isTooLarge ? tooLargeMs : freshMs);

  return {
    async prepare(roots) {
      if (git === undefined) return;
      const key = roots.join("\0");
      if (performance.now() - (looked.get(key) ?? Number.NEGATIVE_INFINITY) < lookAgainMs) return;
      looked.delete(key);
      looked.set(key, performance.now());
      for (const old of looked.keys()) if (looked.size > maxLooked) looked.delete(old);
      for (const root of roots)
        if (await isLargeRepository(root)) {
          looked.delete(key); // what is already known costs little to look at again
          return this.warm(roots);
        }
    },
    warm(roots) {
      const memory = memoryOf(roots);
      if (!isKnown(memory)) memory.refresh().catch(() => undefined);
    },
    async take(roots) {
      const memory = memoryOf(roots);
      try {
        if (!isKnown(memory)) await atMost(waitMs, memory.refresh());
        return memory.isTooLarge ? undefined : memory.open();
      } catch {
        return undefined;
      }
    },
    whyNone(roots, threadId) {
      if (!memoryOf(roots).isTooLarge)
        return `Undo does not cover what this command changes: the workspace could not be read within ${waitMs / 1000} s. Patches can be undone.`;
      if (told.has(threadId)) return undefined;
      told.add(threadId);
      for (const old of told) if (told.size > maxTold) told.delete(old);
      return `Undo does not cover what commands change in this workspace: it has more than ${grouped(limits.files)} files outside of git repositories, or more to keep than a snapshot may. Patches can be undone.`;
    },
  };
}

async function atMost(ms: number, work: Promise<void>): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>();
  const limit = setTimeout(() => reject(new Error(`the workspace could not be read within ${ms / 1000} s`)), ms);
  try {
    await Promise.race([work, promise]);
  } finally {
    clearTimeout(limit);
  }
}
