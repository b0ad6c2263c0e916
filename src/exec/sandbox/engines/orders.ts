/** The input of the program inside: one sandbox and one command, as data. Written by the engines, read by `inside.ts`. */
import type { Mount } from "../mounts.ts";

export interface Orders {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** What to mount where, in this order; omitted without namespaces. */
  readonly namespaces?: NamespaceOrders;
  /** Omitted if the kernel has no Landlock. */
  readonly landlock?: LandlockOrders;
  /** Passes a listening socket of the sandbox's own network to the server. */
  readonly listener?: ListenerOrders;
  /** The server's pid, if the command is its child: the command runs only while the server does. */
  readonly server?: number;
  /** The system-call filter, in base64. */
  readonly filter: string;
}

export interface NamespaceOrders {
  readonly mounts: readonly Mount[];
  /** Whether it has its own network with only loopback up. */
  readonly loopback: boolean;
  /** Whether the command leads a session; a command with a terminal creates its own. */
  readonly newSession: boolean;
}

export interface ListenerOrders {
  /** Where to listen, as the kernel reads it; in base64. */
  readonly address: string;
  /** Node's channel to the server, and what to send with the socket. */
  readonly channel: number;
  readonly message: string;
}

export interface LandlockOrders {
  /** What is allowed below which path. Paths that no longer exist are skipped. */
  readonly rules: readonly LandlockRule[];
  /** Forbids TCP if the kernel supports that. */
  readonly noTcp: boolean;
  /** Whether mounts enforce the same: then a kernel without support skips it. */
  readonly isLayer: boolean;
}

export interface LandlockRule {
  readonly path: string;
  readonly allow: readonly LandlockRight[];
}

/** `list` shows names, `read` also contents, `run` starts programs, `write` allows every change to files, `device` uses a device file. */
export type LandlockRight = "list" | "read" | "run" | "write" | "device";
