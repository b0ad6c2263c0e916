/** The bubblewrap engine: turns the plan into bwrap's command line. */
import { spawn } from "node:child_process";
import type { Ahead, WrappedCommand } from "../../../core/ports/command-runner.ts";
import { errorMessage } from "../../../lib/error-text.ts";
import { findSystemProgram, programCandidates } from "../../../lib/program.ts";
import { channelDescriptor, channelVariables } from "../../network/listener.ts";
import { type Mount, wholeDisk } from "../mounts.ts";
import { detachArguments } from "../propagation.ts";
import { isFilterArch } from "../seccomp.ts";
import type { Engine, Refusal, SandboxPlan } from "./engine.ts";
import { ruleMark, ruleVariables, stepArguments } from "./landlock-step.ts";
import { layerRules, limitsWithout } from "./layer.ts";
import { listenStep } from "./listen-step.ts";
import { makeStepFile, StepFile } from "./step-file.ts";

/** In the order of `extra`. */
const seccompDescriptor = 3;
const optionsDescriptor = 4;
const lifeDescriptor = 5;
/**
 * Where a bubblewrap that is started before its command is known reads its options; at the usual descriptor it waits for the first of them.
 */
const laterDescriptor = 6;
/** Variables that a shell may add before it execs the sandbox. */
const shellNames = ["PWD", "OLDPWD", "SHLVL", "_"];
/** bubblewrap accepts no more arguments than this, including those of the command. */
const maxArguments = 8_000;
/** The path inside the sandbox of the program that applies Landlock to the command. */
const stepInside = "/dev/parley-landlock";
/** The same of the program that opens the proxy's socket. */
const listenerInside = "/dev/parley-listener";

export class BubblewrapEngine implements Engine {
  readonly name = "bubblewrap";
  readonly mounts = true;
  readonly program = [];
  readonly #folder: string | undefined;
  /** bubblewrap before 0.5 cannot set modes. */
  #canSetModes = true;
  /** The arguments that detach it from the machine's mount propagation. */
  #before: readonly string[] = [];
  /** The program that applies Landlock to commands, or the reason why there is none. */
  #layer: StepFile | string = "it was not tried out yet";
  /** Written with the first command that has a proxy. */
  #listener: StepFile | undefined;

  /** `folder` belongs to the server and no command can write it; without it there is no second layer. */
  constructor(folder: string | undefined) {
    this.#folder = folder;
  }

  get title(): string {
    return `bubblewrap${typeof this.#layer === "string" ? "" : ", with Landlock under it"}`;
  }

