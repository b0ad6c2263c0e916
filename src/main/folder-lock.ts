/** Locks a folder for one process: two that rewrite its files would undo each other's changes. */
import path from "node:path";
import { acquireLock, type Holder } from "../store/writing/lock-file.ts";
import { ownName } from "../store/writing/processes.ts";

const touchMs = 30_000;

/** Undefined when this process has the lock until it ends, however it ends; otherwise who has it. `purpose` is what other processes read about us. */
export async function lockFolder(folder: string, purpose: string): Promise<Holder | undefined> {
  const lock = await acquireLock(path.join(folder, "lock.json"), { process: ownName(), client: purpose });
  if ("heldBy" in lock) return lock.heldBy;
  setInterval(() => lock.touch(), touchMs).unref();
  process.once("exit", () => lock.release());
  return undefined;
}
