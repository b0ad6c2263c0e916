/** Chooses the engine that confines commands on this machine: the best one that works, probed once, or the one set in the config. */
import { findSystemProgram } from "../../../lib/program.ts";
import { isFilterArch, seccompFilter } from "../seccomp.ts";
import { BubblewrapEngine } from "./bubblewrap.ts";
import { type Engine, type EngineName, engineNames, type Refusal } from "./engine.ts";
import { LandlockEngine } from "./landlock.ts";
import { NamespaceEngine } from "./namespaces.ts";

export interface Chosen {
  readonly engine: Engine;
  readonly filter: Uint8Array;
  /** Why it is not a better one, to be appended to its title; may be empty. */
  readonly instead: string;
}

const makers: Readonly<Record<EngineName, (folder: string | undefined) => Engine>> = {
  bubblewrap: (folder) => new BubblewrapEngine(folder),
  namespaces: (folder) => new NamespaceEngine(folder),
  landlock: (folder) => new LandlockEngine(folder),
};

const otherWays = "or choose the danger-full-access mode, or externalSandbox if this machine is itself a sandbox.";
const howToInstall =
  "Install bubblewrap (Debian, Ubuntu: apt install bubblewrap; Fedora: dnf install bubblewrap; Arch: pacman -S bubblewrap)";
const howToAllow =
  "Allow user namespaces (sysctl kernel.unprivileged_userns_clone=1, user.max_user_namespaces=10000; on Ubuntu kernel.apparmor_restrict_unprivileged_userns=0 or an AppArmor profile for bwrap; in Docker --security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined)";

/**
 * `configured` is the configured engine name; an unknown name is refused with a list of the valid ones. `folder` belongs to the server and is
 * for files that an engine has to keep on disk.
 */
export class EngineChoice {
  readonly #configured: () => string;
  readonly #folder: string | undefined;
  #search: Promise<Chosen | Refusal> | undefined;
  #chosen: Chosen | undefined;

  constructor(configured = () => "auto", folder?: string) {
    this.#configured = configured;
    this.#folder = folder;
  }

  /** The chosen engine, once known. */
  get now(): Chosen | undefined {
    return this.#chosen;
  }

  /** A failure is not cached: the user may fix it while the server runs. */
  get(): Promise<Chosen | Refusal> {
    this.#search ??= this.#find()
      .then((found) => {
        if (!("refused" in found)) this.#chosen = found;
        return found;
      })
      .finally(() => {
        if (this.#chosen === undefined) this.#search = undefined;
      });
    return this.#search;
  }

  async #find(): Promise<Chosen | Refusal> {
    const { arch } = process;
    if (!isFilterArch(arch))
      return { refused: `No sandbox: there is no system-call filter for ${arch} processors. Use another machine, ${otherWays}` };
    const filter = seccompFilter(arch);
    const configured = this.#configured();
    const names = configured === "auto" ? engineNames : engineNames.filter((name) => name === configured);
    if (names.length === 0)
      return { refused: `No sandbox: there is no engine "${configured}"; sandbox_engine is one of auto, ${engineNames.join(", ")}` };
    const failures: Failure[] = [];
    for (const name of names) {
      const engine = makers[name](this.#folder);
      const reason = await engine.probe(filter);
      if (reason === undefined) return { engine, filter, instead: failures.length === 0 ? "" : ` (${listed(failures)})` };
      failures.push({ name, reason });
    }
    const fix = findSystemProgram("bwrap") === undefined ? `${howToInstall}, ${otherWays}` : `${howToAllow}, ${otherWays}`;
    const forced = configured === "auto" ? fix : `Set sandbox_engine to auto, or mend this. ${fix}`;
    return { refused: `No sandbox: ${listed(failures)}. ${forced}` };
  }
}

interface Failure {
  readonly name: EngineName;
  readonly reason: string;
}

/** Engines that fail for the same reason share it. */
function listed(failures: readonly Failure[]): string {
  const byReason = Map.groupBy(failures, ({ reason }) => reason);
  return [...byReason].map(([reason, group]) => `${group.map(({ name }) => name).join(" and ")}: ${reason}`).join("; ");
}
