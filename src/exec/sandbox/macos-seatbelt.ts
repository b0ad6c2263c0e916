/** The macOS sandbox: a Seatbelt profile built for the command and passed to sandbox-exec as an argument. */
import { existsSync } from "node:fs";
import path from "node:path";
import type { Command, Confinement, SandboxState, WrappedCommand } from "../../core/ports/command-runner.ts";
import type { DeniedGlob, ResolvedFiles } from "../../core/ports/file-access.ts";
import { findRealPath } from "../../lib/file-status.ts";
import { globSource } from "../../lib/glob.ts";
import { isInside } from "../../lib/paths.ts";
import { readableEntries } from "./codex-home.ts";
import { deniedMatches } from "./denied-matches.ts";
import { noLeftovers, type PlatformSandbox, type SandboxContext } from "./platform-sandbox.ts";
import { type ProfileFiles, planProfileFiles } from "./profile-files.ts";
import { pinnedFolders, protect, protectedNames } from "./protection.ts";
import { writableRoots } from "./roots.ts";

const sandboxExec = "/usr/bin/sandbox-exec";
const kernelTrees = ["/dev", "/System"];
const missing = `No sandbox: ${sandboxExec} is missing. Choose the danger-full-access mode, or externalSandbox if this machine is itself a sandbox.`;

export interface ProfileInput {
  readonly roots: readonly string[];
  /** Paths in the roots that stay read-only, whether or not they exist. */
  readonly protectedPaths: readonly string[];
  /** Homes of the server: hidden except for the listed entries, and never writable. */
  readonly masks: readonly { readonly home: string; readonly entries: readonly string[] }[];
  /** Files with secrets of the server. Rules apply by name, so that a file stays hidden when it is replaced. */
  readonly hidden?: readonly string[];
  /** What a permission profile says about files. */
  readonly profile?: (ProfileFiles & { readonly globs: readonly DeniedGlob[] }) | undefined;
  readonly network: boolean;
}

export class SeatbeltSandbox implements PlatformSandbox {
  readonly leftovers = noLeftovers;
  readonly #context: SandboxContext;
  /** The files that a profile's patterns named when its command was prepared: the folders around them must not be moved away. */
  readonly #matches = new WeakMap<ResolvedFiles, readonly string[]>();

  constructor(context: SandboxContext) {
    this.#context = context;
  }

  async prepare({ files }: Confinement): Promise<{ refused: string } | undefined> {
    if (!existsSync(sandboxExec)) return { refused: missing };
    const matches = files === undefined ? [] : await deniedMatches(files);
    if ("refused" in matches) return matches;
    if (files !== undefined) this.#matches.set(files, matches);
    return undefined;
  }

  async state(): Promise<SandboxState> {
    return existsSync(sandboxExec)
      ? { engine: "seatbelt", text: "Seatbelt (sandbox-exec)", limits: [] }
      : { engine: "none", text: missing, limits: [] };
  }

