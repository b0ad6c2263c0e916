/**
 * Parley's own engine: a small program creates the namespaces, carries out the plan as a list of system calls, starts the command and stays
 * as the first process of the sandbox. It needs no other program, and makes each call once: bubblewrap reads all mounts after most of its.
 */
import type { WrappedCommand } from "../../../core/ports/command-runner.ts";
import { errorMessage } from "../../../lib/error-text.ts";
import { findSystemProgram } from "../../../lib/program.ts";
import { channelDescriptor } from "../../network/listener.ts";
import { baseMounts, wholeDisk } from "../mounts.ts";
import type { FilterArch } from "../seccomp.ts";
import { CallList, places } from "./call-list.ts";
import { confine, endIfServerGone, namespacesList, passListener, startCommand } from "./command-calls.ts";
import type { Engine, Refusal, SandboxPlan } from "./engine.ts";
import { layerRules, layerSince, limitsWithout, noLandlock } from "./layer.ts";
import { lifeDescriptor } from "./list-program.ts";
import { MountCalls } from "./mount-calls.ts";
import { ListProgram } from "./own-engine.ts";

type ListedPlan = Omit<SandboxPlan, "masks" | "hidden" | "readable">;

export class NamespaceEngine implements Engine {
  readonly name = "namespaces";
  readonly mounts = true;
  readonly makesEmptyFolders = true;
  readonly noListener = undefined;
  readonly program = [];
  readonly #folder: string | undefined;
  #program: ListProgram | string = "it was not tried out yet";
  #landlock = 0;
  /** All of it that differs between two lists is in the key or beside it, or never changes. */
  #last: { readonly key: string; readonly filter: Uint8Array; readonly list: CallList } | undefined;
  /** The lists that a sandbox begins with: the same bytes for every command, by whether it may use the network. */
  readonly #beginnings = new Map<boolean, Uint8Array>();

  /** `folder` belongs to the server and no command can write it. */
  constructor(folder: string | undefined) {
    this.#folder = folder;
  }

  get title(): string {
    return `namespaces made by Parley itself${this.#hasLayer ? ", with Landlock under them" : ""}`;
  }

  get limits(): readonly string[] {
    return limitsWithout(this.#hasLayer ? undefined : noLandlock);
  }

  get #hasLayer(): boolean {
    return this.#landlock >= layerSince;
  }

  async probe(filter: Uint8Array): Promise<string | undefined> {
    const program = ListProgram.make(this.#folder);
    this.#program = program;
    if (typeof program === "string") return program;
    const plan = { argv: ["/bin/sh", "-c", ":"], cwd: "/", env: {}, hasTerminal: false, network: false, listens: false, filter };
    const mounts = [wholeDisk, ...baseMounts(false)];
    try {
      this.#landlock = await program.landlockVersion();
      return await program.tryOut(this.#beginning(program.arch, false), this.#list(program.arch, { ...plan, mounts, writable: [] }));
    } catch (error) {
      return errorMessage(error);
    }
  }

  /** Its own program is in the server's home, which is hidden from commands wherever it is; but the server runs others, too. */
  unusableWith(writable: readonly string[]): string | undefined {
    return findSystemProgram("sh", writable) === undefined
      ? "the system's programs were not found outside the writable folders"
      : undefined;
  }

  wrap(plan: SandboxPlan): WrappedCommand | Refusal {
    const program = this.#program;
    if (typeof program === "string") return { refused: `No sandbox: ${program}` };
    const started = program.start(this.#beginning(program.arch, plan.network), this.#list(program.arch, plan));
    if ("refused" in started) return started;
    const { ahead, ...now } = started;
    // A process that waits for its command has no channel.
    return {
      ...now,
      life: lifeDescriptor,
      ...(plan.listens === true ? { channel: channelDescriptor } : { ahead: { ...ahead, starter: program.starter } }),
    };
  }

  #beginning(arch: FilterArch, network: boolean): Uint8Array {
    let list = this.#beginnings.get(network);
    if (list === undefined) {
      list = namespacesList(arch, { network, user: process.geteuid?.() ?? 0, group: process.getegid?.() ?? 0 });
      this.#beginnings.set(network, list);
    }
    return list;
  }

  #list(arch: FilterArch, plan: ListedPlan): Uint8Array {
    const list = this.#surroundings(arch, plan);
    startCommand(list, plan);
    return list.finish();
  }

  /** What the command sees and may do: mostly the same as for the one before. */
  #surroundings(arch: FilterArch, plan: ListedPlan): CallList {
    const { mounts, writable, cwd, hasTerminal, listens, filter } = plan;
    const key = JSON.stringify([arch, mounts, writable, cwd, hasTerminal, listens]);
    if (this.#last?.key !== key || this.#last.filter !== filter) this.#last = { key, filter, list: this.#newSurroundings(arch, plan) };
    return this.#last.list.copy(arch);
  }

  #newSurroundings(arch: FilterArch, plan: ListedPlan): CallList {
    const list = new CallList(arch, places.second);
    endIfServerGone(list);
    new MountCalls(list, arch, plan.mounts).add(plan);
    if (plan.listens === true) passListener(list);
    const landlock = this.#hasLayer ? { version: this.#landlock, rules: layerRules(plan), noTcp: false } : undefined;
    confine(list, plan.cwd, { landlock, filter: plan.filter });
    return list;
  }
}
