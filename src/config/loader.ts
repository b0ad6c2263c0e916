/** Finds, validates and merges the layers of settings for a folder; gives every other part its Config. */
import path from "node:path";
import type { Config, ProviderConfig } from "../core/ports/config.ts";
import type { FoundPlugins, InstalledPlugins } from "../core/ports/plugins.ts";
import type { Digests, ProjectTrust } from "../core/ports/project-trust.ts";
import { namesOf } from "../lib/bounded-folder.ts";
import { isTable, type TomlTable } from "../lib/toml.ts";
import type { ConfigLayerSource } from "../protocol/config.ts";
import { invalidRequest, RpcError } from "../protocol/errors.ts";
import { type FoundRoles, findRoles, roleFilesIn } from "./agent-roles.ts";
import { buildConfig, featuresFrom } from "./build.ts";
import { featureRows } from "./features.ts";
import { areUnchanged, FileCache, fewerLooks, folderStamp, type Look } from "./file-cache.ts";
import { type FoundHooks, findHooks, hookFiles, hookWarnings } from "./hooks.ts";
import {
  fileLayer,
  flagsLayer,
  type Layer,
  makeLayer,
  type ProjectFile,
  projectLayer,
  projectText,
  readAnyhow,
  untrustedLayer,
  voidText,
  type Waiting,
} from "./layers.ts";
import { mcpServersFrom, projectServersIn, withPluginServers } from "./mcp-servers.ts";
import { deepFreeze, mergeStack, mergeTables } from "./merge.ts";
import { overridesTable } from "./overrides.ts";
import { profilesFrom, withOneSandbox } from "./permissions.ts";
import { findProject, type Project, realPath } from "./project.ts";
import { createProjectTrust, digestOf } from "./project-trust.ts";
import { bool, list, tableAt, text } from "./read-value.ts";
import { enforce, type Requirements, readRequirements, withRequirements } from "./requirements.ts";

export interface ConfigOptions {
  readonly codexHome: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The `-c` flags as one table. */
  readonly cliOverrides?: TomlTable;
  /** The flags come from the only client of this process, and count like a request's own settings. */
  readonly flagsAreRequests?: boolean | undefined;
  /** The user's own config.toml counts as empty; the machine's, a project's and the command line's stay. */
  readonly ignoreUserFile?: boolean | undefined;
  /** Every hook is trusted, whatever was trusted before. */
  readonly trustHooks?: boolean | undefined;
  /** What the user has accepted in projects; stored under the home unless given. */
  readonly projectTrust?: ProjectTrust | undefined;
  /** Which of `[plugins]` are installed; none unless given. */
  readonly plugins?: InstalledPlugins | undefined;
  /** The folder of the machine-wide files. */
  readonly systemDir?: string;
  readonly builtInProviders?: Readonly<Record<string, ProviderConfig>>;
  /** The provider when nothing is configured; evaluated each time, since signing in changes it. */
  readonly fallback?: () => { readonly modelProvider: string; readonly model?: string | undefined };
}

/** The layers for one folder, weakest first, with the facts found while reading them. */
export interface Stack {
  readonly layers: readonly Layer[];
  /** All of them but the project's, merged. */
  readonly own: TomlTable;
  readonly project: Project;
  /** A trusted project's files with rules and agent roles, accepted or not. */
  readonly rules: readonly Waiting[];
  /** What the user has accepted of a trusted project. */
  readonly accepted: Digests;
}

type Fallback = ReturnType<NonNullable<ConfigOptions["fallback"]>>;

interface Made {
  readonly from: readonly unknown[];
  readonly config: Config;
  /** Undefined where it depends on more than this. */
  readonly unchanged: Unchanged | undefined;
}
type MadeNow = Pick<Made, "from" | "config"> & { readonly stack: Stack; readonly plugins: FoundPlugins };

/** As long as all of this is the same, so is the config. */
interface Unchanged {
  looks: readonly Look[];
  /** Whether they are as few as can be. */
  areFew: boolean;
  readonly fallback: Fallback;
  readonly features: Readonly<Record<string, boolean>>;
  readonly repository: string;
  readonly accepted: Digests;
}

/** With more, looking at each would take as long as everything else. */
const mostLooks = 500;

const systemFolder = (env: ConfigOptions["env"]): string =>
  process.platform === "win32" ? path.join(env["ProgramData"] ?? "C:\\ProgramData", "OpenAI", "Codex") : "/etc/codex";

