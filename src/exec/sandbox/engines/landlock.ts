/**
 * The engine for machines that forbid user namespaces: Landlock rules and a stricter system-call filter, applied by a Node process that
 * then execs the command. Weaker than mounts: it can make folders writable, but not protect anything inside a writable one.
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

/** Landlock versions that added required features. */
const truncateSince = 3;

export class LandlockEngine implements Engine {
  readonly name = "landlock";
  readonly mounts = false;
  readonly makesEmptyFolders = false;
  /** Its rules for connections know ports, not hosts: a port that is open for the proxy would be open for every host. */
  readonly noListener = "it gives commands no network of their own in which a proxy could listen";
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
    const orders = this.#orders({
      argv: ["/bin/sh", "-c", ":"],
      cwd: "/",
      env: {},
      network: false,
      readable: ["/"],
      writable: [],
      masks: [],
      hidden: [],
    });
    const { code, output } = await runHelper(helperArgv(this.#node), this.#program, orders);
    return code === 0 ? undefined : output.split("\n").at(-1) || `the sandbox ended with ${code}`;
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

  /** Without namespaces, the filter has to block the network and other processes' memory. */
  #filter(network: boolean): Uint8Array {
    const { arch } = process;
    if (!isFilterArch(arch)) throw new Error(`there is no system-call filter for ${arch} processors`);
    return seccompFilter(arch, { internet: network, truncate: this.#version >= truncateSince });
  }
}

/** The devices of a new /dev. */
const devices = ["null", "zero", "full", "random", "urandom", "tty"].map((name) => `/dev/${name}`);

type RulesInput = Pick<SandboxPlan, "writable" | "masks" | "hidden" | "readable">;

function rulesFor({ writable, masks, hidden: files, readable }: RulesInput): LandlockRule[] {
  const hidden = ["/dev", ...masks.map(({ home }) => home), ...files];
  const shown = masks.flatMap(({ home, entries }) => entries.map((name) => path.join(home, name)));
  return [
    // Names are not secret: without this rule not even the root could be listed.
    { path: "/", allow: ["list"] },
    ...[...readable.flatMap((at) => around(at, hidden)), ...shown].map((at): LandlockRule => ({ path: at, allow: ["read", "run"] })),
    ...devices.map((at): LandlockRule => ({ path: at, allow: ["device"] })),
    ...writable.map((at): LandlockRule => ({ path: at, allow: ["write", "run"] })),
  ];
}

/**
 * Everything in a folder except the hidden paths, as few paths as possible. Links are skipped: their targets are covered where they are.
 */
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
    return []; // We may not read it, so commands may not either.
  }
}
