/** Where threads are stored under CODEX_HOME and how their files are named. Used by the whole store. */
import path from "node:path";

const uuid = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";
const uuidOnly = new RegExp(`^${uuid}$`, "i");
const rolloutName = new RegExp(
  `^rollout-(\\d{4})-(\\d\\d)-(\\d\\d)T(\\d\\d)-(\\d\\d)-(\\d\\d)-(${uuid})(?:_(${uuid}))?\\.jsonl(?:\\.zst)?$`,
  "i",
);
/** No two time zones differ by more; file names use the writer's local time. */
export const zoneSpanMs = 26 * 3600_000;

/** Thread ids are used in paths and patterns, so anything but a UUID is refused before the disk is touched. */
export const isThreadId = (id: string): boolean => uuidOnly.test(id);

export interface RolloutName {
  readonly id: string;
  /** A thread reverted by Codex continues in a further file: `<id>_<segment>`. The first file's segment is the thread's own id. */
  readonly segment: string;
  /** Time in the name, read as local time; whole seconds. */
  readonly namedMs: number;
}

export function parseRolloutName(file: string): RolloutName | undefined {
  const found = rolloutName.exec(file);
  if (found === null) return undefined;
  const [, year, month, day, hour, minute, second, id = "", segment] = found;
  const namedMs = new Date(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second)).getTime();
  return { id: id.toLowerCase(), segment: (segment ?? id).toLowerCase(), namedMs };
}

/**
 * The latest time at which the thread can have been created, judged by the name alone: exact to seconds if the id is a UUIDv7 that agrees
 * with the name.
 */
export function latestCreation(name: RolloutName): number {
  const fromId = uuidTime(name.id);
  return fromId !== undefined && Math.abs(fromId - name.namedMs) < zoneSpanMs ? fromId + 120_000 : name.namedMs + zoneSpanMs;
}
/** The earliest such time. */
export function earliestCreation(name: RolloutName): number {
  const fromId = uuidTime(name.id);
  return fromId !== undefined && Math.abs(fromId - name.namedMs) < zoneSpanMs ? fromId - 120_000 : name.namedMs - zoneSpanMs;
}

export function uuidTime(id: string): number | undefined {
  return id.charAt(14) === "7" ? Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) : undefined;
}

const two = (n: number): string => String(n).padStart(2, "0");

export function dayFolder(home: string, date: Date): string {
  return path.join(home, "sessions", String(date.getFullYear()).padStart(4, "0"), two(date.getMonth() + 1), two(date.getDate()));
}

/** The path of a new thread's file. Codex names files in local time, so this does too. */
export function rolloutPath(home: string, id: string, createdAtMs: number): string {
  const date = new Date(createdAtMs);
  const day = `${String(date.getFullYear()).padStart(4, "0")}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  const time = `${two(date.getHours())}-${two(date.getMinutes())}-${two(date.getSeconds())}`;
  return path.join(dayFolder(home, date), `rollout-${day}T${time}-${id}.jsonl`);
}

export const archiveFolder = (home: string): string => path.join(home, "archived_sessions");
export const archivedPath = (home: string, file: string): string => path.join(archiveFolder(home), path.basename(file));

/** The original path of an archived file: the day folder is in its name. */
export function unarchivedPath(home: string, file: string): string {
  const name = path.basename(file);
  const [year = "", month = "", day = ""] = name.slice("rollout-".length, "rollout-YYYY-MM-DD".length).split("-");
  return path.join(home, "sessions", year, month, day, name);
}

/** Parley's own folder; everything in it can be rebuilt or is only used while a process runs. */
export const ownFolder = (home: string): string => path.join(home, "parley");
