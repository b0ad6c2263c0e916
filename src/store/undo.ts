/** Implements the UndoStore port: one folder per turn under the server's own home, readable only by its owner, pruned when it grows. */
import { createHash } from "node:crypto";
import { mkdir, readdir, rm, stat } from "node:fs/promises";
import path from "node:path";
import type { TurnKey, UndoEntry, UndoStore } from "../core/ports/undo-store.ts";
import type { FileState } from "../core/ports/workspace.ts";
import { readBounded, readBoundedText } from "../lib/bounded-read.ts";
import { appendLineSync, createFile } from "../lib/durable-write.ts";
import { parseJson } from "../lib/parse-json.ts";
import { type Infer, integer, literals, named, nullable, object, optional, parse, string } from "../lib/schema.ts";
import { isCode } from "../lib/system-error.ts";

export interface UndoLimits {
  /** A larger file is recorded, but its content is not kept. */
  readonly fileBytes: number;
  readonly turnBytes: number;
  /** Older turns are removed if all together exceed these limits. */
  readonly totalBytes: number;
  readonly turns: number;
}
const defaultLimits: UndoLimits = {
  fileBytes: 16 * 1024 * 1024,
  turnBytes: 64 * 1024 * 1024,
  totalBytes: 512 * 1024 * 1024,
  turns: 500,
};

/** Limits for reading back: another program may have written the files. */
const maxIndexBytes = 64 * 1024 * 1024;
const maxBlobBytes = 64 * 1024 * 1024;

/** A line of `index.jsonl`. The content is next to it in a file named by its SHA-256; `blob: null` means that it was not kept. */
const Line = named("UndoLine", () =>
  object({
    path: string(),
    kind: literals("absent", "file", "link", "left", "dropped"),
    mode: optional(integer()),
    blob: optional(nullable(string())),
    target: optional(string()),
    mark: optional(string()),
  }),
);
type Line = Infer<typeof Line>;

/** `folder` is `$CODEX_HOME/parley/undo`. */
export function createUndoStore(folder: string, limits: UndoLimits = defaultLimits): UndoStore {
  const usedBytes = new Map<string, number>();
  let writing: Promise<unknown> = Promise.resolve();
  /** One write after another: lines of one turn must not mix. */
  const inOrder = <T>(work: () => Promise<T>): Promise<T> => {
    const next = writing.then(work);
    writing = next.catch(() => undefined);
    return next;
  };

  async function open(turn: TurnKey): Promise<string> {
    const place = placeOf(folder, turn);
    if (!usedBytes.has(place)) {
      await mkdir(place, { recursive: true, mode: 0o700 });
      usedBytes.set(place, await sizeOf(place));
      inOrder(async () => await prune(folder, limits, place)).catch(() => undefined); // the next turn tries again
    }
    return place;
  }

  async function keepBytes(place: string, bytes: Uint8Array): Promise<string | null> {
    const used = usedBytes.get(place) ?? 0;
    if (bytes.length > limits.fileBytes || used + bytes.length > limits.turnBytes) return null;
    const name = createHash("sha256").update(bytes).digest("hex");
    try {
      await createFile(path.join(place, name), bytes);
      usedBytes.set(place, used + bytes.length);
    } catch (error) {
      if (!isCode(error, "EEXIST")) return null;
    }
    return name;
  }

  const append = (place: string, line: Line): void => {
    appendLineSync(path.join(place, "index.jsonl"), JSON.stringify(line));
  };

  return {
    keep: (turn, file, before, mark) =>
      inOrder(async () => {
        const place = await open(turn);
        const blob = before !== "notKept" && before.kind === "file" ? await keepBytes(place, before.bytes) : undefined;
        append(place, { ...lineFor(file, before, blob), mark });
      }),
    left: (turn, file, mark) => inOrder(async () => append(await open(turn), { path: file, kind: "left", mark })),
    drop: (turn, file) => inOrder(async () => append(await open(turn), { path: file, kind: "dropped" })),
    read: (turn) => inOrder(async () => await readTurn(placeOf(folder, turn))),
    forget: (threadId) =>
      inOrder(async () => {
        await rm(path.join(folder, safeName(threadId)), { recursive: true, force: true });
        for (const place of usedBytes.keys()) if (path.dirname(place) === path.join(folder, safeName(threadId))) usedBytes.delete(place);
      }),
  };
}

