/** The layers of settings, weakest first: their source, content and version. */
import { homedir } from "node:os";
import path from "node:path";
import type { Digests } from "../core/ports/project-trust.ts";
import { problem } from "../lib/schema.ts";
import { isTable, parseToml, setOwn, TomlSyntaxError, type TomlTable } from "../lib/toml.ts";
import type { ConfigLayerSource } from "../protocol/config.ts";
import { invalidRequest } from "../protocol/errors.ts";
import { featureAliases, featureRows, foreignFeatures } from "./features.ts";
import type { FileCache } from "./file-cache.ts";
import { keysWithoutEffect, schemaFor, table, unknownKeys } from "./key.ts";
import { configKeys, foreignKeys, keysNotHonoured, notFromProjects } from "./keys.ts";
import { digestOf } from "./project-trust.ts";
import { boundPart, namesOf, type Split, splitWidening } from "./widening.ts";

export interface Layer {
  readonly source: ConfigLayerSource;
  /** Validated against the keys; relative paths made absolute. */
  readonly config: TomlTable;
  /** Computed on demand: digests need node:crypto, which startup can do without. */
  readonly version: () => string;
  /** Shown to the user, but without effect. */
  readonly disabledReason: string | undefined;
  readonly warnings: readonly string[];
}

const nothing = Object.freeze({ text: "" });

/** The layer of one file; empty when the file is missing. Throws invalidRequest that names the file and the key. */
export function fileLayer(files: FileCache, file: string, source: ConfigLayerSource): Layer {
  const content = files.read(file) ?? nothing;
  return files.derive(content, JSON.stringify(source), () => makeLayer(source, parseFile(content.text, file), file));
}

/** The part of a project's file that needs the user's consent, for `parley trust` and for the warning. */
export interface Waiting {
  /** Relative to the project's root; the same in every worktree. */
  readonly name: string;
  readonly file: string;
  readonly digest: string;
  /** The settings, or a marker for the entire file. */
  readonly what: readonly string[];
}

export interface ProjectFile {
  readonly files: FileCache;
  readonly root: string;
  readonly dotCodex: string;
}

/** A project's layer while the user does not trust it: it is not even parsed, so that its text can neither take effect nor refuse a thread. */
export function untrustedLayer({ files, dotCodex }: ProjectFile, disabledReason: string): Layer | undefined {
  const content = readAnyhow(files, path.join(dotCodex, "config.toml"));
  if (content === undefined) return undefined;
  const source: ConfigLayerSource = { type: "project", dotCodexFolder: dotCodex };
  return files.derive(content, `${dotCodex}\0${disabledReason}`, () => disabledLayer(source, content.text, disabledReason));
}

interface ProjectText {
  readonly config: TomlTable;
  readonly warnings: readonly string[];
  /** Undefined when nothing in it needs the user's consent. */
  readonly waiting: Waiting | undefined;
}

/** A trusted project's settings, without those that no project may set. */
export function projectText({ files, root, dotCodex }: ProjectFile): ProjectText | undefined {
  const file = path.join(dotCodex, "config.toml");
  const content = files.read(file);
  if (content === undefined) return undefined;
  return files.derive(content, `text\0${file}`, () => {
    const parsed = parseFile(content.text, file);
    const refused = Object.keys(parsed).filter((key) => notFromProjects.has(key));
    const config = Object.fromEntries(Object.entries(parsed).filter(([key]) => !notFromProjects.has(key)));
    const bound = boundPart(config);
    const waiting = { name: path.relative(root, file), file, digest: digestOf(canonical(bound)), what: namesOf(bound) };
    return {
      config,
      warnings: refused.map((key) => `${file}: \`${key}\` is ignored in a project's config`),
      waiting: Object.keys(bound).length === 0 ? undefined : waiting,
    };
  });
}

/** An unreadable file shows as an empty table: it may be a pipe or endless, and must not refuse a thread either. */
export function readAnyhow(files: FileCache, file: string): { readonly text: string } | undefined {
  try {
    return files.read(file);
  } catch {
    return nothing;
  }
}

/** The layer of a trusted project's file. Widening settings other than the accepted version have no effect; narrowing ones apply at once. */
export function projectLayer(project: ProjectFile, text: ProjectText, { own, accepted }: { own: TomlTable; accepted: Digests }): Layer {
  const { files, dotCodex, root } = project;
  const file = path.join(dotCodex, "config.toml");
  const { config, warnings, waiting } = text;
  const isAccepted = waiting === undefined || accepted[waiting.name] === waiting.digest;
  const split: Split = isAccepted ? { free: config, widening: {} } : splitWidening(config, own);
  return files.derive(text, JSON.stringify([root, split]), () => {
    const layer = makeLayer({ type: "project", dotCodexFolder: dotCodex }, split.free, file);
    const voids = namesOf(split.widening);
    const ignored = voids.length === 0 ? [] : [voidText(file, voids, path.dirname(dotCodex))];
    return { ...layer, warnings: [...layer.warnings, ...warnings, ...ignored] };
  });
}

/** One sentence for everything of a project that waits for the user's consent. */
export const voidText = (file: string, what: readonly string[], folder: string): string =>
  `${file}: ${what.join(", ")} ${what.length === 1 ? "is" : "are"} not in force: new, or changed since you accepted it; look at the file and run \`parley trust\` in ${folder} to use it`;

