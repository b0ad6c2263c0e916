/** A plugin's manifest: its description, and where in its folder the things it provides are. */
import { lstatSync } from "node:fs";
import path from "node:path";
import { readBoundedTextSync } from "../lib/bounded-read.ts";
import { errorMessage } from "../lib/error-text.ts";
import { isRecord } from "../lib/is-record.ts";
import type { PluginInterface } from "../protocol/plugin.ts";
import { asCodexManifest, isAgentManifest } from "./agent-plugin.ts";
import { nameProblem, PluginProblem, shown } from "./id.ts";

type Table = Readonly<Record<string, unknown>>;

export interface Manifest {
  readonly file: string;
  /** In the format that several vendors share, which defines servers differently. */
  readonly isAgentPlugin: boolean;
  readonly name: string;
  readonly version: string | undefined;
  readonly description: string | undefined;
  readonly keywords: readonly string[];
  /** Folders; undefined where the manifest does not say. */
  readonly skills: readonly string[] | undefined;
  /** A file, or the servers themselves. */
  readonly mcpServers: string | Table | undefined;
  /** Files, or the hooks themselves. */
  readonly hooks: readonly (string | Table)[] | undefined;
  readonly interface: PluginInterface | null;
  /** The parts that are ignored, and why. */
  readonly warnings: readonly string[];
}

const places = [".codex-plugin", ".claude-plugin", ".cursor-plugin"];
const maxManifest = 1024 * 1024;
const maxPaths = 100;

/** The manifest's file; undefined when the folder has none, or a different file under its name. */
export function findManifest(root: string): string | undefined {
  const shared = path.join(root, "plugin.json");
  const there = kindOf(shared);
  if (there !== undefined && there !== "file") return undefined;
  if (there === "file" && isAgentManifest(valueIn(shared))) return shared;
  for (const place of places) {
    const kind = kindOf(path.join(root, place));
    if (kind === undefined) continue;
    if (kind !== "folder") return undefined;
    const file = path.join(root, place, "plugin.json");
    const found = kindOf(file);
    if (found !== undefined) return found === "file" ? file : undefined;
  }
  return undefined;
}

/** Undefined when it cannot be read or is not JSON. */
function valueIn(file: string): unknown {
  try {
    return readJson(file);
  } catch {
    return undefined;
  }
}

/** Throws PluginProblem. */
export function readManifest(root: string): Manifest {
  const file = findManifest(root);
  if (file === undefined) throw new PluginProblem(`missing or invalid plugin.json in ${root}`);
  const value = readJson(file);
  const isAgentPlugin = file === path.join(root, "plugin.json") && isAgentManifest(value);
  return { ...manifestFrom(root, file, isAgentPlugin ? asCodexManifest(value, file) : value), isAgentPlugin };
}

/** Bounded, regular files only. Throws PluginProblem that names the file. */
export function readJson(file: string): unknown {
  try {
    return JSON.parse(readBoundedTextSync(file, maxManifest, { links: "refuse" }));
  } catch (error) {
    const reason = errorMessage(error);
    throw new PluginProblem(reason.startsWith(file) ? reason : `${file}: ${reason}`);
  }
}

/** `file` is its path, for messages. Throws PluginProblem. */
export function manifestFrom(root: string, file: string, value: unknown): Manifest {
  if (!isRecord(value)) throw new PluginProblem(`${file}: expected an object`);
  const warnings: string[] = [];
  const reading: Reading = { root, file, warnings };
  const name = textAt(value, "name")?.trim() || path.basename(root);
  const wrong = nameProblem(name);
  if (wrong !== undefined) throw new PluginProblem(`${file}: ${wrong}`);
  const servers = value["mcpServers"];
  return {
    file,
    isAgentPlugin: false,
    name,
    version: textAt(value, "version")?.trim() || undefined,
    description: textAt(value, "description"),
    keywords: textsAt(value, "keywords"),
    skills: value["skills"] === undefined ? undefined : pathsAt(value["skills"], "skills", reading),
    mcpServers: typeof servers === "string" ? pathsAt(servers, "mcpServers", reading)[0] : isRecord(servers) ? servers : undefined,
    hooks: value["hooks"] === undefined ? undefined : hooksAt(value["hooks"], reading),
    interface: isRecord(value["interface"]) ? interfaceFrom(value["interface"], reading) : null,
    warnings,
  };
}

