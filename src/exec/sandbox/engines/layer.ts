/**
 * Landlock as a second layer under an engine that mounts. A read-only mount keeps nobody from writing into a named pipe, and whatever else
 * mounts leave open Landlock may close: it allows the same as the mounts say, once more.
 */
import type { SandboxPlan } from "./engine.ts";
import type { LandlockRule } from "./orders.ts";

/** The first version cannot move files between folders, which commands need. */
export const layerSince = 2;

/** What the mounts show may be read, what they open may be written. */
export function layerRules({ mounts, writable }: Pick<SandboxPlan, "mounts" | "writable">): LandlockRule[] {
  const scratch = mounts.flatMap((mount) => (mount.kind === "memory" && mount.at === "/dev/shm" ? [mount.at] : []));
  return [
    { path: "/", allow: ["read", "run"] },
    { path: "/dev", allow: ["device"] },
    ...[...writable, ...scratch].map((at): LandlockRule => ({ path: at, allow: ["write", "run"] })),
  ];
}

/** What such an engine cannot do where `reason` keeps it from having the layer. */
export const limitsWithout = (reason: string | undefined): readonly string[] =>
  reason === undefined
    ? []
    : [
        `cannot keep commands from writing into named pipes outside the writable folders, but for those under /run (no Landlock: ${reason})`,
      ];

export const noLandlock = "the kernel has none; it needs Linux 5.19 or later with landlock among its security modules";