/** Reads layers and caches them by the files' identity, so that loading an unchanged folder again costs a few stat calls. */
export class ConfigLoader {
  readonly #options: ConfigOptions;
  readonly files = new FileCache();
  readonly #made = new Map<string, Made>();
  readonly #flags = new Map<string, Layer>();
  readonly #merges = new Map<string, { layers: readonly Layer[]; merged: TomlTable }>();
  #features: Readonly<Record<string, boolean>> = {};

  readonly #trust: ProjectTrust;

  constructor(options: ConfigOptions) {
    this.#options = options;
    this.#trust = options.projectTrust ?? createProjectTrust(options.codexHome);
  }

  get userFile(): string {
    return path.join(this.#options.codexHome, "config.toml");
  }
  get systemDir(): string {
    return this.#options.systemDir ?? systemFolder(this.#options.env);
  }

  effective(cwd: string, overrides: Readonly<Record<string, unknown>> = {}): Config {
    const key = `${cwd}\0${JSON.stringify(overrides)}`;
    const fallback = this.#options.fallback?.() ?? { modelProvider: "scripted" };
    const known = this.#made.get(key);
    if (known?.unchanged !== undefined && this.#holds(known.unchanged, fallback)) return known.config;
    const { result, looks } = this.files.recorded(() => this.#effective(cwd, overrides, { key, fallback }));
    const { from, config, stack, plugins } = result;
    const { repository } = stack.project;
    const unchanged = { looks, areFew: false, fallback, features: this.#features, repository, accepted: stack.accepted };
    // What plugins consist of is looked at elsewhere.
    this.#remember(key, { from, config, unchanged: plugins === noPlugins && looks.length <= mostLooks ? unchanged : undefined });
    return config;
  }

  /** Whether what a config was made from is still so: in one go, since every turn asks. */
  #holds(unchanged: Unchanged, now: Fallback): boolean {
    const { looks, fallback, features, repository, accepted } = unchanged;
    if (now.modelProvider !== fallback.modelProvider || now.model !== fallback.model || features !== this.#features) return false;
    if (!areUnchanged(looks) || (accepted !== nothing && this.#trust.accepted(repository) !== accepted)) return false;
    if (!unchanged.areFew) unchanged.looks = fewerLooks(looks);
    unchanged.areFew = true;
    return true;
  }

  #effective(cwd: string, overrides: Readonly<Record<string, unknown>>, { key, fallback }: { key: string; fallback: Fallback }): MadeNow {
    const flags = this.#flagsLayer(cwd, overrides);
    const stack = this.#stack(cwd, flags);
    const known = this.#made.get(key);
    const read: unknown[] = [];
    const requirements = this.requirements();
    const plugins = this.#plugins(stack);
    const { accepted } = stack;
    const unacceptedRules = stack.rules.filter(({ name, digest }) => accepted[name] !== digest);
    const roleFiles = this.#roleFiles(stack, unacceptedRules);
    const from = [
      ...stack.layers,
      ...stack.rules,
      accepted,
      stack.project.root,
      stack.project.repository,
      stack.project.trust,
      fallback.modelProvider,
      fallback.model,
      requirements,
      this.#features,
      plugins,
      roleFiles?.join("\0"),
    ];
    if (known !== undefined && sameItems(known.from.slice(0, from.length), from) && this.#filesUnchanged(known.from.slice(from.length)))
      return { from: known.from, config: known.config, stack, plugins };
    const raw = withRequirements(withOneSandbox(mergeStack(stack.layers), stack.layers), requirements);
    const found = this.#hooks(stack, raw);
    const projectServers = projectServersIn(stack.layers, stack.project);
    const mcp = withPluginServers(
      mcpServersFrom(tableAt(raw, "mcp_servers"), projectServers),
      plugins.plugins,
      tableAt(stack.own, "plugins"),
    );
    const { roles, ...aboutRoles } = this.#roles(stack, roleFiles);
    for (const file of [...hookFiles(stack), ...aboutRoles.files]) read.push({ file, content: readAnyhow(this.files, file) });
    const built = buildConfig({
      codexHome: this.#options.codexHome,
      ...{ raw, place: { cwd, env: this.#options.env } },
      project: stack.project,
      mcpServers: mcp.servers,
      plugins: plugins.plugins,
      roles,
      requested: requestedKeys(this.#requested(overrides), stack.layers),
      accepted,
      unacceptedRules: unacceptedRules.map(({ file }) => file),
      warnings: [
        ...stack.layers.flatMap(warningsOf),
        ...unacceptedRules.map(({ file, what }) => voidText(file, what, stack.project.root)),
        ...unstableWarnings(raw),
        ...plugins.warnings,
        ...mcp.warnings,
        ...hookWarnings(found),
        ...aboutRoles.warnings,
      ],
      hooks: found.hooks.filter(({ runs }) => runs),
      builtInProviders: this.#options.builtInProviders ?? {},
      fallback: { model: undefined, ...fallback },
      features: this.#features,
      readFile: (file, configKey) => this.#readNamed(file, configKey, read),
    });
    const config = deepFreeze(enforce(built, requirements, flags?.config ?? {}));
    return { from: [...from, ...read], config, stack, plugins };
  }

  /** A file that a key names; it must not be empty. */
  #readNamed(file: string, configKey: string, read: unknown[]): string {
    const content = this.files.read(file);
    const words = content?.text.trim() ?? "";
    if (words === "") throw invalidRequest(`${configKey}: ${file} ${content === undefined ? "does not exist" : "is empty"}`);
    read.push({ file, content });
    return words;
  }

  /** The user's own permission profiles for a folder. */
  profiles(cwd: string | undefined): Config["permissionProfiles"] {
    const raw = mergeStack(this.stack(cwd).layers);
    return profilesFrom(raw, { cwd: cwd ?? this.#options.codexHome, env: this.#options.env });
  }

  /** The hooks of a folder, including those that do not run. */
  hooks(cwd: string): FoundHooks {
    const stack = this.stack(cwd);
    return this.#hooks(stack, mergeStack(stack.layers));
  }
  #hooks(stack: Stack, raw: TomlTable): FoundHooks {
    const requirements = this.requirements();
    const isOff = { ...this.#features, ...featuresFrom(raw), ...requirements?.values.featureRequirements }["hooks"] === false;
    const { plugins } = this.#plugins(stack);
    return findHooks(stack, this.files, { requirements, trustAll: this.#options.trustHooks, isOff, plugins });
  }

  /** Undefined while there are no sub-agents that could have a role. */
  #roleFiles({ own, rules }: Stack, unaccepted: readonly Waiting[]): readonly string[] | undefined {
    const features = { ...this.#features, ...featuresFrom(own) };
    if (features["multi_agent"] === false) return undefined;
    const ofProject = rules.filter((rule) => isRole(rule.file) && !unaccepted.includes(rule)).map(({ file }) => file);
    return [...new Set([...this.#rolesIn(path.join(this.#options.codexHome, "agents")), ...ofProject])];
  }
  #rolesIn(folder: string): string[] {
    this.files.look(folder, folderStamp);
    return roleFilesIn(folder);
  }
  #roles({ own }: Stack, files: readonly string[] | undefined): FoundRoles {
    if (files === undefined) return { roles: [], warnings: [], files: [] };
    return findRoles({ table: tableAt(own, "agents"), codexHome: this.#options.codexHome, files }, this.files);
  }

  /** Only the user's own settings can enable plugins. */
  #plugins({ own }: Stack): FoundPlugins {
    const entries = tableAt(own, "plugins");
    if (this.#options.plugins === undefined || Object.keys(entries).length === 0) return noPlugins;
    const required = this.requirements()?.values.featureRequirements;
    const isOff = { ...this.#features, ...featuresFrom(own), ...required }["plugins"] === false;
    return isOff ? noPlugins : this.#options.plugins.find(entries);
  }

  #requested(overrides: Readonly<Record<string, unknown>>): TomlTable {
    const { cliOverrides = {}, flagsAreRequests } = this.#options;
    return flagsAreRequests === true ? mergeTables(cliOverrides, overridesTable(overrides)) : overridesTable(overrides);
  }

  requirements(): Requirements | undefined {
    return readRequirements(this.files, this.systemDir);
  }

  get features(): Readonly<Record<string, boolean>> {
    return this.#features;
  }
  switchFeatures(enablement: Readonly<Record<string, boolean>>): void {
    this.#features = Object.freeze({ ...this.#features, ...enablement });
  }

  /** The active layers without a folder; none while a file is broken, so that a write can still fix it. */
  layersIfSound(): readonly Layer[] {
    try {
      return this.stack(undefined).layers;
    } catch (error) {
      if (error instanceof RpcError) return [];
      throw error;
    }
  }

  /** All layers for a folder, including those without effect. Without a folder: no project's. */
  stack(cwd: string | undefined): Stack {
    return this.#stack(cwd, this.#flagsLayer(cwd ?? this.#options.codexHome, {}));
  }

  #stack(cwd: string | undefined, flags: Layer | undefined): Stack {
    const { codexHome } = this.#options;
    const systemFile = path.join(this.systemDir, "config.toml");
    const user = (): Layer => fileLayer(this.files, this.userFile, { type: "user", file: this.userFile, profile: null });
    const system = fileLayer(this.files, systemFile, { type: "system", file: systemFile });
    const base = this.#options.ignoreUserFile === true ? [system] : [system, user()];
    const strong = [...(flags === undefined ? [] : [flags]), ...this.#managed()];
    const profile = this.#profile(this.#merged("base", [...base, ...strong]));
    const own = [...base, ...(profile === undefined ? [] : [profile])];
    const merged = this.#merged("own", [...own, ...strong]);
    if (cwd === undefined)
      return {
        layers: [...own, ...strong],
        own: merged,
        project: { root: codexHome, repository: codexHome, folders: [], trust: undefined },
        rules: [],
        accepted: nothing,
      };
    const project = findProject(cwd, list(merged, "project_root_markers") ?? [".git"], merged["projects"], this.files.look);
    const rules = this.#rules(project);
    const isTrusted = project.trust === "trusted";
    if (isTrusted) this.#firstLook(project, rules);
    const accepted = isTrusted ? this.#trust.accepted(project.repository) : nothing;
    return { layers: [...own, ...this.#projectLayers(project, merged, accepted), ...strong], own: merged, project, rules, accepted };
  }

  /** Layers are the same objects as long as their files are unchanged. */
  #merged(which: string, layers: readonly Layer[]): TomlTable {
    const known = this.#merges.get(which);
    if (known !== undefined && sameItems(known.layers, layers)) return known.merged;
    const merged = mergeStack(layers);
    this.#merges.set(which, { layers, merged });
    return merged;
  }

  /** Each file is compared with the user's own settings and the project's files above it. */
  #projectLayers(project: Project, own: TomlTable, accepted: Digests): Layer[] {
    const places = this.#projectFiles(project);
    if (project.trust !== "trusted")
      return places.map((place) => untrustedLayer(place, this.#whyOff(project))).filter((layer) => layer !== undefined);
    const layers: Layer[] = [];
    for (const place of places) {
      const text = projectText(place);
      if (text === undefined) continue;
      const above = layers.reduce<TomlTable>((merged, layer) => mergeTables(merged, layer.config), own);
      layers.push(projectLayer(place, text, { own: above, accepted }));
    }
    return layers;
  }

  #projectFiles(project: Project): ProjectFile[] {
    const home = realPath(this.#options.codexHome);
    return project.folders
      .map((folder) => path.join(folder, ".codex"))
      .filter((dotCodex) => dotCodex !== home)
      .map((dotCodex) => ({ files: this.files, root: project.root, dotCodex }));
  }

  /** Commands were never able to write files at the root; files below it must be accepted by name. */
  #firstLook(project: Project, rules: readonly Waiting[]): void {
    this.#trust.firstLook(project.repository, "settings", () => {
      const atRoot = this.#projectFiles(project).find(({ dotCodex }) => path.dirname(dotCodex) === project.root);
      const settings = atRoot === undefined ? undefined : projectText(atRoot)?.waiting;
      return digestsOf([...(settings === undefined ? [] : [settings]), ...rules]);
    });
  }

  #rules({ root, trust }: Project): Waiting[] {
    if (trust !== "trusted") return [];
    const folder = path.join(root, ".codex", "rules");
    this.files.look(folder, folderStamp);
    const rules = [...namesOf(folder)].filter((name) => name.endsWith(".rules"));
    const files = [...rules.sort().map((name) => path.join(folder, name)), ...this.#rolesIn(path.join(root, ".codex", "agents"))];
    return files.flatMap((file) => {
      const content = readAnyhow(this.files, file); // an unreadable one is reported by its readers
      if (content === undefined) return [];
      const what = { name: path.relative(root, file), file, what: [isRole(file) ? "the agent it describes" : "what it allows"] };
      return [this.files.derive(content, `rules\0${file}`, (): Waiting => ({ ...what, digest: digestOf(content.text) }))];
    });
  }

  /** Everything of a folder's project that waits for the user's consent. */
  waiting(cwd: string): { readonly project: Project; readonly waiting: readonly Waiting[] } {
    const { project, rules, accepted } = this.stack(cwd);
    if (project.trust !== "trusted") return { project, waiting: [] };
    const settings = this.#projectFiles(project).flatMap((place) => projectText(place)?.waiting ?? []);
    return { project, waiting: [...settings, ...rules].filter(({ name, digest }) => accepted[name] !== digest) };
  }

  #whyOff({ root, trust }: Project): string {
    const who = trust === "untrusted" ? "the user does not trust" : "the user has not yet trusted";
    const fix = `projects.${JSON.stringify(root)}.trust_level = "trusted" in ${this.userFile}`;
    return `${who} ${root}; to use its settings, set ${fix}`;
  }

  #profile(merged: TomlTable): Layer | undefined {
    const name = text(merged, "profile");
    if (name === undefined) return undefined;
    const profiles = tableAt(merged, "profiles");
    const entry = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
    const file = path.join(this.#options.codexHome, `${name}.config.toml`);
    if (/^[A-Za-z0-9_-]+$/.test(name) && this.files.read(file) !== undefined)
      return fileLayer(this.files, file, { type: "user", file, profile: name });
    if (!isTable(entry)) throw invalidRequest(`config profile \`${name}\` not found; add [profiles.${name}] or the file ${file}`);
    const source: ConfigLayerSource = { type: "user", file: this.userFile, profile: name };
    return this.#remembered(`profile:${name}:${JSON.stringify(entry)}`, () =>
      makeLayer(source, entry, `${this.userFile}: profiles.${name}`, this.#options.codexHome),
    );
  }

  #managed(): Layer[] {
    const file = path.join(this.systemDir, "managed_config.toml");
    if (this.files.read(file) === undefined) return [];
    return [fileLayer(this.files, file, { type: "legacyManagedConfigTomlFromFile", file })];
  }

  #flagsLayer(cwd: string, overrides: Readonly<Record<string, unknown>>): Layer | undefined {
    const cli = this.#options.cliOverrides ?? {};
    if (Object.keys(cli).length === 0 && Object.keys(overrides).length === 0) return undefined;
    return this.#remembered(`flags:${cwd}:${JSON.stringify(overrides)}`, () =>
      flagsLayer(mergeTables(cli, overridesTable(overrides)), cwd),
    );
  }

  #remembered(key: string, make: () => Layer): Layer {
    const layer = this.#flags.get(key) ?? make();
    this.#flags.set(key, layer);
    dropOldest(this.#flags);
    return layer;
  }
  #remember(key: string, entry: Made): void {
    this.#made.set(key, entry);
    dropOldest(this.#made);
  }
  #filesUnchanged(read: readonly unknown[]): boolean {
    return read.every((entry) => isTable(entry) && readAnyhow(this.files, String(entry["file"])) === entry["content"]);
  }
}

/** The keys of a request's settings, and of the profile that it names. */
function requestedKeys(request: TomlTable, layers: readonly Layer[]): readonly string[] {
  const isProfile = ({ source }: Layer): boolean => source.type === "user" && typeof source.profile === "string";
  const profiles = Object.hasOwn(request, "profile") ? layers.filter(isProfile).map(({ config }) => config) : [];
  return [request, ...profiles].flatMap((table) =>
    Object.entries(table).flatMap(([key, value]) => [key, ...(isTable(value) ? Object.keys(value).map((inner) => `${key}.${inner}`) : [])]),
  );
}

const isRole = (file: string): boolean => file.endsWith(".toml");
const nothing: Digests = Object.freeze({});
const noPlugins: FoundPlugins = Object.freeze({ plugins: [], warnings: [] });
export const digestsOf = (waiting: readonly Waiting[]): Digests => Object.fromEntries(waiting.map(({ name, digest }) => [name, digest]));

const warningsOf = (layer: Layer): readonly string[] =>
  layer.disabledReason === undefined ? layer.warnings : [`project settings are off: ${layer.disabledReason}`];

/** Features under development may change without notice; enabling one causes a warning, unless that is suppressed. */
function unstableWarnings(raw: TomlTable): string[] {
  if (bool(raw, "suppress_unstable_features_warning") === true) return [];
  const on = Object.entries(featuresFrom(raw)).filter(([name, enabled]) => enabled && featureRows[name]?.stage === "underDevelopment");
  return on.map(([name]) => `features.${name} is under development; set suppress_unstable_features_warning = true to hide this`);
}

const remembered = 128;
function dropOldest(map: Map<string, unknown>): void {
  const [oldest] = map.keys();
  if (map.size > remembered && oldest !== undefined) map.delete(oldest);
}

const sameItems = (a: readonly unknown[], b: readonly unknown[]): boolean => a.length === b.length && a.every((item, i) => item === b[i]);
