/** What people granted beyond a single action, and how it changes a thread's settings. */
import type { AdditionalFileSystemPermissions } from "../../protocol/approval.ts";
import type { SandboxPolicy } from "../../protocol/policy.ts";
import { rulesWithGrant } from "../ports/file-access.ts";
import type { ThreadSettings } from "../ports/settings.ts";

/** Additional sandbox permissions. */
export interface Granted {
  readonly write: readonly string[];
  readonly network: boolean;
  readonly scope: "turn" | "session";
}

/** Grants for the rest of the session, in this thread only: they do not apply to forks, sub-agents or longer commands. */
export class Grants {
  readonly #commands = new Set<string>();
  readonly #files = new Set<string>();
  readonly #hosts = new Set<string>();
  /** Additional sandbox permissions. */
  #permissions: Granted[] = [];

  grantCommand(argv: readonly string[], cwd: string, escalate: boolean): void {
    this.#commands.add(JSON.stringify([argv, cwd, escalate]));
  }
  coversCommand(argv: readonly string[], cwd: string, escalate: boolean): boolean {
    return this.#commands.has(JSON.stringify([argv, cwd, escalate]));
  }
  grantHost(host: string): void {
    this.#hosts.add(host);
  }
  coversHost(host: string): boolean {
    return this.#hosts.has(host);
  }
  grantPermissions(granted: Granted): void {
    this.#permissions.push(granted);
  }
  forgetPermissions(): void {
    this.#permissions = [];
  }
  /** The thread's effective settings for its turns: with the session's grants, which forks and sub-agents do not inherit. */
  widen(settings: ThreadSettings): ThreadSettings {
    return this.#permissions.reduce(widened, settings);
  }
  grantFiles(paths: readonly string[]): void {
    for (const path of paths) this.#files.add(path);
  }
  coversFiles(paths: readonly string[]): boolean {
    return paths.length > 0 && paths.every((path) => this.#files.has(path));
  }
}

/** In a read-only session, a grant to write one folder covers only that folder. */
export function widened(settings: ThreadSettings, { write, network }: Granted): ThreadSettings {
  const { sandboxPolicy: policy } = settings;
  if (policy.type === "dangerFullAccess" || policy.type === "externalSandbox") return settings;
  const networkAccess = policy.networkAccess === true || network;
  const fileRules = rulesWithGrant(settings, write);
  if (policy.type === "workspaceWrite")
    return {
      ...settings,
      fileRules,
      sandboxPolicy: { ...policy, networkAccess, writableRoots: [...new Set([...(policy.writableRoots ?? []), ...write])] },
    };
  if (write.length === 0) return { ...settings, sandboxPolicy: { ...policy, networkAccess } };
  const narrow: SandboxPolicy = {
    type: "workspaceWrite",
    writableRoots: [...write],
    networkAccess,
    excludeSlashTmp: true,
    excludeTmpdirEnvVar: true,
  };
  // Rules about the session's folders need these; without rules, a writable folder is one that is named.
  return { ...settings, fileRules, workspaceRoots: fileRules === null ? [] : settings.workspaceRoots, sandboxPolicy: narrow };
}

/** Clients read one or the other: `entries` is the newer form of the same. */
export const writeAccess = (folders: readonly string[]): AdditionalFileSystemPermissions | null =>
  folders.length === 0
    ? null
    : { read: null, write: [...folders], entries: folders.map((folder) => ({ access: "write", path: { type: "path", path: folder } })) };
