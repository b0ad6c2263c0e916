/** Skills for the server and the agent: found on disk, enabled or disabled by the settings, hidden where the folder is not trusted. */
import path from "node:path";
import type { Config, ConfigStore } from "../core/ports/config.ts";
import type { ProjectTrust } from "../core/ports/project-trust.ts";
import type { ThreadSettings } from "../core/ports/settings.ts";
import type { Skills } from "../core/ports/skills.ts";
import { errorMessage } from "../lib/error-text.ts";
import { isTable } from "../lib/toml.ts";
import type { UserInput } from "../protocol/item.ts";
import type { SkillSummary } from "../protocol/plugin.ts";
import type { SkillMetadata, SkillsListEntry } from "../protocol/skills.ts";
import { unpackBundled } from "./bundled.ts";
import { isUnchanged, type Root, readText, type Scan, scanRoot } from "./scan.ts";
import { catalogueText, injectionText, linkedPaths, mentionedNames, refusalText } from "./texts.ts";
import { FolderWatch } from "./watch.ts";

export interface SkillsOptions {
  readonly codexHome: string;
  /** The user's home folder, whose `.agents/skills` counts too. */
  readonly userHome: string;
  /** The folder of the machine's own skills, in `skills`. */
  readonly systemDir: string;
  readonly config: ConfigStore;
  /** The project skills that the user has accepted. */
  readonly projectTrust: ProjectTrust;
}

export function createSkills(options: SkillsOptions): Skills {
  return new LocalSkills(options);
}

interface Found {
  readonly skills: SkillMetadata[];
  readonly errors: SkillsListEntry["errors"];
  /** Project skills that the user has not accepted: path → their name in the record, and their digest. */
  readonly waiting: Readonly<Record<string, readonly [name: string, digest: string]>>;
  readonly onlyNamed: ReadonlySet<string>;
}

/** What was found in a folder whose project has no skills of its own: what the user has accepted of those is looked up each time. */
interface Last {
  readonly cwd: string;
  readonly config: Config;
  readonly extraRoots: readonly string[];
  readonly folders: readonly string[];
  readonly scans: readonly Scan[];
  readonly found: Found;
  readonly catalogue: string | undefined;
}

const waitingReason = "it is new, or changed since you accepted it; look at it and run `parley trust` in its project to use it";
const waitingError = (file: string): SkillsListEntry["errors"][number] => ({ path: file, message: `not in force: ${waitingReason}` });

/** The listing order: nearest first. */
const scopes = ["repo", "user", "system", "admin"] as const;

class LocalSkills implements Skills {
  readonly #options: SkillsOptions;
  readonly #scans = new Map<string, Promise<Scan>>();
  readonly #listeners = new Set<() => void>();
  readonly #watch = new FolderWatch(() => this.#announce());
  #extraRoots: readonly string[] = [];
  /** What was found last, and in what: nearly every turn finds the same. */
  #last: Last | undefined;
  #unpacked: Promise<void> | undefined;

  constructor(options: SkillsOptions) {
    this.#options = options;
  }

  async list(cwd: string, { forceReload }: { readonly forceReload: boolean }): Promise<SkillsListEntry> {
    if (forceReload) {
      this.#scans.clear();
      this.#last = undefined;
    }
    const { skills, errors } = await this.#find(cwd, this.#options.config.effective(cwd));
    return { cwd, skills, errors };
  }