interface Reading {
  readonly root: string;
  readonly file: string;
  readonly warnings: string[];
}

function hooksAt(value: unknown, reading: Reading): (string | Table)[] {
  const given: readonly unknown[] = Array.isArray(value) ? value : [value];
  return given.slice(0, maxPaths).flatMap((entry): (string | Table)[] => (isRecord(entry) ? [entry] : pathsAt(entry, "hooks", reading)));
}

function pathsAt(value: unknown, key: string, reading: Reading): string[] {
  const given: readonly unknown[] = Array.isArray(value) ? value : [value];
  return given.slice(0, maxPaths).flatMap((entry) => inside(entry, key, reading) ?? []);
}

/** A path in the manifest: `./…`, never outside the plugin's folder. */
function inside(value: unknown, key: string, { root, file, warnings }: Reading): string | undefined {
  const text = typeof value === "string" ? value : undefined;
  const isFit =
    text?.startsWith("./") === true && text.length > 2 && !text.includes("\0") && !text.split(/[/\\]/).includes("..") && text[2] !== "/";
  if (isFit) return path.join(root, text);
  const shownValue = shown(JSON.stringify(value) ?? "undefined");
  warnings.push(`${file}: ${key}: ${shownValue} is left out; paths start with \`./\` and stay in the plugin's folder`);
  return undefined;
}

const maxPrompts = 3;
const maxPrompt = 128;

function interfaceFrom(face: Table, reading: Reading): PluginInterface | null {
  const text = (key: string, other?: string): string | null =>
    textAt(face, key) ?? (other === undefined ? null : (textAt(face, other) ?? null));
  const picture = (key: string): string | null =>
    face[key] === undefined ? null : (pathsAt(face[key], `interface.${key}`, reading)[0] ?? null);
  const given = typeof face["defaultPrompt"] === "string" ? [face["defaultPrompt"]] : textsAt(face, "defaultPrompt");
  const prompts = given
    .map((prompt) => prompt.split(/\s+/).join(" ").trim())
    .filter((prompt) => prompt !== "" && prompt.length <= maxPrompt);
  const found: PluginInterface = {
    displayName: text("displayName"),
    shortDescription: text("shortDescription"),
    longDescription: text("longDescription"),
    developerName: text("developerName"),
    category: text("category"),
    capabilities: textsAt(face, "capabilities"),
    websiteUrl: text("websiteUrl", "websiteURL"),
    privacyPolicyUrl: text("privacyPolicyUrl", "privacyPolicyURL"),
    termsOfServiceUrl: text("termsOfServiceUrl", "termsOfServiceURL"),
    defaultPrompt: prompts.length === 0 ? null : prompts.slice(0, maxPrompts),
    brandColor: text("brandColor"),
    composerIcon: picture("composerIcon"),
    composerIconUrl: null,
    logo: picture("logo"),
    logoDark: picture("logoDark"),
    logoUrl: null,
    logoUrlDark: null,
    screenshots: face["screenshots"] === undefined ? [] : pathsAt(face["screenshots"], "interface.screenshots", reading),
    screenshotUrls: [],
  };
  return Object.values(found).some((value) => (Array.isArray(value) ? value.length > 0 : value !== null)) ? found : null;
}

export const textAt = (table: Table, key: string): string | undefined =>
  Object.hasOwn(table, key) && typeof table[key] === "string" ? table[key] : undefined;

export function textsAt(table: Table, key: string): string[] {
  const value = Object.hasOwn(table, key) ? table[key] : undefined;
  return Array.isArray(value) ? value.filter((item) => typeof item === "string").slice(0, maxPaths) : [];
}

/** Without following links: a link is neither. */
export function kindOf(place: string): "file" | "folder" | "other" | undefined {
  try {
    const stats = lstatSync(place);
    return stats.isFile() ? "file" : stats.isDirectory() ? "folder" : "other";
  } catch {
    return undefined;
  }
}
