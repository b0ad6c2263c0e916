/**
 * The engine for machines that forbid user namespaces: Landlock rules and a stricter system-call filter, laid on the command by a Node that
 * then becomes it. Weaker than mounts: it can open folders, but close nothing inside an open one.
 */
import { readdirSync } from "node:fs";
import path from "node:path";
import type { WrappedCommand } from "../../../core/ports/command-runner.ts";
import { findRealPath } from "../../../lib/file-status.ts";
import { isInside, isInsideAny } from "../../../lib/paths.ts";
import { isFilterArch, seccompFilter } from "../seccomp.ts";
import type { Engine, Refusal, SandboxPlan } from "./engine.ts";
import { helperArgv, helperNode, noHelperNode, ordersBytes, ordersDescriptor, programBytes, runHelper } from "./helper.ts";
import { landlockVersion } from "./landlock-version.ts";
import { landlockLimits } from "./limits.ts";
import type { LandlockRule, Orders } from "./orders.ts";

/** Versions that brought what matters here. */
const truncateSince = 3;

export class LandlockEngine implements Engine {
  readonly name = "landlock";
  readonly mounts = false;
  readonly makesEmptyFolders = false;
  readonly #node = helperNode();
  readonly #program = programBytes();
  #version = 0;

  get title(): string {
    return `Landlock${this.#version > 0 ? ` (version ${this.#version})` : ""} and a system-call filter`;
  }

  get limits(): readonly string[] {
    return landlockLimits.filter(({ until = Number.POSITIVE_INFINITY }) => this.#version < until).map(({ text }) => text);
  }

  get program(): readonly string[] {
    return this.#node === undefined ? [] : [path.dirname(this.#node)];
  }

  async probe(): Promise<string | undefined> {
    if (this.#node === undefined) return noHelperNode;
    this.#version = await landlockVersion();
    if (this.#version === 0) return "the kernel has no Landlock (it needs Linux 5.13 or later with landlock among its security modules)";
    const orders = this.#orders({ argv: ["/bin/sh", "-c", ":"], cwd: "/", env: {}, network: false, writable: [], masks: [], hidden: [] });
    const { code, said } = await runHelper(helperArgv(this.#node), this.#program, orders);
    return code === 0 ? undefined : said.split("\n").at(-1) || `the sandbox ended with ${code}`;
  }

  unusableWith(writable: readonly string[]): string | undefined {
    if (this.#node === undefined) return noHelperNode;
    return isInsideAny(findRealPath(this.#node) ?? this.#node, writable)
      ? `${this.#node}, which lays the rules on commands, lies in a folder that they may write, and Landlock cannot keep it from them`
      : undefined;
  }

  wrap(plan: SandboxPlan): WrappedCommand | Refusal {
    if (this.#node === undefined) return { refused: `No sandbox: ${noHelperNode}` };
    const secrets = [...plan.masks.map(({ home }) => home), ...plan.hidden];
    const open = secrets.find((secret) => isInsideAny(secret, plan.writable));
    if (open !== undefined)
      return {
        refused: `No sandbox: ${open}, which holds secrets of the server, lies in a folder that commands may write, and Landlock cannot keep it from them. Choose a smaller workspace, or install bubblewrap.`,
      };
    const argv = helperArgv(this.#node);
    return {
      argv,
      cwd: "/",
      env: {},
      extra: [this.#program, ordersBytes(this.#orders(plan))],
      endsAsWhole: true,
      ahead: { kind: "any command", argv, waitsAt: ordersDescriptor },
    };
  }

  #orders({ argv, cwd, env, network, ...plan }: Omit<SandboxPlan, "filter" | "mounts" | "hasTerminal">): Orders {
    return {
      ...{ argv, cwd, env, server: process.pid },
      landlock: { rules: rulesFor(plan), noTcp: !network, isLayer: false },
      filter: Buffer.from(this.#filter(network)).toString("base64"),
    };
  }

  /** No namespace keeps the network and other processes' memory away: the filter has to. */
  #filter(network: boolean): Uint8Array {
    const { arch } = process;
    if (!isFilterArch(arch)) throw new Error(`there is no system-call filter for ${arch} processors`);
    return seccompFilter(arch, { internet: network, truncate: this.#version >= truncateSince });
  }
}

/** What a fresh /dev would hold. */
const devices = ["null", "zero", "full", "random", "urandom", "tty"].map((name) => `/dev/${name}`);

function rulesFor({ writable, masks, hidden: files }: Pick<SandboxPlan, "writable" | "masks" | "hidden">): LandlockRule[] {
  const hidden = ["/dev", ...masks.map(({ home }) => home), ...files];
  const shown = masks.flatMap(({ home, entries }) => entries.map((name) => path.join(home, name)));
  return [
    // Names are no secret: without this not even the root could be listed.
    { path: "/", allow: ["list"] },
    ...[...around("/", hidden), ...shown].map((at): LandlockRule => ({ path: at, allow: ["read", "run"] })),
    ...devices.map((at): LandlockRule => ({ path: at, allow: ["device"] })),
    ...writable.map((at): LandlockRule => ({ path: at, allow: ["write", "run"] })),
  ];
}

/** Everything in a folder but the hidden paths, as few paths as possible. Links count as what they lead to, which is found elsewhere. */
function around(folder: string, hidden: readonly string[]): string[] {
  if (hidden.includes(folder)) return [];
  if (!hidden.some((path) => isInside(path, folder))) return [folder];
  return entriesOf(folder).flatMap((at) => around(at, hidden));
}

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => !entry.isSymbolicLink())
      .map((entry) => path.join(folder, entry.name));
  } catch {
    return []; // Not ours to look into: nor for commands.
  }
}
