/**
 * Named pipes of the system and of the user's session that a command could write into: a read-only mount does not prevent that, and
 * services read commands from them. They are under /run. If the kernel has Landlock, the layer under the mounts blocks all others too.
 */
import { accessSync, constants, readdirSync } from "node:fs";
import path from "node:path";
import { findRealPath } from "../../lib/file-status.ts";

const limits = { depth: 4, entries: 4_000, pipes: 64 };
/** Services rarely start or stop. */
const againAfterMs = 30_000;

export class OutsidePipes {
  readonly #top: string;
  #found: readonly string[] = [];
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(top = "/run") {
    this.#top = top;
  }

  /** Real paths. */
  get paths(): readonly string[] {
    const now = performance.now();
    if (now - this.#lookedAt > againAfterMs) {
      this.#found = pipesIn(findRealPath(this.#top));
      this.#lookedAt = now;
    }
    return this.#found;
  }
}

/** Breadth first; links are not followed. */
function pipesIn(top: string | undefined): string[] {
  const found: string[] = [];
  let level = top === undefined ? [] : [top];
  let entries = 0;
  for (let depth = 0; depth < limits.depth && level.length > 0; depth++) {
    const next: string[] = [];
    for (const folder of level)
      for (const entry of entriesOf(folder)) {
        if (++entries > limits.entries || found.length >= limits.pipes) return found;
        const at = path.join(folder, entry.name);
        if (entry.isDirectory()) next.push(at);
        else if (entry.isFIFO() && canWrite(at)) found.push(at);
      }
    level = next;
  }
  return found;
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

function canWrite(file: string): boolean {
  try {
    accessSync(file, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
