/** The Linux sandbox: builds a plan for each command and lets the best engine of this machine carry it out. */
import { readdirSync } from "node:fs";
import path from "node:path";
import type { Command, Confinement, SandboxState, WrappedCommand } from "../../core/ports/command-runner.ts";
import type { ResolvedFiles } from "../../core/ports/file-access.ts";
import { errorMessage } from "../../lib/error-text.ts";
import { findLstat, findRealPath, findRealPathIfAny } from "../../lib/file-status.ts";
import { isInsideAny } from "../../lib/paths.ts";
import { proxyVariables } from "../network/variables.ts";
import { readableEntries } from "./codex-home.ts";
import { deniedMatches } from "./denied-matches.ts";
import { EngineChoice } from "./engines/choose.ts";
import type { Engine, Refusal, SandboxPlan } from "./engines/engine.ts";
import { baseDisk, baseMounts, type HomeMask, isHidden, planMounts, plannedPlaces } from "./mounts.ts";
import { NestedRepositories } from "./nested-repositories.ts";
import { OutsidePipes } from "./outside-pipes.ts";
import { Placeholders } from "./placeholders.ts";
import type { Leftovers, PlatformSandbox, SandboxContext } from "./platform-sandbox.ts";
import { isHiddenBy, type ProfileFiles, planProfileFiles, writtenBy } from "./profile-files.ts";
import { type ProtectionInput, protect } from "./protection.ts";
import { type WritableRoots, writableRoots } from "./roots.ts";
import { maskSecrets } from "./secret-files.ts";
import { checkedArgv, type PlannedMount, RunningPlans } from "./swaps.ts";

/** /dev/shm is not included: TMPDIR may be there. */
const kernelTrees = ["/proc", "/sys", "/dev/pts", "/dev/mqueue"];

/** For a client whose command is refused because protected names would be writable. */
const alternatives =
  "Choose the readOnly policy for a command that only reads, or dangerFullAccess for one that may change everything; or install bubblewrap and allow user namespaces.";

export class LinuxSandbox implements PlatformSandbox {
  readonly #context: SandboxContext;
  readonly #choice: EngineChoice;
  readonly #placeholders = new Placeholders();
  readonly #nested = new NestedRepositories();
  readonly #running = new RunningPlans();
  readonly #pipes = new OutsidePipes();
  onLeftovers: () => void = () => undefined;
  readonly #kept = new Set<string>();
  /** The files that a profile's patterns named when its command was prepared. */
  readonly #matches = new WeakMap<ResolvedFiles, readonly string[]>();

  constructor(context: SandboxContext) {
    this.#context = context;
    this.#choice = new EngineChoice(context.engine, path.join(context.codexHome, "parley", "run"));
  }

