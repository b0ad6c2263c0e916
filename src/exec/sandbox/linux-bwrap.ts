/** The Linux sandbox: a bubblewrap command line with its own namespaces, a read-only disk, writable roots on top and a system-call filter. */
import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import path from "node:path";
import type { Command, Confinement, WrappedCommand } from "../../core/ports/command-runner.ts";
import { findLstat, findRealPath, findRealPathIfAny, isInsideAny } from "../paths.ts";
import { findSystemProgram } from "../program.ts";
import { readableEntries } from "./codex-home.ts";
import { baseMounts, type HomeMask, isHidden, planMounts, plannedPlaces, wholeDisk } from "./mounts.ts";
import { NestedRepositories } from "./nested-repositories.ts";
import { OutsidePipes } from "./outside-pipes.ts";
import { Placeholders } from "./placeholders.ts";
import type { Leftovers, PlatformSandbox, SandboxContext } from "./platform-sandbox.ts";
import { cutOffWords } from "./propagation.ts";
import { type ProtectionInput, protect } from "./protection.ts";
import { type WritableRoots, writableRoots } from "./roots.ts";
import { isFilterArch, seccompFilter } from "./seccomp.ts";
import { maskSecrets } from "./secret-files.ts";
import { checkedArgv, type PlannedMount, RunningPlans } from "./swaps.ts";

type Refusal = { readonly refused: string };

/** /dev/shm is not among them: a TMPDIR may well lie there. */
const kernelTrees = ["/proc", "/sys", "/dev/pts", "/dev/mqueue"];
/** In the order of `extra`. */
const seccompDescriptor = 3;
const optionsDescriptor = 4;
const lifeDescriptor = 5;
/** Where a bubblewrap that is started ahead of its command finds its options; at the usual place it waits for the first of them. */
const laterDescriptor = 6;
/** Variables that a shell which becomes the sandbox may add of its own. */
const shellNames = ["PWD", "OLDPWD", "SHLVL", "_"];
/** bubblewrap takes no more words than this, the command's own included. */
const maxWords = 8_000;

const otherWays = "or choose the danger-full-access mode, or externalSandbox if this machine is itself a sandbox.";
const howToInstall = `Install bubblewrap (Debian, Ubuntu: apt install bubblewrap; Fedora: dnf install bubblewrap; Arch: pacman -S bubblewrap), ${otherWays}`;
const howToAllow = `Allow user namespaces (sysctl kernel.unprivileged_userns_clone=1, user.max_user_namespaces=10000; on Ubuntu kernel.apparmor_restrict_unprivileged_userns=0 or an AppArmor profile for bwrap; in Docker --security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined), ${otherWays}`;

export class BubblewrapSandbox implements PlatformSandbox {
  readonly #context: SandboxContext;
  readonly #placeholders = new Placeholders();
  readonly #nested = new NestedRepositories();
  readonly #running = new RunningPlans();
  readonly #pipes = new OutsidePipes();
  onLeftovers: () => void = () => undefined;
  #works: Promise<Refusal | undefined> | undefined;
  #filter: Uint8Array | undefined;
  /** bubblewrap before 0.5 cannot. */
  #canSetModes = true;
  /** What cuts it off from the machine's mounts. */
  #before: readonly string[] = [];
  readonly #kept = new Set<string>();

  constructor(context: SandboxContext) {
    this.#context = context;
  }