function disabledLayer(source: ConfigLayerSource, text: string, disabledReason: string): Layer {
  let config: TomlTable = {};
  try {
    config = parseToml(text);
  } catch {
    // Shown to the user only; a broken text shows as an empty table.
  }
  return { source, config, version: versionLater(config), disabledReason, warnings: [] };
}

/** The layer of `-c` flags and of a request's own settings. */
export const flagsLayer = (config: TomlTable, cwd: string): Layer =>
  makeLayer({ type: "sessionFlags" }, config, "command line or request", cwd);

/** Each one is a message to every client. */
const mostNamed = 50;
const shortKey = (key: string): string => (key.length > 200 ? `${key.slice(0, 200)}…` : key);

export function makeLayer(source: ConfigLayerSource, config: TomlTable, where: string, base = path.dirname(where)): Layer {
  const wrong = problemOf(config);
  if (wrong !== undefined) throw invalidRequest(`invalid configuration in ${where}: ${wrong}`);
  const unknown = [...unknownKeys(all, config).filter((key) => !isForeign(key)), ...unknownFeatures(config)];
  const idle = [...keysWithoutEffect(all, config), ...unknownKeys(all, config).filter((key) => keysNotHonoured.has(bareKey(key)))];
  const absolute = absolutePaths(config, base);
  return {
    source,
    config: absolute,
    version: versionLater(absolute),
    disabledReason: undefined,
    warnings: [
      ...unknown.slice(0, mostNamed).map((key) => `${where}: unknown key \`${shortKey(key)}\` is ignored`),
      ...(unknown.length > mostNamed ? [`${where}: ${unknown.length - mostNamed} more unknown keys are ignored`] : []),
      ...idleExporters(absolute).map((key) => `${where}: \`${key}\`: only { otlp-http = { … } } and "none" are known; nothing is sent`),
      ...(idle.length === 0 ? [] : [`${where}: no effect here: ${idle.map((key) => `\`${key}\``).join(", ")}`]),
    ],
  };
}

/** Metrics are exported over HTTP only. */
function idleExporters({ otel }: TomlTable): string[] {
  if (!isTable(otel)) return [];
  const isIdle = (exporter: unknown): boolean =>
    exporter !== undefined && exporter !== "none" && !(isTable(exporter) && isTable(exporter["otlp-http"]));
  return ["exporter", "trace_exporter", "metrics_exporter"].filter((key) => isIdle(otel[key])).map((key) => `otel.${key}`);
}

const bareKey = (key: string): string => key.replace(/^profiles\.(?:"(?:[^"\\]|\\.)*"|[^.]+)\./, "");

/** Profiles may contain foreign keys too, and agent roles may have any name. */
function isForeign(key: string): boolean {
  const bare = bareKey(key);
  return foreignKeys.has(bare) || keysNotHonoured.has(bare) || /^agents\.[^.]+$/.test(bare);
}

/** A disabled one is off here in any case: no warning needed. */
function unknownFeatures(config: TomlTable): string[] {
  const features = isTable(config["features"]) ? config["features"] : {};
  return Object.keys(features)
    .filter((name) => features[name] !== false)
    .filter((name) => !Object.hasOwn(featureRows, name) && !Object.hasOwn(featureAliases, name) && !foreignFeatures.has(name))
    .map((name) => `features.${name}`);
}

function parseFile(text: string, file: string): TomlTable {
  try {
    return parseToml(text);
  } catch (error) {
    if (!(error instanceof TomlSyntaxError)) throw error;
    throw invalidRequest(`invalid configuration in ${file}: line ${error.line}, column ${error.column}: ${error.message}`);
  }
}

const all = table("", configKeys);
/** The validation error, with the key's path; undefined when there is none. */
export const problemOf = (config: TomlTable): string | undefined => problem(schemaFor(all, config), config);

/** The digest of a layer's value: comments and order do not count, so editing a comment is no conflict. */
function versionLater(config: TomlTable): () => string {
  let version: string | undefined;
  return () => {
    version ??= versionOf(config);
    return version;
  };
}
const versionOf = (config: TomlTable): string => digestOf(canonical(config));

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (!isTable(value)) return JSON.stringify(value) ?? "null";
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join(",")}}`;
}

const pathKeys = [
  "model_instructions_file",
  "experimental_instructions_file",
  "experimental_compact_prompt_file",
  "model_catalog_json",
  "log_dir",
];

/** Relative paths are resolved against the folder of the file that names them; `~/` against the user's home. */
function absolutePaths(config: TomlTable, base: string): TomlTable {
  const copy: TomlTable = { ...config };
  for (const key of pathKeys) if (typeof copy[key] === "string") copy[key] = absolutePath(copy[key], base);
  const roots = copy["sandbox_workspace_write"];
  if (isTable(roots) && Array.isArray(roots["writable_roots"]))
    copy["sandbox_workspace_write"] = { ...roots, writable_roots: roots["writable_roots"].map((root) => absolutePath(String(root), base)) };
  const profiles = copy["profiles"];
  if (isTable(profiles)) {
    const inner: TomlTable = {};
    for (const [name, profile] of Object.entries(profiles)) setOwn(inner, name, isTable(profile) ? absolutePaths(profile, base) : profile);
    copy["profiles"] = inner;
  }
  return copy;
}

function absolutePath(file: string, base: string): string {
  if (file === "~" || file.startsWith("~/")) return path.join(homedir(), file.slice(1));
  return path.resolve(base, file);
}