  get limits(): readonly string[] {
    return limitsWithout(typeof this.#layer === "string" ? this.#layer : undefined);
  }

  get makesEmptyFolders(): boolean {
    return this.#canSetModes;
  }

  get noListener(): string | undefined {
    if (this.#folder === undefined) return "there is no folder for the program that opens the proxy's socket";
    return isFilterArch(process.arch) ? undefined : `there is no program for ${process.arch} processors that opens the proxy's socket`;
  }

  async probe(filter: Uint8Array): Promise<string | undefined> {
    const bwrap = findSystemProgram("bwrap");
    if (bwrap === undefined) return "bubblewrap (bwrap) is not installed";
    const makingLayer = this.#folder === undefined ? "there is no folder for its program" : makeStepFile(this.#folder);
    let reason = await tryOut([bwrap], filter, ["--perms", "0555", "--tmpfs", "/tmp"]);
    this.#canSetModes = reason?.includes("--perms") !== true;
    if (!this.#canSetModes) reason = await tryOut([bwrap], filter, []);
    this.#layer = await makingLayer;
    if (reason !== undefined) return reason;
    const before = detachArguments();
    const [whyNotCutOff, whyNoLayer] = await Promise.all([
      before.length === 0 ? undefined : tryOut([...before, bwrap], filter, []),
      typeof this.#layer === "string" ? this.#layer : tryLayer(bwrap, filter, this.#layer),
    ]);
    // Some systems let bubblewrap create namespaces, but no other program.
    this.#before = whyNotCutOff === undefined ? before : [];
    if (whyNoLayer !== undefined) this.#layer = whyNoLayer;
    return undefined;
  }

  unusableWith(writable: readonly string[]): string | undefined {
    return findSystemProgram("bwrap", writable) === undefined ? "bubblewrap (bwrap) was not found outside the writable folders" : undefined;
  }

  wrap(plan: SandboxPlan): WrappedCommand | Refusal {
    const bwrap = findSystemProgram("bwrap", plan.writable) ?? "";
    const [disk = wholeDisk, ...mounts] = plan.mounts;
    const step = typeof this.#layer === "string" ? undefined : this.#layer;
    if (Object.keys(plan.env).some((name) => name.startsWith(ruleMark)))
      return { refused: "No sandbox: the name of an environment variable begins with the control character 1" };
    let listener: StepFile | undefined;
    try {
      step?.ensure();
      listener = plan.listens === true ? this.#listenerFile() : undefined;
    } catch (error) {
      return { refused: `No sandbox: a program for it is gone and cannot be made again: ${errorMessage(error)}` };
    }
    const layered = step === undefined ? plan.argv : [stepInside, ...stepArguments(filesOf(plan), plan.argv)];
    // Without the layer, env(1) searches the PATH as bubblewrap does.
    const argv = listener === undefined ? layered : [listenerInside, ...(step === undefined ? ["/usr/bin/env", "--"] : []), ...layered];
    const options = [
      ...[...namespaces(plan.network), ...(plan.hasTerminal ? [] : ["--new-session"])],
      ...["--seccomp", String(seccompDescriptor), "--sync-fd", String(lifeDescriptor)],
      ...[...mounts.flatMap((mount) => mountOptions(mount, { step, listener })), "--chdir", plan.cwd],
      ...[...shellNames, ...(listener === undefined ? [] : channelVariables)].flatMap((name) => ["--unsetenv", name]),
      ...[...Object.entries(plan.env), ...(step === undefined ? [] : ruleVariables(layerRules(plan)))].flatMap(variable),
    ];
    if (options.length + argv.length > maxArguments)
      return { refused: "No sandbox: the command has too many words or environment variables to be confined" };
    const first = bytesOf(mountOptions(disk));
    return {
      argv: [...this.#before, bwrap, ...readOptions(optionsDescriptor), "--", ...argv],
      cwd: "/",
      // Variables such as LD_LIBRARY_PATH may name folders that commands can write: they are for the command, never for bubblewrap itself.
      env: {},
      extra: [plan.filter, Buffer.concat([first, bytesOf(options)])],
      life: lifeDescriptor,
      // A process that waits for its command has no channel. Without the disk mounted there is no program to run.
      ...(listener === undefined ? { ahead: this.#ahead(bwrap, argv, first.length) } : { channel: channelDescriptor }),
    };
  }

  #ahead(bwrap: string, argv: readonly string[], wordLength: number): Ahead {
    return {
      kind: "same command",
      argv: [...this.#before, bwrap, ...readOptions(optionsDescriptor), ...readOptions(laterDescriptor), "--", ...argv],
      ...{ waitsAt: optionsDescriptor, wordLength, readsAt: laterDescriptor },
    };
  }

  #listenerFile(): StepFile {
    const { arch } = process;
    if (this.#folder === undefined || !isFilterArch(arch)) throw new Error(this.noListener);
    this.#listener ??= new StepFile(this.#folder, listenStep(arch), "listener");
    this.#listener.ensure();
    return this.#listener;
  }
}

/** Candidate paths of the command's program: the ones that the C library would try. */
function filesOf({ argv: [name = ""], env, cwd }: SandboxPlan): readonly string[] {
  return name.includes("/") ? [name] : programCandidates(name, env["PATH"], cwd);
}

interface Programs {
  readonly step?: StepFile | undefined;
  readonly listener?: StepFile | undefined;
}

function mountOptions(mount: Mount, programs: Programs = {}): string[] {
  const { at } = mount;
  switch (mount.kind) {
    case "bind":
      return [`--${mount.readOnly ? "ro-" : ""}bind${mount.optional === true ? "-try" : ""}`, mount.from ?? at, at];
    case "memory":
      return ["--tmpfs", at];
    case "empty":
      return ["--perms", "0555", "--tmpfs", at];
    case "devices":
      return ["--dev", at, ...showPrograms(programs)];
    case "processes":
      return ["--proc", at];
    case "link":
      return ["--symlink", mount.to, at];
    case "sealed":
      return ["--remount-ro", at];
  }
}

const showPrograms = ({ step, listener }: Programs): string[] => [
  ...(step === undefined ? [] : ["--ro-bind", step.path, stepInside]),
  ...(listener === undefined ? [] : ["--ro-bind", listener.path, listenerInside]),
];
const variable = ([name, value]: readonly [string, string]): string[] => ["--setenv", name, value];
const readOptions = (descriptor: number): string[] => ["--args", String(descriptor)];
const bytesOf = (options: readonly string[]): Buffer => Buffer.from(options.map((option) => `${option}\0`).join(""));

/** Nothing is shared with the outside: no capabilities, processes or message queues, and no network unless it is allowed. */
const namespaces = (network: boolean): string[] => [
  ...["--die-with-parent", "--cap-drop", "ALL", "--unshare-user", "--unshare-pid", "--unshare-ipc"],
  ...(network ? [] : ["--unshare-net"]),
];

/** Checks that the layer takes effect: a folder that bubblewrap leaves writable must be read-only under it. */
async function tryLayer(bwrap: string, filter: Uint8Array, step: StepFile): Promise<string | undefined> {
  const argv = ["/bin/sh", "-c", "! (: > /tmp/written) 2> /dev/null"];
  const rules = ruleVariables(layerRules({ mounts: [], writable: [] })).flatMap(variable);
  const options = [...showPrograms({ step }), "--tmpfs", "/tmp", ...rules];
  const reason = await tryOut([bwrap], filter, options, [stepInside, ...stepArguments(["/bin/sh"], argv)]);
  return reason === undefined ? undefined : `it has no effect inside (${reason})`;
}

/** Runs a minimal sandbox. Returns why it failed, or undefined. */
function tryOut(
  [program = "", ...args]: readonly string[],
  filter: Uint8Array,
  further: readonly string[],
  argv: readonly string[] = ["/bin/sh", "-c", ":"],
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const base = ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--remount-ro", "/proc"];
    const options = [...namespaces(false), "--seccomp", String(seccompDescriptor), ...base, ...further];
    const child = spawn(program, [...args, ...options, "--", ...argv], {
      cwd: "/",
      env: {},
      stdio: ["ignore", "ignore", "pipe", "pipe"],
      timeout: 10_000,
      killSignal: "SIGKILL",
    });
    let errors = "";
    child.stderr?.on("data", (chunk: Buffer) => {
      errors = (errors + chunk.toString()).slice(0, 2_000);
    });
    const input = child.stdio[3];
    if (input !== null && input !== undefined && "end" in input) {
      input.on("error", () => undefined); // bwrap may exit before it reads the filter; its error message says why.
      input.end(filter);
    }
    child.on("error", (error) => resolve(error.message));
    child.on("close", (code) => resolve(code === 0 ? undefined : errors.trim().split("\n").at(-1) || `bwrap ended with ${code}`));
  });
}
