/**
 * A lock file that names its holder, for one writer at a time across all processes on a home. It is created atomically by link(2), which
 * fails if it exists. A dead holder's lock may be replaced only by the process that holds the lock file named after that holder, so two
 * processes that find it dead at the same time cannot both win.
 */
import { linkSync, mkdirSync, renameSync, rmSync, statSync, unlinkSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readBoundedTextSync, UnfitFile } from "../../lib/bounded-read.ts";
import { parseJson } from "../../lib/parse-json.ts";
import { randomUuid } from "../../lib/random.ts";
import { isCode } from "../../lib/system-error.ts";
import { isObject, isString, textOf } from "../rollout/shapes.ts";
import { lifeOf, ownName, type ProcessName } from "./processes.ts";

export interface Holder extends ProcessName {
  readonly nonce: string;
  readonly client: string;
  /** The name of the socket at which other processes on this home can reach the holder; null if it offers none. */
  readonly socket: string | null;
}
export interface HeldLock {
  /** Shows processes that cannot see this one that it is alive. */
  touch(): void;
  release(): void;
}

/** The lock of a process that we cannot see counts as dead if it was not touched for this long. */
const staleMs = 120_000;
const tries = 50;
const maxBytes = 64 * 1024;

/** Who requests a lock. */
export interface Asker {
  readonly process: ProcessName;
  readonly client: string;
  readonly socket?: string | undefined;
}

/** The lock, or its current holder. */
export async function acquireLock(file: string, asker: Asker): Promise<HeldLock | { readonly heldBy: Holder }> {
  const own: Holder = { ...asker.process, nonce: randomUuid(), client: asker.client, socket: asker.socket ?? null };
  let holder: Holder | undefined;
  for (let attempt = 0; attempt < tries; attempt++) {
    if (put(file, own)) return held(file, own);
    holder = readHolder(file);
    if (holder === undefined) continue; // released in between
    if (isLive(file, holder)) return { heldBy: holder };
    if (await replaceDead(file, holder, own)) return held(file, own);
    await sleep(5);
  }
  return { heldBy: holder ?? own };
}

/** The process that holds the lock right now; undefined if none does. */
export function holderOf(file: string): Holder | undefined {
  const holder = readHolder(file);
  return holder !== undefined && isLive(file, holder) ? holder : undefined;
}

async function replaceDead(file: string, dead: Holder, own: Holder): Promise<boolean> {
  const right = await acquireLock(`${file}.${dead.nonce}`, { process: own, client: own.client });
  if ("heldBy" in right) return false; // another process is replacing it
  try {
    if (readHolder(file)?.nonce !== dead.nonce) return false;
    renameSync(written(file, own), file);
    return true;
  } finally {
    right.release();
  }
}

function put(file: string, own: Holder): boolean {
  const fresh = written(file, own);
  try {
    linkSync(fresh, file);
    return true;
  } catch (error) {
    if (isCode(error, "EEXIST")) return false;
    throw error;
  } finally {
    unlinkSync(fresh);
  }
}

function written(file: string, own: Holder): string {
  const fresh = `${file}.${own.nonce}.new`;
  const write = (): void => writeFileSync(fresh, JSON.stringify(own), { mode: 0o600, flag: "wx" });
  try {
    try {
      write();
    } catch (error) {
      if (!isCode(error, "ENOENT")) throw error;
      mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
      write();
    }
    return fresh;
  } catch (error) {
    rmSync(fresh, { force: true }); // a full disk may have created the name without content
    throw error;
  }
}

function held(file: string, own: Holder): HeldLock {
  const isOurs = (): boolean => readHolder(file)?.nonce === own.nonce;
  return {
    touch() {
      const now = Date.now() / 1000;
      if (isOurs()) attempt(() => utimesSync(file, now, now));
    },
    release() {
      if (isOurs()) attempt(() => unlinkSync(file));
    },
  };
}

/** On a home that was removed or made read-only there are no locks left to maintain. */
function attempt(work: () => void): void {
  try {
    work();
  } catch {}
}

function isLive(file: string, holder: Holder): boolean {
  const life = lifeOf(holder);
  if (life !== "unknown") return life === "alive";
  try {
    return Date.now() - statSync(file).mtimeMs < staleMs;
  } catch {
    return false;
  }
}

/** Undefined if there is no lock. An unreadable lock file counts as held by a dead process. */
function readHolder(file: string): Holder | undefined {
  let text: string;
  try {
    text = readBoundedTextSync(file, maxBytes);
  } catch (error) {
    if (!(error instanceof UnfitFile)) return undefined;
    text = "";
  }
  const value = parseJson(text);
  if (isObject(value) && typeof value["pid"] === "number" && isString(value["nonce"])) {
    const { pid, nonce } = value;
    const [host, boot, space, client] = [textOf(value["host"]), textOf(value["boot"]), textOf(value["space"]), textOf(value["client"])];
    const orNull = (key: string): string | null => (isString(value[key]) ? value[key] : null);
    return { pid, nonce, host, boot, space, client, started: orNull("started"), socket: orNull("socket") };
  }
  return { ...ownName(), pid: 0, started: "never", nonce: "broken", client: "", socket: null };
}
