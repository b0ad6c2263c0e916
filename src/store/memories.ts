/** Memories in `$CODEX_HOME/memories`, as Codex lays them out. */
import { existsSync, lstatSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import type { Memories } from "../core/ports/memories.ts";
import { readBoundedText } from "../lib/bounded-read.ts";
import { invalidRequest } from "../protocol/errors.ts";
import { columnsOf, inDatabase } from "./database.ts";

const maxSummaryBytes = 256 * 1024;
/** How many summaries of threads are searched, newest first. */
const maxSearched = 2_000;

export function createMemories(home: string): Memories {
  const folder = path.join(home, "memories");
  return {
    async summary() {
      const text = await readBoundedText(path.join(folder, "memory_summary.md"), maxSummaryBytes, { beyond: "cut" }).catch(() => "");
      return text.trim() === "" ? undefined : { folder, text: text.trim() };
    },
    async ofThread(threadId) {
      const summaries = path.join(folder, "rollout_summaries");
      for (const name of filesIn(summaries).toSorted().toReversed().slice(0, maxSearched)) {
        const text = await readBoundedText(path.join(summaries, name), maxSummaryBytes, { beyond: "cut" }).catch(() => "");
        if (text.includes(threadId)) return text;
      }
      return null;
    },
    async reset() {
      const stats = lstatSync(folder, { throwIfNoEntry: false });
      if (stats === undefined) return;
      if (!stats.isDirectory()) throw invalidRequest(`${folder} is not a folder, so nothing in it is deleted`);
      for (const name of readdirSync(folder)) rmSync(path.join(folder, name), { recursive: true, force: true });
    },
    async setMode(threadId, mode) {
      const file = path.join(home, "state_5.sqlite");
      if (!existsSync(file)) return false;
      return await inDatabase(file, (db) => {
        if (!columnsOf(db, "threads").has("memory_mode")) return false;
        return db.prepare("UPDATE threads SET memory_mode = ? WHERE id = ?").run(mode, threadId).changes === 1;
      });
    },
  };
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith(".md"));
  } catch {
    return [];
  }
}
