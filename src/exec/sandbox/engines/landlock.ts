/**
 * The engine for machines that forbid user namespaces: Landlock rules and a stricter system-call filter, applied by a small program that
 * then execs the command. Weaker than mounts: it can make folders writable, but not protect anything inside a writable one.
 */
import { readdirSync } from "node:fs";
import path from "node:path";
import type { WrappedCommand } from "../../../core/ports/command-runner.ts";
import { errorMessage } from "../../../lib/error-text.ts";
import { isInside, isInsideAny } from "../../../lib/paths.ts";
import { type FilterArch, seccompFilter } from "../seccomp.ts";
import { CallList, places } from "./call-list.ts";
import { becomeCommand, confine, endIfServerGone, waitingList } from "./command-calls.ts";
import type { Engine, Refusal, SandboxPlan } from "./engine.ts";
import type { LandlockRule } from "./landlock-rights.ts";
import { landlockLimits } from "./limits.ts";
import { ListProgram } from "./own-engine.ts";

/** Landlock versions that added required features. */
const truncateSince = 3;

export class LandlockEngine implements Engine {
  readonly name = "landlock";
  readonly mounts = false;
  readonly makesEmptyFolders = false;
  /** Its rules for connections know ports, not hosts: a port that is open for the proxy would be open for every host. */
  readonly noListener = "it gives commands no network of their own in which a proxy could listen";
  readonly program = [];
  readonly #folder: string | undefined;
  #program: ListProgram | string = "it was not tried out yet";
  #beginning: Uint8Array | undefined;
  #version = 0;

  /** `folder` belongs to the server and no command can write it. */
  constructor(folder: string | undefined) {
    this.#folder = folder;
  }

  get title(): string {
    return `Landlock${this.#version > 0 ? ` (version ${this.#version})` : ""} and a system-call filter`;
  }

  get limits(): readonly string[] {
    return landlockLimits.filter(({ until = Number.POSITIVE_INFINITY }) => this.#version < until).map(({ text }) => text);
  }

  async probe(): Promise<string | undefined> {
    const program = ListProgram.make(this.#folder);
    this.#program = program;
    if (typeof program === "string") return program;
    const plan = { argv: ["/bin/sh", "-c", ":"], cwd: "/", env: {}, network: false, readable: ["/"], writable: [], masks: [], hidden: [] };
    try {
      this.#version = await program.landlockVersion();
      if (this.#version === 0) return "the kernel has no Landlock (it needs Linux 5.13 or later with landlock among its security modules)";
      return await program.tryOut(this.#waiting(program.arch), this.#list(program.arch, plan));
    } catch (error) {
      return errorMessage(error);
    }
  }

  /** Its program is in the server's home, and a home in a writable folder is refused below. */
  unusableWith(): string | undefined {
    return typeof this.#program === "string" ? this.#program : undefined;
  }

  wrap(plan: SandboxPlan): WrappedCommand | Refusal {
    const program = this.#program;
    if (typeof program === "string") return { refused: `No sandbox: ${program}` };
    const secrets = [...plan.masks.map(({ home }) => home), ...plan.hidden];
    const open = secrets.find((secret) => isInsideAny(secret, plan.writable));
    if (open !== undefined)
      return {
        refused: `No sandbox: ${open}, which holds secrets of the server, lies in a folder that commands may write, and Landlock cannot keep it from them. Choose a smaller workspace, or install bubblewrap.`,
      };
    const started = program.start(this.#waiting(program.arch), this.#list(program.arch, plan));
    return "refused" in started ? started : { ...started, endsAsWhole: true };
  }

  /** The same bytes for every command: a process that waits can then become any of them. */
  #waiting(arch: FilterArch): Uint8Array {
    this.#beginning ??= waitingList(arch);
    return this.#beginning;
  }

  #list(arch: FilterArch, plan: Omit<SandboxPlan, "filter" | "mounts" | "hasTerminal">): Uint8Array {
    const list = new CallList(arch, places.second);
    endIfServerGone(list, process.pid);
    const landlock = { version: this.#version, rules: rulesFor(plan), noTcp: !plan.network };
    confine(list, plan.cwd, { landlock, filter: this.#filter(arch, plan.network) });
    becomeCommand(list, plan);
    return list.finish();
  }

  /** Without namespaces, the filter has to block the network and other processes' memory. */
  #filter(arch: FilterArch, network: boolean): Uint8Array {
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
