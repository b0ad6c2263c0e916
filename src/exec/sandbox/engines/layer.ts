/**
 * Landlock as a second layer under an engine that mounts. A read-only mount does not prevent writing into a named pipe, and mounts may
 * leave other gaps that Landlock closes: it enforces the same permissions a second time.
 */
import type { SandboxPlan } from "./engine.ts";
import type { LandlockRule } from "./landlock-rights.ts";

/** The first version cannot move files between folders, which commands need. */
export const layerSince = 2;

/** What the mounts show is readable; what they make writable is writable. */
export function layerRules({ mounts, writable }: Pick<SandboxPlan, "mounts" | "writable">): LandlockRule[] {
  const [disk] = mounts;
  const everything = disk?.kind === "bind" && disk.at === "/" && !disk.readOnly ? ["/"] : [];
  const scratch = mounts.flatMap((mount) => (mount.kind === "memory" && mount.at === "/dev/shm" ? [mount.at] : []));
  return [
    { path: "/", allow: ["read", "run"] },
    { path: "/dev", allow: ["device"] },
    ...[...everything, ...writable, ...scratch].map((at): LandlockRule => ({ path: at, allow: ["write", "run"] })),
  ];
}

/** What such an engine cannot do if it has no Landlock layer for this `reason`. */
export const limitsWithout = (reason: string | undefined): readonly string[] =>
  reason === undefined
    ? []
    : [
        `cannot keep commands from writing into named pipes outside the writable folders, but for those under /run (no Landlock: ${reason})`,
      ];

export const noLandlock = "the kernel has none; it needs Linux 5.19 or later with landlock among its security modules";