const placeOf = (folder: string, turn: TurnKey): string => path.join(folder, safeName(turn.threadId), safeName(turn.turnId));

/** Ids come from files that others may have written: one that could lead to another path is replaced by its hash. */
const safeName = (id: string): string => (/^[A-Za-z0-9][\w-]{0,127}$/.test(id) ? id : createHash("sha256").update(id).digest("hex"));

function lineFor(file: string, before: FileState | "notKept", blob: string | null | undefined): Line {
  if (before === "notKept") return { path: file, kind: "file", mode: 0o644, blob: null };
  if (before.kind === "file") return { path: file, kind: "file", mode: before.mode, blob: blob ?? null };
  if (before.kind === "link") return { path: file, kind: "link", target: before.target };
  return { path: file, kind: "absent" };
}

async function readTurn(place: string): Promise<readonly UndoEntry[] | undefined> {
  const text = await readBoundedText(path.join(place, "index.jsonl"), maxIndexBytes).catch(() => undefined);
  if (text === undefined) return undefined;
  const entries = new Map<string, UndoEntry>();
  for (const raw of text.split("\n")) {
    const line = parse(Line, parseJson(raw)); // an incomplete last line is dropped
    if (line === undefined) continue;
    const known = entries.get(line.path);
    if (line.kind === "dropped") entries.delete(line.path);
    else if (line.kind !== "left") {
      if (known === undefined)
        entries.set(line.path, { path: line.path, before: await stateFrom(line, place), leftMark: line.mark ?? "unknown" });
    } else if (known !== undefined && line.mark !== undefined) entries.set(line.path, { ...known, leftMark: line.mark });
  }
  return [...entries.values()];
}

/** A missing or damaged content file counts as not kept: no undo is better than a wrong one. */
async function stateFrom(line: Line, place: string): Promise<FileState | "notKept"> {
  if (line.kind === "absent") return { kind: "absent" };
  if (line.kind === "link") return { kind: "link", target: line.target ?? "" };
  if (!line.blob || !/^[0-9a-f]{64}$/.test(line.blob)) return "notKept";
  const bytes = await readBounded(path.join(place, line.blob), maxBlobBytes).catch(() => undefined);
  if (bytes === undefined || createHash("sha256").update(bytes).digest("hex") !== line.blob) return "notKept";
  return { kind: "file", bytes, mode: line.mode ?? 0o644 };
}

async function sizeOf(place: string): Promise<number> {
  let total = 0;
  for (const name of await readdir(place).catch(() => [])) total += (await stat(path.join(place, name)).catch(() => undefined))?.size ?? 0;
  return total;
}

/** The oldest turns are removed first; the one being written stays. */
async function prune(folder: string, limits: UndoLimits, current: string): Promise<void> {
  const turns: { place: string; at: number; bytes: number }[] = [];
  for (const thread of await readdir(folder).catch(() => []))
    for (const turn of await readdir(path.join(folder, thread)).catch(() => [])) {
      const place = path.join(folder, thread, turn);
      const at = (await stat(place).catch(() => undefined))?.mtimeMs ?? 0;
      if (place !== current) turns.push({ place, at, bytes: await sizeOf(place) });
    }
  turns.sort((a, b) => b.at - a.at);
  let bytes = 0;
  for (const [i, turn] of turns.entries()) {
    bytes += turn.bytes;
    if (i + 1 >= limits.turns || bytes > limits.totalBytes) await rm(turn.place, { recursive: true, force: true });
  }
}