  get leftovers(): Leftovers {
    return { folders: this.#placeholders.paths, lease: this.#placeholders.lease };
  }

  async prepare(confinement: Confinement): Promise<Refusal | undefined> {
    const filter = this.#loadFilter();
    if ("refused" in filter) return filter;
    // A failure is not remembered: the person may mend it while the server runs.
    this.#works ??= this.#probe(filter.bytes).then((refusal) => {
      if (refusal !== undefined) this.#works = undefined;
      return refusal;
    });
    const refusals = await Promise.all([this.#works, ...searchedRoots(confinement).map((root) => this.#nested.prepare(root))]);
    return refusals.find((refusal) => refusal !== undefined);
  }

  wrap(command: Command, confinement: Confinement): WrappedCommand | Refusal {
    const filter = this.#loadFilter();
    if ("refused" in filter) return filter;
    const codexHome = findRealPath(this.#context.codexHome);
    const roots = writableRoots(command, confinement, { codexHome, kernelTrees, written: this.#running.written });
    if ("refused" in roots) return roots;
    const bwrap = findSystemProgram("bwrap", [...roots.named, ...roots.temporary]);
    if (bwrap === undefined)
      return { refused: `No sandbox: bubblewrap (bwrap) was not found outside the writable folders. ${howToInstall}` };
    const mounts = this.#mounts(command, { ...roots, names: confinement.protectedNames }, codexHome);
    if ("refused" in mounts) return mounts;
    const { policy } = confinement;
    const argv = checkedArgv(command.argv, mounts.unsure);
    const network = "networkAccess" in policy && policy.networkAccess === true;
    const env = network ? command.env : { ...command.env, CODEX_SANDBOX_NETWORK_DISABLED: "1" };
    const options = [
      ...[...namespaces(network), ...(command.tty === undefined ? ["--new-session"] : [])],
      ...["--seccomp", String(seccompDescriptor), "--sync-fd", String(lifeDescriptor)],
      ...[...baseMounts(policy.type === "workspaceWrite"), ...mounts.options, "--chdir", command.cwd],
      ...shellNames.flatMap((name) => ["--unsetenv", name]),
      ...Object.entries(env).flatMap(([name, value]) => ["--setenv", name, value]),
    ];
    const disk = bytesOf(wholeDisk);
    if (options.length + argv.length > maxWords) {
      mounts.cleanup();
      return { refused: "No sandbox: the command has too many words or environment variables to be confined" };
    }
    return {
      argv: [...this.#before, bwrap, ...readOptions(optionsDescriptor), "--", ...argv],
      cwd: "/",
      // Variables such as LD_LIBRARY_PATH may name folders that commands write: they are for the command, never for bubblewrap itself.
      env: {},
      extra: [filter.bytes, Buffer.concat([disk, bytesOf(options)])],
      life: lifeDescriptor,
      // Without the disk there is no program to run.
      ahead: {
        argv: [...this.#before, bwrap, ...readOptions(optionsDescriptor), ...readOptions(laterDescriptor), "--", ...argv],
        ...{ waitsAt: optionsDescriptor, wordLength: disk.length, readsAt: laterDescriptor },
      },
      cleanup: mounts.cleanup,
    };
  }

  async #probe(filter: Uint8Array): Promise<Refusal | undefined> {
    const bwrap = findSystemProgram("bwrap");
    if (bwrap === undefined) return { refused: `No sandbox: bubblewrap (bwrap) is not installed. ${howToInstall}` };
    let reason = await probe([bwrap], filter, ["--perms", "0555", "--tmpfs", "/tmp"]);
    this.#canSetModes = reason?.includes("--perms") !== true;
    if (!this.#canSetModes) reason = await probe([bwrap], filter, []);
    const before = reason === undefined ? cutOffWords() : [];
    // Some systems let bubblewrap make namespaces, and no other program.
    this.#before = before.length > 0 && (await probe([...before, bwrap], filter, [])) === undefined ? before : [];
    return reason === undefined ? undefined : { refused: `No sandbox: ${reason}. ${howToAllow}` };
  }

  settle(): void {
    for (const file of this.#kept) this.#placeholders.release(file);
    this.#kept.clear();
  }

  /** Stand-ins in temporary folders are in nobody's way: they stay for the next command, as making and removing them is much of its cost. */
  #keep(files: readonly string[]): void {
    for (const file of files) if (!this.#kept.has(file) && this.#placeholders.hold(file)) this.#kept.add(file);
  }

  #loadFilter(): Refusal | { readonly bytes: Uint8Array } {
    const { arch } = process;
    if (!isFilterArch(arch))
      return { refused: `No sandbox: there is no system-call filter for ${arch} processors. Use another machine, ${otherWays}` };
    this.#filter ??= seccompFilter(arch);
    return { bytes: this.#filter };
  }

  #mounts(
    command: Command,
    roots: WritableRoots & Pick<ProtectionInput, "names">,
    codexHome: string | undefined,
  ): Refusal | { options: string[]; unsure: readonly PlannedMount[]; cleanup: () => void } {
    const userHome = this.#context.userHome === undefined ? undefined : findRealPath(this.#context.userHome);
    const entered = roots.named.filter((root) => findLstat(root)?.isDirectory() === true);
    const nested = entered.flatMap((root) => [...this.#nested.enter(root)]);
    const held: string[] = [];
    const left: (() => void)[] = [];
    const cleanup = (): void => {
      for (const leave of left.splice(0)) leave();
      for (const file of held.splice(0)) this.#placeholders.release(file);
      for (const root of entered.splice(0)) this.#nested.leave(root);
    };
    const refuse = (reason: string): Refusal => {
      this.#placeholders.plan([]);
      cleanup();
      return { refused: reason };
    };
    const isStandIn: ProtectionInput["isStandIn"] = (file, found) => this.#placeholders.isOne(file, found);
    const protection = protect({ ...roots, nested, userHome, program: this.#context.program, isStandIn });
    if ("refused" in protection) return refuse(protection.refused);
    const writable = [...roots.named, ...protection.temporary];
    const homes = homeMasks(codexHome, userHome);
    const kept = [command.cwd, userHome, codexHome, ...this.#context.program].filter((each) => each !== undefined);
    const secrets = maskSecrets(this.#context.secretFiles?.() ?? [], { roots: writable, kept });
    const masks = [...homes, ...secrets.folders];
    if (isHidden(command.cwd, masks, writable)) return refuse(`commands cannot run in ${command.cwd}: it belongs to the server's own home`);
    try {
      if (this.#placeholders.plan(protection.missing)) this.onLeftovers();
      for (const file of protection.missing) if (this.#placeholders.hold(file)) held.push(file);
      this.#placeholders.plan([]);
      this.#keep(held.filter((file) => isInsideAny(file, protection.temporary) && !isInsideAny(file, roots.named)));
      const readOnly = [...protection.readOnly, ...protection.missing];
      // The temporary folder is shared with other users, who may be running commands as well.
      const foreign = readOnly.filter((file) => !held.includes(file) && protection.temporary.includes(path.dirname(file)));
      // An empty folder that another program left there looks the same from inside with an empty one over it, which costs less.
      const empty = this.#canSetModes ? [...held, ...foreign.filter(isEmptyFolder)] : [];
      const plan = { roots: writable, readOnly, foreign, empty, masks, hidden: secrets.files, pipes: this.#pipes.paths };
      const { unsure, leave } = this.#running.enter(plannedPlaces(plan), writable);
      left.push(leave);
      return { options: planMounts(plan), unsure, cleanup };
    } catch (error) {
      return refuse(`No sandbox: a protected name could not be kept free (${error instanceof Error ? error.message : String(error)})`);
    }
  }
}

const readOptions = (descriptor: number): string[] => ["--args", String(descriptor)];
const bytesOf = (options: readonly string[]): Buffer => Buffer.from(options.map((word) => `${word}\0`).join(""));

function isEmptyFolder(folder: string): boolean {
  try {
    return readdirSync(folder).length === 0;
  } catch {
    return false; // A file, or not ours to look into.
  }
}

/** Nothing of the outside is shared: no capability, no process, no message queue, and no network unless it is allowed. */
const namespaces = (network: boolean): string[] => [
  ...["--die-with-parent", "--cap-drop", "ALL", "--unshare-user", "--unshare-pid", "--unshare-ipc"],
  ...(network ? [] : ["--unshare-net"]),
];

const searchedRoots = ({ policy, workspaceRoots }: Confinement): string[] =>
  policy.type !== "workspaceWrite"
    ? []
    : [...workspaceRoots, ...(policy.writableRoots ?? [])]
        .map(findRealPath)
        .filter((root) => root !== undefined)
        .filter((root) => root !== "/");

/** The server's home, and `~/.codex` when that is another one: the keys of a second installation are no less secret. */
function homeMasks(codexHome: string | undefined, userHome: string | undefined): HomeMask[] {
  const usual = userHome === undefined ? undefined : findRealPathIfAny(path.join(userHome, ".codex"));
  const homes = [...new Set([codexHome, usual])].filter((home) => home !== undefined);
  return homes.map((home) => ({ home, entries: readableEntries(home, userHome) }));
}

/** Runs the smallest sandbox there is. Answers why it failed, or undefined. */
function probe([program = "", ...words]: readonly string[], filter: Uint8Array, further: readonly string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    const options = [
      ...namespaces(false),
      "--seccomp",
      String(seccompDescriptor),
      "--ro-bind",
      "/",
      "/",
      "--dev",
      "/dev",
      "--proc",
      "/proc",
      "--remount-ro",
      "/proc",
      ...further,
    ];
    const child = spawn(program, [...words, ...options, "--", "/bin/sh", "-c", ":"], {
      cwd: "/",
      env: {},
      stdio: ["ignore", "ignore", "pipe", "pipe"],
      timeout: 10_000,
      killSignal: "SIGKILL",
    });
    let said = "";
    child.stderr?.on("data", (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(0, 2_000);
    });
    const input = child.stdio[3];
    if (input !== null && input !== undefined && "end" in input) {
      input.on("error", () => undefined); // bwrap may end before it reads the filter; its own words tell why.
      input.end(filter);
    }
    child.on("error", (error) => resolve(error.message));
    child.on("close", (code) => resolve(code === 0 ? undefined : said.trim().split("\n").at(-1) || `bwrap ended with ${code}`));
  });
}