  wrap(command: Command, confinement: Confinement): WrappedCommand | { readonly refused: string } {
    const codexHome = findRealPath(this.#context.codexHome);
    const userHome = this.#context.userHome === undefined ? undefined : findRealPath(this.#context.userHome);
    const roots = writableRoots(command, confinement, { codexHome, kernelTrees });
    if ("refused" in roots) return roots;
    const { policy, files } = confinement;
    const matches = files === undefined ? [] : (this.#matches.get(files) ?? []);
    const profile = files === undefined ? undefined : { ...planProfileFiles(files, matches), globs: files.deniedGlobs };
    const protection = protect({
      ...{ ...roots, names: confinement.protectedNames, nested: [], userHome, program: this.#context.program },
      further: profile === undefined ? [] : [...profile.readOnly, ...profile.missing],
    });
    if ("refused" in protection) return protection;
    const network = hasNetwork(policy);
    const writable = [...roots.named, ...protection.temporary];
    // Patterns cannot contain a quotation mark; a path must never be able to terminate one.
    const odd = [...writable, ...(files?.deniedGlobs ?? []).flatMap(({ base, pattern }) => [base, pattern])].find((text) =>
      /["\n]/.test(text),
    );
    if (odd !== undefined)
      return { refused: `writable root ${JSON.stringify(odd)}: its name holds a character that the sandbox cannot be told` };
    const rules = seatbeltProfile({
      roots: writable,
      protectedPaths: [...protection.readOnly, ...protection.missing],
      masks: codexHome === undefined ? [] : [{ home: codexHome, entries: readableEntries(codexHome, userHome) }],
      hidden: hiddenPaths(this.#context.secretFiles?.() ?? []),
      profile,
      network,
    });
    return {
      argv: [sandboxExec, "-p", rules, "--", ...command.argv],
      cwd: command.cwd,
      env: { ...command.env, CODEX_SANDBOX: "seatbelt", ...(network ? {} : { CODEX_SANDBOX_NETWORK_DISABLED: "1" }) },
      extra: [],
      ...(network || confinement.network === undefined
        ? {}
        : { noNetwork: "Seatbelt: commands share the machine's network, which it opens or closes as a whole" }),
    };
  }
}

/** Rules that every command needs: to run programs, read the disk, query the system, and use a terminal. */
const base = `(version 1)
(deny default)
(allow process-exec process-fork)
(allow signal (target same-sandbox))
(allow process-info* (target same-sandbox))
(allow file-write-data (require-all (path "/dev/null") (vnode-type CHARACTER-DEVICE)))
(allow file-write-data file-ioctl (literal "/dev/dtracehelper") (literal "/dev/zero") (literal "/dev/random") (literal "/dev/urandom"))
(allow pseudo-tty)
(allow file-read* file-write* file-ioctl (literal "/dev/ptmx") (literal "/dev/tty"))
(allow file-read* file-write* (require-all (regex #"^/dev/ttys[0-9]+$") (extension "com.apple.sandbox.pty")))
(allow file-ioctl (regex #"^/dev/ttys[0-9]+$"))
(allow sysctl-read)
(allow user-preference-read)
(allow iokit-open (iokit-registry-entry-class "RootDomainUserClient"))
(allow ipc-posix-sem)
(allow ipc-posix-shm-read* (ipc-posix-name "apple.shm.notification_center"))
(allow mach-lookup
  (global-name "com.apple.system.opendirectoryd.libinfo")
  (global-name "com.apple.system.logger")
  (global-name "com.apple.PowerManagement.control")
  (global-name "com.apple.trustd.agent"))`;

/** Later rules override earlier ones: a folder is made writable before the exceptions inside it. */
export function seatbeltProfile({ roots, protectedPaths, masks, hidden = [], profile, network }: ProfileInput): string {
  const isInHome = (root: string): boolean => masks.some(({ home }) => isInside(root, home));
  const rules = [
    base,
    ...readRules(profile),
    ...rule("allow file-write*", roots.filter((root) => !isInHome(root)).map(subtree)),
    ...masks.flatMap(maskRules),
    ...rule("allow file-read* file-write*", roots.filter(isInHome).map(subtree)),
    ...(profile === undefined ? [] : profileRules(profile, roots)),
    // Such a name may exist anywhere in a root, or be created while the command runs: the name itself is protected.
    ...rule(
      "deny file-write*",
      roots.flatMap((root) => protectedNames.map((name) => namedIn(root, name))),
    ),
    ...rule("deny file-write*", protectedPaths.map(subtree)),
    ...rule("deny file-read* file-write*", hidden.map(subtree)),
    // Moving a root away would remove its rules.
    ...rule(
      "deny file-write-unlink",
      roots.map((root) => `(literal ${quoted(root)})`),
    ),
    ...(network ? networkRules : []),
  ];
  return `${rules.join("\n")}\n`;
}

/** Without the disk, programs still look up names on their way to what they may read. */
const readRules = (profile: ProfileInput["profile"]): string[] =>
  profile?.base === "nothing" ? ["(allow file-read-metadata)", '(allow file-read* (literal "/"))'] : ["(allow file-read*)"];

/** Outer paths first, since later rules win; patterns last, since they hold everywhere. */
function profileRules(
  { base, readOnly, shown, hiddenFolders, hiddenFiles, missing: absent, globs }: NonNullable<ProfileInput["profile"]>,
  roots: readonly string[],
): string[] {
  const denied = [...hiddenFolders, ...hiddenFiles, ...absent];
  const layers = [
    ...roots.map((at) => ({ at, head: "allow file-read* file-write*" })),
    ...shown.map((at) => ({ at, head: "allow file-read*" })),
    ...readOnly.map((at) => ({ at, head: "deny file-write*" })),
    ...denied.map((at) => ({ at, head: "deny file-read* file-write*" })),
  ];
  const everywhere = base === "writableDisk" ? ["/"] : [];
  return [
    ...rule("allow file-write*", everywhere.map(subtree)),
    ...layers.sort((a, b) => a.at.length - b.at.length).flatMap(({ at, head }) => rule(head, [subtree(at)])),
    ...rule("deny file-read* file-write*", globs.map(matching)),
    // A denied path must not get another name with one of its folders.
    ...rule(
      "deny file-write-unlink",
      pinnedFolders([...roots, ...everywhere], [...denied, ...readOnly]).map((at) => `(literal ${quoted(at)})`),
    ),
  ];
}

/** What a pattern names, and everything below it. */
function matching({ base, pattern }: DeniedGlob): string {
  const inner = globSource(pattern).slice(1, -1);
  return `(regex #"^${escapeRegex(findRealPath(base) ?? base)}/${inner}(/|$)")`;
}

const hasNetwork = (policy: Confinement["policy"]): boolean =>
  policy.type === "dangerFullAccess" || policy.networkAccess === true || policy.networkAccess === "enabled";

const hiddenPaths = (files: readonly string[]): string[] => [...new Set(files.flatMap((file) => [file, findRealPath(file) ?? file]))];

const rule = (head: string, filters: readonly string[]): string[] => (filters.length === 0 ? [] : [`(${head} ${filters.join(" ")})`]);

const maskRules = ({ home, entries }: ProfileInput["masks"][number]): string[] => [
  ...rule("deny file-read* file-write*", [subtree(home)]),
  ...rule("allow file-read-metadata", [`(literal ${quoted(home)})`]),
  ...rule(
    "allow file-read*",
    entries.map((name) => subtree(path.join(home, name))),
  ),
];

/** Unix sockets are a way out of the sandbox, except for the one that resolves host names. */
const networkRules = [
  "(allow network* system-socket)",
  "(deny network-outbound (remote unix-socket))",
  '(allow network-outbound (literal "/private/var/run/mDNSResponder"))',
  '(allow mach-lookup (global-name "com.apple.SystemConfiguration.configd") (global-name "com.apple.dnssd.service") (global-name "com.apple.ocspd"))',
];

const quoted = (text: string): string => `"${text.replaceAll(/[\\"]/g, "\\$&")}"`;
const subtree = (file: string): string => `(subpath ${quoted(file)})`;

/** File systems there are case-insensitive: `.GIT` is `.git`. */
function namedIn(root: string, name: string): string {
  const letters = [...name].map((c) => (/[a-z]/.test(c) ? `[${c}${c.toUpperCase()}]` : escapeRegex(c))).join("");
  return `(regex #"^${escapeRegex(root)}/(.*/)?${letters}(/|$)")`;
}

const escapeRegex = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&");
