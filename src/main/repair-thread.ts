/** Repairs a stored thread into a copy, for `parley threads repair`. The damaged file is only read. */
import path from "node:path";
import { createFileSync } from "../lib/durable-write.ts";
import { isCode } from "../lib/system-error.ts";
import { parseRolloutName, rolloutPath } from "../store/layout.ts";
import { readWhole } from "../store/rollout/read-lines.ts";
import { asNewThread, type Problem, repairLines } from "../store/rollout/repair.ts";
import { systemIds } from "./system.ts";

export interface RepairResult {
  readonly file: string;
  readonly problems: readonly Problem[];
  /** How many lines were saved. */
  readonly lines: number;
  /** Where the copy is; undefined when none was requested or nothing could be saved. */
  readonly copy: string | undefined;
  /** The copy's thread id, when it is a thread of its own. */
  readonly threadId: string | undefined;
}

export interface RepairOptions {
  readonly home: string;
  /** A path for the repaired lines, "thread" for a new thread, "none" to check only. */
  readonly into: { readonly file: string } | "thread" | "none";
}

/** The file is read into one string, and a string can be no longer. */
const maxBytes = 500 * 1024 * 1024;

/** Rejects when the file cannot be read, or when its name is not that of a thread. */
export async function repairThread(file: string, { home, into }: RepairOptions): Promise<RepairResult> {
  const name = parseRolloutName(path.basename(file));
  if (name === undefined) throw new Error(`${file} is no thread: its name should be rollout-<time>-<id>.jsonl`);
  const bytes = await readWhole(file, maxBytes);
  const { lines, problems } = repairLines(bytes.toString("utf8"), { id: name.id, createdMs: name.namedMs });
  const made = { file, problems, lines: lines.length };
  if (into === "none" || lines.length === 0) return { ...made, copy: undefined, threadId: undefined };
  if (into !== "thread") {
    write(into.file, lines);
    return { ...made, copy: into.file, threadId: undefined };
  }
  const threadId = systemIds.thread();
  const copy = rolloutPath(home, threadId, Date.now());
  write(copy, asNewThread(lines, name.id, threadId));
  return { ...made, copy, threadId };
}

/** Written completely or not at all; never overwrites. */
function write(file: string, lines: readonly string[]): void {
  try {
    createFileSync(file, lines.map((line) => `${line}\n`).join(""));
  } catch (error) {
    throw isCode(error, "EEXIST") ? new Error(`${file} exists already; name another file`) : error;
  }
}
