/** The ConfigStore on files: the composition root passes it to every part that needs settings. */
import { existsSync } from "node:fs";
import path from "node:path";
import type { ConfigStore, ProviderConfig } from "../core/ports/config.ts";
import type { InstalledPlugins } from "../core/ports/plugins.ts";
import type { ProjectTrust } from "../core/ports/project-trust.ts";
import { isTable, type TomlTable } from "../lib/toml.ts";
import type { ConfigEdit, PermissionProfileSummary } from "../protocol/config.ts";
import { RpcError } from "../protocol/errors.ts";
import { permissionProfiles, type SandboxMode } from "../protocol/policy.ts";
import { featuresFrom } from "./build.ts";
import { featureRows, listFeatures } from "./features.ts";
import { splitTrust } from "./hook-trust.ts";
import { listHooks } from "./hooks.ts";
import { ConfigLoader, digestsOf } from "./loader.ts";
import { mergeStack, parseKeyPath } from "./merge.ts";
import { flagsTable } from "./overrides.ts";
import type { Profiles } from "./permissions.ts";
import { realPath } from "./project.ts";
import { createProjectTrust } from "./project-trust.ts";
import { readConfig } from "./read.ts";
import { allowedModes, allowedProfiles, forbiddenBy, type Requirements } from "./requirements.ts";
import { writeConfig, writeError, writeOutcome } from "./write.ts";

export interface ConfigStoreOptions {
  readonly codexHome: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The value of each `-c`: `key=value`, strongest last. */
  readonly cliOverrides?: readonly string[];
  /** The flags come from the only client of this process, and count like a request's own settings. */
  readonly flagsAreRequests?: boolean | undefined;
  /** The user's own config.toml counts as empty. */
  readonly ignoreUserFile?: boolean | undefined;
  /** Every hook is trusted, whatever was trusted before. */
  readonly trustHooks?: boolean | undefined;
  /** What the user has accepted in projects; stored under the home unless given. */
  readonly projectTrust?: ProjectTrust;
  /** Which of `[plugins]` are installed; none unless given. */
  readonly plugins?: InstalledPlugins;
  /** The folder of the machine-wide files; /etc/codex unless a test overrides it. */
  readonly systemDir?: string;
  /** Built-in providers. */
  readonly builtInProviders?: Readonly<Record<string, ProviderConfig>>;
  /** The provider when nothing is configured; evaluated each time, since signing in changes it. */
  readonly fallback?: () => { readonly modelProvider: string; readonly model?: string | undefined };
}

