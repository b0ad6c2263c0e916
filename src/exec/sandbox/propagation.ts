/**
 * Keeps what is mounted outside while a command runs from appearing inside. bubblewrap goes on receiving mounts of the machine, and such a
 * new one is writable: it is therefore started in a mount space that has been cut off from the machine's. On machines whose mounts are not
 * shared, as in most containers, there is nothing to cut.
 */
import { readFileSync } from "node:fs";
import { findSystemProgram } from "../../lib/program.ts";

/** Words to be put before a program that makes a sandbox; none where none are needed or can be had. */
export function cutOffWords(): readonly string[] {
  const unshare = areMountsShared() ? findSystemProgram("unshare") : undefined;
  return unshare === undefined ? [] : [unshare, "--user", "--map-current-user", "--mount", "--propagation", "private", "--"];
}

/** Whether this process receives mounts from elsewhere, or shares its own. */
function areMountsShared(): boolean {
  try {
    return / (?:shared|master):\d+ /.test(readFileSync("/proc/self/mountinfo", "utf8"));
  } catch {
    return false;
  }
}
