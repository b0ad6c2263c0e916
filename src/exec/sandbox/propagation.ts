/**
 * Keeps mounts that are made outside while a command runs from appearing inside. bubblewrap keeps receiving the machine's mounts, and a new
 * one would be writable: it is therefore started in a mount namespace that is detached from the machine's. If the machine's mounts are not
 * shared, as in most containers, this is not needed.
 */
import { readFileSync } from "node:fs";
import { findSystemProgram } from "../../lib/program.ts";

/** Arguments to put before a program that creates a sandbox; empty if not needed or not available. */
export function detachArguments(): readonly string[] {
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
