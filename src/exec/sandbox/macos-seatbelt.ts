/** The macOS sandbox: a Seatbelt profile built for the command and passed to sandbox-exec as an argument. */
import { existsSync } from "node:fs";
import path from "node:path";
import type { Command, Confinement, SandboxState, WrappedCommand } from "../../core/ports/command-runner.ts";
import { findRealPath } from "../../lib/file-status.ts";
import { isInside } from "../../lib/paths.ts";
import { readableEntries } from "./codex-home.ts";
import { noLeftovers, type PlatformSandbox, type SandboxContext } from "./platform-sandbox.ts";
import { protect, protectedNames } from "./protection.ts";
import { writableRoots } from "./roots.ts";

const sandboxExec = "/usr/bin/sandbox-exec";
const kernelTrees = ["/dev", "/System"];

export interface ProfileInput {
  readonly roots: readonly string[];
  /** Paths in the roots that stay read-only, whether or not they exist. */
  readonly protectedPaths: readonly string[];
  /** Homes of the server: hidden except for the listed entries, and never writable. */
  readonly masks: readonly { readonly home: string; readonly entries: readonly string[] }[];
  /** Files with secrets of the server. Rules apply by name, so that a file stays hidden when it is replaced. */
  readonly hidden?: readonly string[];
  readonly network: boolean;
}

export class SeatbeltSandbox implements PlatformSandbox {
  readonly leftovers = noLeftovers;
  readonly #context: SandboxContext;

  constructor(context: SandboxContext) {
    this.#context = context;
  }

  prepare(): Promise<{ refused: string } | undefined> {
    const reason = `No sandbox: ${sandboxExec} is missing. Choose the danger-full-access mode, or externalSandbox if this machine is itself a sandbox.`;
    return Promise.resolve(existsSync(sandboxExec) ? undefined : { refused: reason });
  }

  async state(): Promise<SandboxState> {
    const refusal = await this.prepare();
    return refusal === undefined
      ? { engine: "seatbelt", text: "Seatbelt (sandbox-exec)", limits: [] }
      : { engine: "none", text: refusal.refused, limits: [] };
  }

  wrap(command: Command, confinement: Confinement): WrappedCommand | { readonly refused: string } {
    const codexHome = findRealPath(this.#context.codexHome);
    const userHome = this.#context.userHome === undefined ? undefined : findRealPath(this.#context.userHome);
    const roots = writableRoots(command, confinement, { codexHome, kernelTrees });
    if ("refused" in roots) return roots;
    const protection = protect({ ...roots, names: confinement.protectedNames, nested: [], userHome, program: this.#context.program });
    if ("refused" in protection) return protection;
    const { policy } = confinement;
    const network = "networkAccess" in policy && policy.networkAccess === true;
    const writable = [...roots.named, ...protection.temporary];
    // Patterns cannot contain a quotation mark; a path must never be able to terminate one.
    const odd = writable.find((root) => /["\n]/.test(root));
    if (odd !== undefined)
      return { refused: `writable root ${JSON.stringify(odd)}: its name holds a character that the sandbox cannot be told` };
    const profile = seatbeltProfile({
      roots: writable,
      protectedPaths: [...protection.readOnly, ...protection.missing],
      masks: codexHome === undefined ? [] : [{ home: codexHome, entries: readableEntries(codexHome, userHome) }],
      hidden: hiddenPaths(this.#context.secretFiles?.() ?? []),
      network,
    });
    return {
      argv: [sandboxExec, "-p", profile, "--", ...command.argv],
      cwd: command.cwd,
      env: { ...command.env, CODEX_SANDBOX: "seatbelt", ...(network ? {} : { CODEX_SANDBOX_NETWORK_DISABLED: "1" }) },
      extra: [],
    };
  }
}

/** Rules that every command needs: to run programs, read the disk, query the system, and use a terminal. */
const base = `(version 1)
(deny default)
(allow process-exec process-fork)
(allow signal (target same-sandbox))
(allow process-info* (target same-sandbox))
(allow file-read*)
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
export function seatbeltProfile({ roots, protectedPaths, masks, hidden = [], network }: ProfileInput): string {
  const isInHome = (root: string): boolean => masks.some(({ home }) => isInside(root, home));
  const rules = [
    base,
    ...rule("allow file-write*", roots.filter((root) => !isInHome(root)).map(subtree)),
    ...masks.flatMap(maskRules),
    ...rule("allow file-read* file-write*", roots.filter(isInHome).map(subtree)),
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
