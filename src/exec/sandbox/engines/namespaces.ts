/**
 * Parley's own engine: util-linux `unshare` creates the namespaces; a Node inside carries out the plan, starts the command and stays as the
 * first process of the sandbox. Needs only packages from every distribution's base system.
 */
import path from "node:path";
import type { WrappedCommand } from "../../../core/ports/command-runner.ts";
import { findSystemProgram } from "../../../lib/program.ts";
import { channelDescriptor, listenAddress, listenerMessage } from "../../network/listener.ts";
import { baseMounts, wholeDisk } from "../mounts.ts";
import type { Engine, Refusal, SandboxPlan } from "./engine.ts";
import { helperArgv, helperNode, noHelperNode, ordersBytes, ordersDescriptor, programBytes, runHelper } from "./helper.ts";
import { landlockVersion } from "./landlock-version.ts";
import { layerRules, layerSince, limitsWithout, noLandlock } from "./layer.ts";
import type { Orders } from "./orders.ts";

const lifeDescriptor = 5;

export class NamespaceEngine implements Engine {
  readonly name = "namespaces";
  readonly mounts = true;
  readonly makesEmptyFolders = true;
  readonly noListener = undefined;
  readonly #node = helperNode();
  readonly #program = programBytes();
  #hasLandlock = false;

  get title(): string {
    return `namespaces made by Parley itself${this.#hasLandlock ? ", with Landlock under them" : ""}`;
  }

  get limits(): readonly string[] {
    return limitsWithout(this.#hasLandlock ? undefined : noLandlock);
  }

  get program(): readonly string[] {
    return this.#node === undefined ? [] : [path.dirname(this.#node)];
  }

  async probe(filter: Uint8Array): Promise<string | undefined> {
    const wrapper = this.#wrapper(false, []);
    if ("refused" in wrapper) return wrapper.refused;
    const plan = {
      argv: ["/bin/sh", "-c", ":"],
      cwd: "/",
      env: {},
      hasTerminal: false,
      network: false,
      readable: ["/"],
      writable: [],
      masks: [],
      hidden: [],
      filter,
    };
    const orders = ordersFor({ ...plan, mounts: [wholeDisk, ...baseMounts(false)] });
    const [{ code, output }, version] = await Promise.all([runHelper(wrapper.argv, this.#program, orders), landlockVersion()]);
    this.#hasLandlock = version >= layerSince;
    return code === 0 ? undefined : output.split("\n").at(-1) || `unshare ended with ${code}`;
  }

  unusableWith(writable: readonly string[]): string | undefined {
    const wrapper = this.#wrapper(false, writable);
    return "refused" in wrapper ? wrapper.refused : undefined;
  }

  wrap(plan: SandboxPlan): WrappedCommand | Refusal {
    const wrapper = this.#wrapper(plan.network, plan.writable);
    if ("refused" in wrapper) return { refused: `No sandbox: ${wrapper.refused}` };
    return {
      argv: wrapper.argv,
      cwd: "/",
      // Variables such as LD_LIBRARY_PATH are for the command, never for the programs that confine it.
      env: {},
      extra: [this.#program, ordersBytes(ordersFor(plan))],
      life: lifeDescriptor,
      // A process that waits for its command has no channel.
      ...(plan.listens === true
        ? { channel: channelDescriptor }
        : { ahead: { kind: "any command", argv: wrapper.argv, waitsAt: ordersDescriptor } as const }),
    };
  }

  #wrapper(network: boolean, writable: readonly string[]): Refusal | { readonly argv: readonly string[] } {
    if (this.#node === undefined) return { refused: noHelperNode };
    const [unshare, setpriv] = ["unshare", "setpriv"].map((name) => findSystemProgram(name, writable));
    if (unshare === undefined || setpriv === undefined)
      return { refused: "unshare and setpriv (package util-linux) were not found outside the writable folders" };
    const namespaces = [
      "--user",
      "--map-current-user",
      "--keep-caps",
      "--pid",
      "--kill-child=SIGKILL",
      "--ipc",
      ...(network ? [] : ["--net"]),
    ];
    // While the sandbox waits, it still receives mounts from outside; the program inside stops that before it starts the command.
    const mounts = ["--mount", "--propagation", "slave"];
    return { argv: [setpriv, "--pdeathsig", "KILL", unshare, ...namespaces, ...mounts, "--", ...helperArgv(this.#node)] };
  }
}

function ordersFor(plan: SandboxPlan): Orders {
  return {
    argv: plan.argv,
    cwd: plan.cwd,
    env: plan.env,
    namespaces: { mounts: plan.mounts, loopback: !plan.network, newSession: !plan.hasTerminal },
    landlock: { rules: layerRules(plan), noTcp: false, isLayer: true },
    ...(plan.listens === true ? { listener: listenerOrders() } : {}),
    filter: Buffer.from(plan.filter).toString("base64"),
  };
}

const listenerOrders = (): NonNullable<Orders["listener"]> => ({
  address: Buffer.from(listenAddress()).toString("base64"),
  channel: channelDescriptor,
  message: listenerMessage,
});
