/** What the program inside is told: one sandbox and one command, as data. Written by the engines, read by `inside.ts`. */
import type { Mount } from "../mounts.ts";

export interface Orders {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** What to mount where, in this order; left out where there are no namespaces. */
  readonly namespaces?: NamespaceOrders;
  /** Left out where the kernel has none. */
  readonly landlock?: LandlockOrders;
  /** The server's process, where the command is its child: it runs only while that lives. */
  readonly server?: number;
  /** The system-call filter, in base64. */
  readonly filter: string;
}

export interface NamespaceOrders {
  readonly mounts: readonly Mount[];
  /** A network of its own, of which only loopback is up. */
  readonly loopback: boolean;
  /** Whether the command leads a session; one with a terminal makes its own. */
  readonly newSession: boolean;
}

export interface LandlockOrders {
  /** Paths by what is allowed beneath them. Those that are gone by now are left out. */
  readonly rules: readonly LandlockRule[];
  /** Forbids TCP where the kernel can. */
  readonly noTcp: boolean;
  /** Laid under mounts that do the same: a kernel that cannot goes without. */
  readonly isLayer: boolean;
}

export interface LandlockRule {
  readonly path: string;
  readonly allow: readonly LandlockRight[];
}

/** `list` shows names, `read` also contents, `run` starts programs, `write` does everything to files, `device` uses a device file. */
export type LandlockRight = "list" | "read" | "run" | "write" | "device";
