/** Whether a process, possibly of an earlier boot, another container or machine, is still alive, for locks that must survive crashes. */
import { readFileSync, readlinkSync } from "node:fs";
import os from "node:os";
import { isCode } from "../../lib/system-error.ts";

/** Identifies one process uniquely: a pid alone is reused. */
export interface ProcessName {
  readonly pid: number;
  /** Start time in ticks since boot; null if the system does not provide it. */
  readonly started: string | null;
  readonly host: string;
  readonly boot: string;
  /** The PID namespace: a container has its own pids. */
  readonly space: string;
}

export const ownName = (): ProcessName => nameOf(process.pid);

/** The name of a process of this machine. */
export function nameOf(pid: number): ProcessName {
  return { pid, started: startTime(pid) ?? null, host: os.hostname(), boot: bootId(), space: pidSpace() };
}

/** "unknown" if we cannot see it: on another machine or in another container. */
export function lifeOf(name: ProcessName): "alive" | "dead" | "unknown" {
  if (name.boot !== bootId()) return name.host === os.hostname() ? "dead" : "unknown";
  if (name.space !== pidSpace()) return "unknown";
  if (name.started !== null) return startTime(name.pid) === name.started ? "alive" : "dead";
  try {
    process.kill(name.pid, 0);
    return "alive";
  } catch (error) {
    return isCode(error, "EPERM") ? "alive" : "dead";
  }
}

/** From /proc: undefined without /proc, and for a process that has ended but was not reaped. */
function startTime(pid: number): string | undefined {
  const stat = readText(`/proc/${pid}/stat`);
  // The name in the second field may contain any character, so counting begins after its closing parenthesis.
  const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields === undefined || fields[0] === "Z" || fields[0] === "X" ? undefined : fields[19];
}

const bootId = (): string => readText("/proc/sys/kernel/random/boot_id")?.trim() ?? "";
function pidSpace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return "";
  }
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