/** Throws RpcError for an invalid `-c` flag; files are read, and their errors reported, when they are needed. */
export function createConfigStore(options: ConfigStoreOptions): ConfigStore {
  const trust = options.projectTrust ?? createProjectTrust(options.codexHome);
  const loader = new ConfigLoader({ ...options, projectTrust: trust, cliOverrides: flagsTable(options.cliOverrides ?? []) });
  const listeners = new Set<(trusted: readonly string[]) => void>();
  return {
    effective: (cwd, overrides) => loader.effective(cwd, overrides),
    read: (cwd) => readConfig(loader.stack(cwd).layers, enabledFeatures(loader, cwd)),
    write(edits, { expectedVersion, filePath } = {}) {
      const file = writableFile(loader, filePath);
      const forbidden = (table: TomlTable) => forbiddenBy(loader.requirements(), table);
      const { version, paths } = writeConfig(edits.flatMap(splitTrust), { file, expectedVersion, forbidden });
      const trusted = trustedBy(edits);
      for (const folder of trusted) acceptAll(loader, trust, folder);
      for (const id of switchedOnBy(edits)) acceptPlugin(options.plugins, id);
      for (const listener of listeners) listener(trusted);
      return writeOutcome(file, version, paths, loader.layersIfSound());
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    requirements: () => loader.requirements()?.values ?? null,
    features: (cwd) => listFeatures(enabledFeatures(loader, cwd)),
    setFeatures(enablement) {
      const known = Object.fromEntries(Object.entries(enablement).filter(([name]) => Object.hasOwn(featureRows, name)));
      loader.switchFeatures(known);
      return known;
    },
    permissionProfiles: (cwd) => [
      ...listProfiles(allowedModes(loader.requirements()?.values ?? {})),
      ...ownProfiles(loader.profiles(cwd), loader.requirements()),
    ],
    waiting(cwd) {
      const { project, waiting } = loader.waiting(cwd);
      return { ...project, waiting };
    },
    acceptWaiting: (cwd) => acceptAll(loader, trust, cwd),
    hooks: (cwd) => listHooks(cwd, loader.hooks(cwd)),
  };
}

/** The folders that a write marks as trusted: this also accepts what is in them now. */
function trustedBy(edits: readonly ConfigEdit[]): string[] {
  return edits.flatMap(({ keyPath, value }) => {
    const parts = parseKeyPath(keyPath);
    if (!Array.isArray(parts) || parts[0] !== "projects") return [];
    const [, folder, key] = parts;
    if (folder === undefined) return isTable(value) ? Object.keys(value).filter((name) => marksTrusted(value[name])) : [];
    return (key === "trust_level" && value === "trusted") || (key === undefined && marksTrusted(value)) ? [folder] : [];
  });
}
const marksTrusted = (entry: unknown): boolean => isTable(entry) && entry["trust_level"] === "trusted";

/** The plugins that a write enables: this also accepts what is in their folders now. */
function switchedOnBy(edits: readonly ConfigEdit[]): string[] {
  const enables = (entry: unknown): boolean => isTable(entry) && entry["enabled"] === true;
  return edits.flatMap(({ keyPath, value }) => {
    const parts = parseKeyPath(keyPath);
    if (!Array.isArray(parts) || parts[0] !== "plugins") return [];
    const [, id, key] = parts;
    if (id === undefined) return isTable(value) ? Object.keys(value).filter((name) => enables(value[name])) : [];
    return (key === "enabled" && value === true) || (key === undefined && enables(value)) ? [id] : [];
  });
}

/** An unreadable one is reported where it is used. */
function acceptPlugin(plugins: InstalledPlugins | undefined, id: string): void {
  try {
    plugins?.accept(id);
  } catch {
    // It then keeps waiting.
  }
}

/** Accepts what waits in a folder's project, from its root down to the folder. An unreadable file is reported where it is used. */
function acceptAll(loader: ConfigLoader, trust: ProjectTrust, cwd: string): void {
  if (!existsSync(cwd)) return;
  try {
    const { project, waiting } = loader.waiting(cwd);
    if (waiting.length > 0) trust.accept(project.repository, digestsOf(waiting));
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
  }
}

function enabledFeatures(loader: ConfigLoader, cwd: string | undefined): Readonly<Record<string, boolean>> {
  const required = loader.requirements()?.values.featureRequirements ?? {};
  return { ...loader.features, ...featuresFrom(mergeStack(loader.stack(cwd).layers)), ...required };
}

function writableFile(loader: ConfigLoader, filePath: string | undefined): string {
  const inUse = loader.layersIfSound().findLast(({ source }) => source.type === "user");
  const active = inUse?.source.type === "user" ? inUse.source.file : loader.userFile;
  if (filePath === undefined) return active;
  const wanted = [active, loader.userFile].find((file) => file === filePath || realPath(file) === realPath(filePath));
  if (wanted === undefined || !path.isAbsolute(filePath))
    throw writeError("configLayerReadonly", "Only writes to the user config are allowed");
  return wanted;
}

function listProfiles(allowed: readonly SandboxMode[] | undefined): PermissionProfileSummary[] {
  return Object.entries(permissionProfiles).map(([id, mode]) => ({
    id,
    description: null,
    allowed: allowed === undefined || allowed.includes(mode),
  }));
}

function ownProfiles(profiles: Profiles, requirements: Requirements | undefined): PermissionProfileSummary[] {
  const allowed = allowedProfiles(requirements?.values ?? {}, profiles);
  const named = Object.entries(profiles).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return named.map(([id, profile]) => ({
    id,
    description: "problem" in profile ? null : profile.description,
    allowed: !("problem" in profile) && (allowed?.includes(id) ?? true),
  }));
}
