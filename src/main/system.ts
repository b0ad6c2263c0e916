/** The machine's clock, ids and system name. */

import { type as osType, release } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import type { Ids, Timers } from "../core/ports/clock.ts";
import { readBoundedTextSync } from "../lib/bounded-read.ts";
import { timedUuid } from "../lib/random.ts";

export const systemClock: Timers = {
  now: () => Date.now(),
  sleep: async (ms, signal) => {
    await sleep(ms, undefined, { signal }).catch((error: unknown) => {
      throw signal.aborted ? signal.reason : error;
    });
  },
  // Not performance.now(): its first use loads ten modules of Node, which is felt in a start. hrtime() takes four times as long.
  monotonic: () => process.uptime() * 1000,
  after: (ms, callback) => {
    const timer = setTimeout(callback, ms).unref();
    return () => clearTimeout(timer);
  },
  timeout: (ms) => AbortSignal.timeout(ms),
};

export const systemIds: Ids = { thread: () => timedUuid(), turn: () => timedUuid(), item: () => timedUuid(), random: () => Math.random() };

/** Such as "Debian 12.0.0; x86_64", for user agents. */
export function systemName(): string {
  const processor = process.arch === "x64" ? "x86_64" : process.arch;
  return `${(distribution() ?? `${osType()} ${release()}`).replace(/[^\x20-\x7e]/g, "_")}; ${processor}`;
}

function distribution(): string | undefined {
  let text: string;
  try {
    text = readBoundedTextSync("/etc/os-release", 64 * 1024);
  } catch {
    return undefined; // not Linux, or a bare container: fall back to the kernel's name
  }
  const lines = text.split("\n");
  const field = (name: string): string => {
    const line = lines.find((each) => each.startsWith(`${name}=`)) ?? "";
    return line
      .slice(name.length + 1)
      .split('"', 2)
      .join("");
  };
  const name = field("NAME").split(" ")[0] ?? "";
  const version = field("VERSION_ID");
  return name === "" ? undefined : `${name} ${version === "" ? "unknown" : [...version.split("."), "0", "0"].slice(0, 3).join(".")}`;
}
