/** Keeps snapshots of the files of workspaces, without ignored ones, while turns run in them and for some time afterwards. */
import type { Snapshots } from "../core/ports/snapshots.ts";
import { type SnapshotLimits, WorkspaceMemory } from "./workspace-memory.ts";

const standard: SnapshotLimits = { files: 10_000, fileBytes: 1024 * 1024, totalBytes: 24 * 1024 * 1024 };
/** A scan that began this recently is as good as a new one: an edit is unlikely to fall into so short a time. */
const freshMs = 100;
/** How long a workspace that is too large is not scanned again. */
const tooLargeMs = 30_000;
/** How long contents are kept for the next turn. */
const idleMs = 5 * 60_000;
const maxWorkspaces = 4;

export function createSnapshots(limits: SnapshotLimits = standard): Snapshots {
  const memories = new Map<string, { readonly memory: WorkspaceMemory; timer: NodeJS.Timeout | undefined }>();

  /** The memory for these roots, marked as the most recently used. */
  function memoryOf(roots: readonly string[]): WorkspaceMemory {
    const key = roots.join("\0");
    const entry = memories.get(key) ?? { memory: new WorkspaceMemory(roots, limits), timer: undefined };
    memories.delete(key);
    memories.set(key, entry);
    for (const [other, { memory, timer }] of memories) {
      if (memories.size <= maxWorkspaces) break;
      if (other === key || memory.isInUse) continue;
      clearTimeout(timer);
      memories.delete(other);
    }
    clearTimeout(entry.timer);
    entry.timer = setInterval(() => {
      if (entry.memory.isInUse) return;
      clearInterval(entry.timer);
      memories.delete(key);
    }, idleMs).unref();
    return entry.memory;
  }
  const isKnown = (memory: WorkspaceMemory): boolean => memory.ageMs < (memory.isTooLarge ? tooLargeMs : freshMs);

  return {
    warm(roots) {
      const memory = memoryOf(roots);
      if (!isKnown(memory)) memory.refresh().catch(() => undefined);
    },
    async take(roots) {
      const memory = memoryOf(roots);
      try {
        if (!isKnown(memory)) await memory.refresh();
        return memory.isTooLarge ? undefined : memory.open();
      } catch {
        return undefined;
      }
    },
  };
}