  async setEnabled(skill: { readonly path: string } | { readonly name: string }, enabled: boolean): Promise<boolean> {
    const entries = this.#entriesInFile().filter((entry) =>
      "path" in skill ? entry["path"] !== skill.path : entry["name"] !== skill.name,
    );
    const meant = { name: "", path: "", ...(await this.#known(skill)), ...skill };
    // An entry is needed only where the others give a different result: one skill may be listed by path and by name.
    const value = isEnabled(meant, { skills: { config: entries } }) === enabled ? entries : [...entries, { ...skill, enabled }];
    this.#options.config.write([{ keyPath: "skills.config", value: value.length === 0 ? null : value, mergeStrategy: "replace" }]);
    const { raw } = this.#options.config.effective(this.#options.codexHome);
    return isEnabled(meant, raw);
  }

  setExtraRoots(roots: readonly string[]): void {
    this.#extraRoots = roots.map((root) => path.resolve(root));
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    this.#watch.close();
    this.#listeners.clear();
  }

  async catalogue(settings: ThreadSettings, config: Config): Promise<string | undefined> {
    if (config.features["skills"] === false || tableOf(config.raw, "skills")["include_instructions"] === false) return undefined;
    const found = await this.#find(settings.cwd, config);
    return this.#last?.found === found ? this.#last.catalogue : catalogueOf(found, config);
  }

  async injections(content: readonly UserInput[], settings: ThreadSettings, config: Config): Promise<readonly string[]> {
    const mentioned = content.flatMap((part) => (part.type === "text" ? mentionedNames(part.text) : []));
    const links = content.flatMap((part) => (part.type === "text" ? linkedPaths(part.text) : []));
    if (content.every((part) => part.type !== "skill") && mentioned.length === 0 && links.length === 0) return [];
    const found = await this.#find(settings.cwd, config);
    const { skills } = found;
    const linked = skills.filter(({ path: file }) => links.some((link) => path.resolve(settings.cwd, link) === file));
    const items = [...content.filter((part) => part.type === "skill"), ...linked];
    const chosen = new Map<string, SkillMetadata>();
    const refusals: string[] = [];
    for (const item of items) {
      const skill = skills.find((candidate) => candidate.path === path.resolve(item.path)) ?? onlyNamed(skills, item.name);
      const reason = skill === undefined ? "no such skill is installed" : refusalOf(skill, config, found);
      if (skill === undefined || reason !== undefined) refusals.push(refusalText(item.name, reason ?? ""));
      else chosen.set(skill.path, skill);
    }
    const named = new Set(items.map((item) => item.name));
    for (const name of mentioned.filter((candidate) => !named.has(candidate))) {
      const skill = onlyNamed(skills, name);
      if (skill === undefined) continue; // most words with a dollar sign are no skills
      const reason = refusalOf(skill, config, found);
      if (reason === undefined) chosen.set(skill.path, skill);
      else refusals.push(refusalText(name, reason));
    }
    return [...(await Promise.all([...chosen.values()].map((skill) => this.#injection(skill, config)))), ...refusals];
  }

  async #injection(skill: SkillMetadata, config: Config): Promise<string> {
    try {
      return injectionText(skill, await readText(skill.path, withinOf(skill.scope, config)));
    } catch (error) {
      return refusalText(skill.name, `${skill.path} ${errorMessage(error)}`);
    }
  }

  async #find(cwd: string, config: Config): Promise<Found> {
    const last = this.#last;
    if (last?.cwd === cwd && last.config === config && last.extraRoots === this.#extraRoots && last.scans.every(isUnchanged)) {
      this.#watch.add(last.folders); // one that failed is tried again
      return last.found;
    }
    return await this.#look(cwd, config);
  }

  async #look(cwd: string, config: Config): Promise<Found> {
    const extraRoots = this.#extraRoots;
    if (bundledOn(config)) {
      this.#unpacked ??= unpackBundled(path.join(this.#options.codexHome, "skills", ".system"));
      await this.#unpacked;
    }
    const roots = this.#roots(cwd, config);
    const folders = roots.map((root) => root.folder);
    this.#watch.add(folders);
    const scans = await Promise.all(roots.map((root) => this.#scan(root)));
    const byPath = new Map(scans.flatMap((scan) => scan.skills).map((skill) => [skill.path, skill]));
    const skills = [...byPath.values()]
      .map((skill) => ({ ...skill, enabled: isEnabled(skill, config.raw) }))
      .sort((a, b) => scopes.indexOf(a.scope) - scopes.indexOf(b.scope) || order(a.name, b.name) || order(a.path, b.path));
    const waiting = config.trusted ? this.#waitingAmong(skills, new Map(scans.flatMap((scan) => [...scan.digests])), config) : {};
    const errors = [...scans.flatMap((scan) => scan.errors), ...Object.keys(waiting).map(waitingError)];
    const found = { skills, errors, waiting, onlyNamed: new Set(scans.flatMap((scan) => [...scan.onlyNamed])) };
    const isProjects = skills.some(({ scope }) => scope === "repo");
    this.#last = isProjects ? undefined : { cwd, config, extraRoots, folders, scans, found, catalogue: catalogueOf(found, config) };
    return found;
  }

  /** The project's skills that the user has not accepted, by path. */
  #waitingAmong(skills: readonly SkillMetadata[], digests: ReadonlyMap<string, string>, config: Config): Found["waiting"] {
    const { projectRoot: root, repository } = config;
    const own = skills.filter(({ scope }) => scope === "repo");
    if (own.length === 0) return {};
    const entryOf = ({ path: file }: SkillMetadata): [name: string, digest: string] => [path.relative(root, file), digests.get(file) ?? ""];
    const isAtRoot = ({ path: file }: SkillMetadata): boolean => /^\.(agents|codex)[\\/]/.test(path.relative(root, file));
    const { projectTrust } = this.#options;
    projectTrust.firstLook(repository, "skills", () => Object.fromEntries(own.filter(isAtRoot).map(entryOf)));
    const accepted = projectTrust.accepted(repository);
    const waiting = own.filter((skill) => {
      const [name, digest] = entryOf(skill);
      return accepted[name] !== digest;
    });
    return Object.fromEntries(waiting.map((skill) => [skill.path, entryOf(skill)]));
  }

  async inPlugin(folder: string, { id, name, root }: Parameters<Skills["inPlugin"]>[1]): Promise<SkillSummary[]> {
    const { skills } = await scanRoot({ folder, scope: "user", within: root, plugin: { id, name } });
    const { raw } = this.#options.config.effective(this.#options.codexHome);
    return skills.map((skill) => ({
      ...{ name: skill.name, description: skill.description, shortDescription: skill.shortDescription ?? null },
      ...{ interface: skill.interface ?? null, path: skill.path, enabled: isEnabled(skill, raw) },
    }));
  }

  async waiting(cwd: string): Promise<readonly string[]> {
    return Object.keys((await this.#find(cwd, this.#options.config.effective(cwd))).waiting);
  }
  async acceptWaiting(cwd: string): Promise<void> {
    const config = this.#options.config.effective(cwd);
    const { waiting } = await this.#find(cwd, config);
    if (Object.keys(waiting).length > 0) this.#options.projectTrust.accept(config.repository, Object.fromEntries(Object.values(waiting)));
  }

  async #scan(root: Root): Promise<Scan> {
    const key = `${root.plugin?.id ?? ""}\0${root.folder}`;
    const known = await this.#scans.get(key);
    if (known !== undefined && isUnchanged(known)) return known;
    const fresh = scanRoot(root);
    this.#scans.set(key, fresh);
    return fresh;
  }

  #roots(cwd: string, config: Config): Root[] {
    const { codexHome, userHome, systemDir } = this.#options;
    const own = path.join(codexHome, "skills");
    const user = [own, path.join(userHome, ".agents", "skills"), ...this.#extraRoots].map((folder): Root => ({ folder, scope: "user" }));
    const project = foldersBetween(config.projectRoot, path.resolve(cwd))
      .flatMap((folder) => [path.join(folder, ".agents", "skills"), path.join(folder, ".codex", "skills")])
      .filter((folder) => !user.some((root) => root.folder === folder))
      .map((folder): Root => ({ folder, scope: "repo", within: config.projectRoot }));
    const system: Root[] = bundledOn(config) ? [{ folder: path.join(own, ".system"), scope: "system" }] : [];
    const plugins = config.plugins.flatMap(({ id, name, root, skillFolders }) =>
      skillFolders.map((folder): Root => ({ folder, scope: "user", within: root, plugin: { id, name } })),
    );
    return [...project, ...user, ...plugins, ...system, { folder: path.join(systemDir, "skills"), scope: "admin" }];
  }

  async #known(skill: { readonly path?: string; readonly name?: string }): Promise<SkillMetadata | undefined> {
    const cwd = process.cwd();
    const { skills } = await this.#find(cwd, this.#options.config.effective(cwd));
    return skills.find((candidate) => (skill.path === undefined ? candidate.name === skill.name : candidate.path === skill.path));
  }

  /** The user's own skill settings, without those of other layers. */
  #entriesInFile(): Record<string, unknown>[] {
    const layers = this.#options.config.read(undefined).layers ?? [];
    const user = layers.find((layer) => layer.name.type === "user" && layer.name.profile === null)?.config;
    return isTable(user) ? entriesOf(user) : [];
  }

  #announce(): void {
    for (const listener of this.#listeners) listener();
  }
}

const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const tableOf = (raw: Readonly<Record<string, unknown>>, key: string): Readonly<Record<string, unknown>> =>
  isTable(raw[key]) ? raw[key] : {};
const bundledOn = (config: Config): boolean => tableOf(tableOf(config.raw, "skills"), "bundled")["enabled"] !== false;
const withinOf = (scope: SkillMetadata["scope"], config: Config): { within?: string } =>
  scope === "repo" ? { within: config.projectRoot } : {};

function entriesOf(raw: Readonly<Record<string, unknown>>): Record<string, unknown>[] {
  const entries = tableOf(raw, "skills")["config"];
  return Array.isArray(entries) ? entries.filter(isTable) : [];
}

/** The last entry that names the skill, by path or by name, decides. */
function isEnabled(skill: { readonly path: string; readonly name: string }, raw: Readonly<Record<string, unknown>>): boolean {
  const last = entriesOf(raw).findLast((entry) =>
    entry["path"] === undefined ? entry["name"] === skill.name : entry["path"] === skill.path,
  );
  return last?.["enabled"] !== false;
}

/** Why a skill may not be used, or undefined. */
function refusalOf(skill: SkillMetadata, config: Config, { waiting }: Pick<Found, "waiting">): string | undefined {
  if (!skill.enabled) return "the user has switched it off";
  if (skill.scope === "repo" && !config.trusted) return `it belongs to the project ${config.projectRoot}, which the user has not trusted`;
  if (Object.hasOwn(waiting, skill.path)) return waitingReason;
  return undefined;
}

function catalogueOf(found: Found, config: Config): string | undefined {
  const offered = found.skills.filter(({ path: file }) => !found.onlyNamed.has(file));
  return catalogueText(offered.filter((skill) => refusalOf(skill, config, found) === undefined));
}

/** A name that two skills share refers to neither of them. */
function onlyNamed(skills: readonly SkillMetadata[], name: string): SkillMetadata | undefined {
  const found = skills.filter((skill) => skill.name === name && skill.enabled);
  return found.length === 1 ? found[0] : undefined;
}

/** From the project's root down to the folder; the folder alone when it lies elsewhere (a link, say). */
function foldersBetween(root: string, folder: string): string[] {
  const folders: string[] = [];
  for (let here = folder; ; here = path.dirname(here)) {
    folders.unshift(here);
    if (here === root) return folders;
    if (here === path.dirname(here)) return [root];
  }
}