  get leftovers(): Leftovers {
    return { folders: this.#placeholders.paths, lease: this.#placeholders.lease };
  }

  get countsApart(): boolean {
    return this.#choice.now?.engine.mounts === true;
  }

  async prepare(confinement: Confinement): Promise<Refusal | undefined> {
    const { files } = confinement;
    const [chosen, matches, ...refusals] = await Promise.all([
      this.#choice.get(),
      files === undefined ? [] : deniedMatches(files),
      ...searchedRoots(confinement).map((root) => this.#nested.prepare(root)),
    ]);
    if ("refused" in chosen) return chosen;
    if ("refused" in matches) return matches;
    if (files !== undefined) this.#matches.set(files, matches);
    // An engine that cannot protect names in a writable folder does not need their locations.
    if (chosen.engine.mounts) return refusals.find((refusal) => refusal !== undefined);
    const open = confinement.namesMayBeOpen === true ? undefined : await this.openNames(confinement);
    return open === undefined ? undefined : { refused: `No sandbox: ${open}, and nobody was asked. ${alternatives}` };
  }

  async state(): Promise<SandboxState> {
    const chosen = await this.#choice.get();
    if ("refused" in chosen) return { engine: "none", text: chosen.refused, limits: [] };
    const { engine } = chosen;
    return { engine: engine.name, text: `${engine.title}${chosen.instead}`, limits: engine.limits };
  }

  async openNames({ policy, workspaceRoots, files }: Confinement): Promise<string | undefined> {
    if (policy.type !== "workspaceWrite") return undefined;
    const chosen = await this.#choice.get();
    if ("refused" in chosen || chosen.engine.mounts) return undefined;
    const where = (files === undefined ? [...workspaceRoots, ...(policy.writableRoots ?? [])] : writtenBy(files)).join(", ");
    return `this machine's sandbox (${chosen.engine.title}) cannot keep commands from changing .git, .codex, .agents and other protected names in ${where}`;
  }

  wrap(command: Command, confinement: Confinement): WrappedCommand | Refusal {
    const chosen = this.#choice.now;
    if (chosen === undefined) return { refused: "No sandbox: it was not tried out yet" };
    const { engine, filter } = chosen;
    const codexHome = findRealPath(this.#context.codexHome);
    const roots = writableRoots(command, confinement, { codexHome, kernelTrees, written: this.#running.written });
    if ("refused" in roots) return roots;
    const unusable = engine.unusableWith([...roots.named, ...roots.temporary]);
    if (unusable !== undefined) return { refused: `No sandbox: ${unusable}` };
    const { policy, files } = confinement;
    const profile = files === undefined ? undefined : this.#profile(files, engine);
    if (profile !== undefined && "refused" in profile) return profile;
    const network = hasNetwork(policy);
    const filtered = network ? undefined : confinement.network;
    const listens = filtered !== undefined && engine.noListener === undefined;
    const confined = this.#confine(command, { ...roots, names: confinement.protectedNames, profile }, codexHome, engine);
    if ("refused" in confined) return confined;
    const { mounts, unsure, cleanup, ...seen } = confined;
    const plan: SandboxPlan = {
      ...{
        argv: checkedArgv(command.argv, unsure),
        cwd: command.cwd,
        hasTerminal: command.tty !== undefined,
        network,
        listens,
        filter,
        ...seen,
      },
      env: listens
        ? { ...command.env, ...proxyVariables(filtered.rules) }
        : network
          ? command.env
          : { ...command.env, CODEX_SANDBOX_NETWORK_DISABLED: "1" },
      mounts: [baseDisk(profile?.base ?? "disk"), ...baseMounts(policy.type !== "readOnly"), ...mounts],
      readable: [...(profile?.base === "nothing" ? [] : ["/"]), ...(profile?.shown ?? [])],
    };
    const wrapped = engine.wrap(plan);
    const noNetwork = filtered === undefined ? undefined : engine.noListener;
    if (!("refused" in wrapped))
      return {
        ...wrapped,
        cleanup,
        writable: plan.writable,
        ...(noNetwork === undefined ? {} : { noNetwork: `${engine.title}: ${noNetwork}` }),
      };
    cleanup();
    return wrapped;
  }

  #profile(files: ResolvedFiles, engine: Engine): ProfileFiles | Refusal {
    const matches = this.#matches.get(files);
    if (matches === undefined) return { refused: "No sandbox: the files that the permission profile denies were not looked up" };
    const profile = planProfileFiles(files, matches);
    if (profile.replaceable !== undefined)
      return { refused: `${profile.replaceable} is a symlink in a writable folder, so it cannot be kept read-only: name the real folder` };
    const carved = profile.base === "writableDisk" ? "everything outside of what it denies" : profile.readOnly[0];
    if (engine.mounts || carved === undefined) return profile;
    const what = profile.base === "writableDisk" ? `allow ${carved}` : `keep ${carved} read-only inside a writable folder`;
    return {
      refused: `No sandbox: ${engine.title} cannot ${what}, as the permission profile asks. Install bubblewrap, or choose another profile.`,
    };
  }

  settle(): void {
    for (const file of this.#kept) this.#placeholders.release(file);
    this.#kept.clear();
  }

  /**
   * Placeholders in temporary folders are kept for a command that follows immediately, because creating and removing them is a large part
   * of its cost.
   */
  #keep(files: readonly string[]): void {
    for (const file of files) if (!this.#kept.has(file) && this.#placeholders.hold(file)) this.#kept.add(file);
  }

  #confine(
    command: Command,
    roots: WritableRoots & Pick<ProtectionInput, "names"> & { readonly profile: ProfileFiles | undefined },
    codexHome: string | undefined,
    engine: Engine,
  ):
    | Refusal
    | (Pick<SandboxPlan, "mounts" | "writable" | "masks" | "hidden"> & {
        readonly unsure: readonly PlannedMount[];
        readonly cleanup: () => void;
      }) {
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
    const program = [...this.#context.program, ...engine.program];
    const { profile } = roots;
    const further = profile === undefined ? [] : [...profile.readOnly, ...profile.missing];
    const protection = protect({ ...roots, nested, userHome, program, isStandIn, further });
    if ("refused" in protection) return refuse(protection.refused);
    const writable = [...roots.named, ...protection.temporary];
    const homes = homeMasks(codexHome, userHome);
    const kept = [command.cwd, userHome, codexHome, ...program].filter((each) => each !== undefined);
    const secrets = maskSecrets(this.#context.secretFiles?.() ?? [], { roots: writable, kept, homes });
    const own = [...homes, ...secrets.folders];
    if (isHidden(command.cwd, own, writable)) return refuse(`commands cannot run in ${command.cwd}: it belongs to the server's own home`);
    const { shown = [], links = [], base = "disk", hiddenFolders = [], hiddenFiles = [] } = profile ?? {};
    if (profile !== undefined && isHiddenBy(profile, findRealPath(command.cwd) ?? command.cwd, writable))
      return refuse(`commands cannot run in ${command.cwd}: the permission profile does not let them read it`);
    const masks = [...own, ...hiddenFolders.filter((home) => !isHidden(home, own, writable)).map((home) => ({ home, entries: [] }))];
    const hidden = [...secrets.files, ...hiddenFiles];
    const seen = { writable, masks, hidden, cleanup };
    if (!engine.mounts) {
      const open = [...hiddenFolders, ...hiddenFiles].find((denied) => isInsideAny(denied, writable));
      if (open !== undefined)
        return refuse(
          `No sandbox: ${open}, which the permission profile denies, lies in a folder that commands may write, and ${engine.title} cannot keep it from them. Install bubblewrap, or choose another profile.`,
        );
      left.push(this.#running.enter([], writable).leave);
      return { mounts: [], unsure: [], ...seen };
    }
    try {
      if (this.#placeholders.plan(protection.missing)) this.onLeftovers();
      for (const file of protection.missing) if (this.#placeholders.hold(file)) held.push(file);
      this.#placeholders.plan([]);
      this.#keep(held.filter((file) => isInsideAny(file, protection.temporary) && !isInsideAny(file, roots.named)));
      const readOnly = [...protection.readOnly, ...protection.missing];
      // The temporary folder is shared with other users, who may also run commands.
      const foreign = readOnly.filter((file) => !held.includes(file) && protection.temporary.includes(path.dirname(file)));
      // An empty folder left there by another program looks the same from inside if an empty one is mounted over it, which is cheaper.
      const empty = engine.makesEmptyFolders ? [...held, ...foreign.filter(isEmptyFolder)] : [];
      const openRoots = base === "writableDisk" ? ["/", ...writable] : writable;
      const plan = { roots: openRoots, readOnly, foreign, nested, empty, masks, hidden, shown, links, base, pipes: this.#pipes.paths };
      const { unsure, leave } = this.#running.enter(plannedPlaces(plan), writable);
      left.push(leave);
      return { mounts: planMounts(plan), unsure, ...seen };
    } catch (error) {
      return refuse(`No sandbox: a protected name could not be kept free (${errorMessage(error)})`);
    }
  }
}

function isEmptyFolder(folder: string): boolean {
  try {
    return readdirSync(folder).length === 0;
  } catch {
    return false; // A file, or a folder that we may not read.
  }
}

/** Temporary folders are not searched, whoever names them. */
function searchedRoots({ policy, workspaceRoots, files }: Confinement): string[] {
  const ofPolicy = policy.type === "workspaceWrite" ? [...workspaceRoots, ...(policy.writableRoots ?? [])] : [];
  const named = files === undefined ? ofPolicy : writtenBy(files).filter((root) => root !== "/tmp" && root !== process.env["TMPDIR"]);
  return named
    .map(findRealPath)
    .filter((root) => root !== undefined)
    .filter((root) => root !== "/");
}

/** Full access under a profile that denies some files still has the network. */
const hasNetwork = (policy: Confinement["policy"]): boolean =>
  policy.type === "dangerFullAccess" || policy.networkAccess === true || policy.networkAccess === "enabled";

/** The server's home, and `~/.codex` if that is a different folder: the keys of a second installation are just as secret. */
function homeMasks(codexHome: string | undefined, userHome: string | undefined): HomeMask[] {
  const usual = userHome === undefined ? undefined : findRealPathIfAny(path.join(userHome, ".codex"));
  const homes = [...new Set([codexHome, usual])].filter((home) => home !== undefined);
  return homes.map((home) => ({ home, entries: readableEntries(home, userHome) }));
}
