/**
 * The environment of commands: the server's own, filtered by the user's policy, without keys and tokens unless they are explicitly
 * included.
 */
import type { EnvironmentPolicy } from "../core/ports/config.ts";

export interface EnvironmentInput {
  readonly policy: EnvironmentPolicy;
  /** The server's own environment. */
  readonly from: Readonly<Record<string, string | undefined>>;
  /** Variables that contain keys of model providers, whatever their names. */
  readonly modelKeys: readonly string[];
}

/** Those on which the folders depend that a sandboxed command may write (`sandbox/roots.ts`); here, since commands without a sandbox do not load that. */
export const sandboxVariables: readonly string[] = ["HOME", "TMPDIR"];

const coreNames = [
  "HOME",
  "LOGNAME",
  "PATH",
  "SHELL",
  "USER",
  "USERNAME",
  "TMPDIR",
  "TEMP",
  "TMP",
  "LANG",
  "LC_ALL",
  "LC_CTYPE",
  "TERM",
  "TZ",
];
/** Variables that Windows programs need to start. */
const windowsNames = [
  "SYSTEMROOT",
  "SYSTEMDRIVE",
  "COMSPEC",
  "PATHEXT",
  "WINDIR",
  "USERPROFILE",
  "APPDATA",
  "LOCALAPPDATA",
  "PROGRAMFILES",
  "PROGRAMDATA",
];
const secretPatterns = ["*KEY*", "*SECRET*", "*TOKEN*"];
/** Settings of the server process itself. */
const ownNames = /^(PARLEY_|NODE_COMPILE_CACHE$|NODE_CHANNEL_FD$|NODE_UNIQUE_ID$)/;

/**
 * In this order: inherited variables; minus keys, secrets and tokens; minus what the user excludes; plus what the user sets; and, if the
 * user lists patterns, only those that match one. A name that the user lists or sets is never dropped as a secret.
 */
export function commandEnvironment({ policy, from, modelKeys }: EnvironmentInput): Record<string, string> {
  const isListed = matcher(policy.includeOnly);
  const isSecret = matcher([...secretPatterns, ...modelKeys]);
  const isExcluded = matcher(policy.exclude);
  const isCore = matcher(process.platform === "win32" ? [...coreNames, ...windowsNames] : coreNames);
  const isInherited = (name: string): boolean => {
    if (policy.inherit === "none" || (policy.inherit === "core" && !isCore(name) && !isListed(name))) return false;
    if (ownNames.test(name) || isExcluded(name)) return false;
    return policy.ignoreDefaultExcludes || isListed(name) || !isSecret(name);
  };
  const found: Record<string, string> = {};
  for (const [name, value] of Object.entries(from)) if (value !== undefined && isInherited(name)) found[name] = value;
  Object.assign(found, policy.set);
  if (policy.includeOnly.length === 0) return found;
  return Object.fromEntries(Object.entries(found).filter(([name]) => isListed(name)));
}

/** Matches any of the patterns (`*` any text, `?` one character), ignoring case. */
function matcher(patterns: readonly string[]): (name: string) => boolean {
  const parts = patterns.map((pattern) =>
    pattern
      .replaceAll(/[.+^${}()|[\]\\]/g, "\\$&")
      .replaceAll("*", ".*")
      .replaceAll("?", "."),
  );
  if (parts.length === 0) return () => false;
  const expression = new RegExp(`^(?:${parts.join("|")})$`, "is");
  return (name) => expression.test(name);
}
