/**
 * A lock file that names its holder, for one writer at a time over all processes on a home.
 * It appears whole by link(2), which fails when it is there already. A dead holder's lock may be replaced only by whoever holds the lock
 * file that is named after that very holder, so two processes that find it dead at the same moment cannot both win.
 */
import { linkSync, mkdirSync, renameSync, rmSync, statSync, unlinkSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readBoundedTextSync, UnfitFile } from "../../lib/bounded-read.ts";
import { randomUuid } from "../../lib/random.ts";
import { isCode } from "../../lib/system-error.ts";
import { isObject, isString, textOf } from "../rollout/shapes.ts";
import { lifeOf, ownName, type ProcessName } from "./processes.ts";

export interface Holder extends ProcessName {
  readonly nonce: string;
  readonly client: string;
}
export interface HeldLock {
  /** Tells processes that cannot see this one that it lives. */
  touch(): void;
  release(): void;
}

/** A lock of a process out of sight counts as dead when it was not touched for this long. */
const staleMs = 120_000;
const tries = 50;
const maxBytes = 64 * 1024;

/** Who asks for a lock. */
export interface Asker {
  readonly process: ProcessName;
  readonly client: string;
}

/** The lock, or who has it. */
export async function acquireLock(file: string, asker: Asker): Promise<HeldLock | { readonly heldBy: Holder }> {
  const own: Holder = { ...asker.process, nonce: randomUuid(), client: asker.client };
  let holder: Holder | undefined;
  for (let attempt = 0; attempt < tries; attempt++) {
    if (put(file, own)) return held(file, own);
    holder = readHolder(file);
    if (holder === undefined) continue; // let go in between
    if (isLive(file, holder)) return { heldBy: holder };
    if (await replaceDead(file, holder, own)) return held(file, own);
    await sleep(5);
  }
  return { heldBy: holder ?? own };
}

async function replaceDead(file: string, dead: Holder, own: Holder): Promise<boolean> {
  const right = await acquireLock(`${file}.${dead.nonce}`, { process: own, client: own.client });
  if ("heldBy" in right) return false; // somebody else is at it
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
    rmSync(fresh, { force: true }); // a full disk may have taken the name and nothing else
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

/** A home that was taken away or made read-only has no locks left to care for. */
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

/** Undefined when there is no lock. A file that cannot be read as a lock is a dead process's. */
function readHolder(file: string): Holder | undefined {
  let text: string;
  try {
    text = readBoundedTextSync(file, maxBytes);
  } catch (error) {
    if (!(error instanceof UnfitFile)) return undefined;
    text = "";
  }
  const value = parse(text);
  if (isObject(value) && typeof value["pid"] === "number" && isString(value["nonce"])) {
    const { pid, nonce } = value;
    const [host, boot, space, client] = [textOf(value["host"]), textOf(value["boot"]), textOf(value["space"]), textOf(value["client"])];
    return { pid, nonce, host, boot, space, client, started: isString(value["started"]) ? value["started"] : null };
  }
  return { ...ownName(), pid: 0, started: "never", nonce: "broken", client: "" };
}
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
