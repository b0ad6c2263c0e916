/** What a plugin's folder provides: skill folders, MCP servers and hooks, as its manifest says or in the default locations. */
import path from "node:path";
import type { PluginHooks } from "../core/ports/plugins.ts";
import { isRecord } from "../lib/is-record.ts";
import { setOwn } from "../lib/toml.ts";
import { agentServers, type PluginPlaces } from "./agent-plugin.ts";
import { PluginProblem, shown } from "./id.ts";
import { kindOf, type Manifest, readJson, textAt } from "./manifest.ts";

type Table = Readonly<Record<string, unknown>>;

export interface Provided {
  readonly skillFolders: readonly string[];
  readonly mcpServers: Readonly<Record<string, Table>>;
  readonly hooks: readonly PluginHooks[];
  readonly warnings: readonly string[];
}

const maxServers = 50;

/** Never throws: unreadable parts become warnings. */
export function providedBy(root: string, manifest: Manifest, data: string): Provided {
  const warnings = [...manifest.warnings];
  return {
    skillFolders: skillFolders(root, manifest, warnings),
    mcpServers: mcpServers({ root, data }, manifest, warnings),
    hooks: hooksOf(root, manifest, warnings),
    warnings,
  };
}

function skillFolders(root: string, manifest: Manifest, warnings: string[]): string[] {
  const usual = path.join(root, "skills");
  const named = manifest.skills ?? (kindOf(usual) === "folder" ? [usual] : []);
  const missing = named.filter((folder) => kindOf(folder) !== "folder");
  for (const folder of missing) warnings.push(`${manifest.file}: skills: there is no folder ${folder}`);
  // Codex turns a plugin's commands into skills when it installs it.
  const commands = path.join(root, ".codex-plugin", "migrated-command-skills");
  const all = [...named.filter((folder) => !missing.includes(folder)), ...(kindOf(commands) === "folder" ? [commands] : [])];
  return [...new Set(all)].sort();
}

function mcpServers(places: PluginPlaces, manifest: Manifest, warnings: string[]): Record<string, Table> {
  const { root } = places;
  const found: Record<string, Table> = {};
  try {
    const { file, servers } = manifest.isAgentPlugin ? sharedServers(places, warnings) : serversIn(root, manifest);
    for (const [name, entry] of Object.entries(servers)) {
      if (Object.keys(found).length === maxServers) {
        warnings.push(`${file}: only the first ${maxServers} MCP servers count`);
        break;
      }
      if (isRecord(entry)) setOwn(found, name, serverEntry(entry, { root, where: `${file}: ${shown(name)}`, warnings }));
      else warnings.push(`${file}: ${shown(name)}: expected an object`);
    }
  } catch (error) {
    warnings.push(error instanceof PluginProblem ? error.message : String(error));
  }
  return found;
}

function sharedServers(places: PluginPlaces, warnings: string[]): { file: string; servers: Table } {
  const file = path.join(places.root, "mcp.json");
  return { file, servers: kindOf(file) === undefined ? {} : agentServers(readJson(file), file, places, warnings) };
}

function serversIn(root: string, manifest: Manifest): { file: string; servers: Table } {
  const { mcpServers: given } = manifest;
  if (given !== undefined && typeof given !== "string") return { file: manifest.file, servers: given };
  const file = given ?? path.join(root, ".mcp.json");
  if (given === undefined && kindOf(file) !== "file") return { file, servers: {} };
  const value = readJson(file);
  if (!isRecord(value)) throw new PluginProblem(`${file}: expected an object with the key \`mcpServers\``);
  return { file, servers: isRecord(value["mcpServers"]) ? value["mcpServers"] : value };
}

/** Settings reserved to the user: a plugin cannot approve its own tools, or keep threads from starting. */
const userOnlyKeys = new Set(["approval", "default_tools_approval_mode", "tools", "required"]);

function serverEntry(entry: Table, { root, where, warnings }: { root: string; where: string; warnings: string[] }): Table {
  const kept: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(entry)) {
    if (key === "type") continue;
    if (userOnlyKeys.has(key)) warnings.push(`${where}: \`${key}\` is left out; set it in your own settings, for the plugin's server`);
    else setOwn(kept, key, value);
  }
  const cwd = textAt(kept, "cwd");
  const oauth = isRecord(kept["oauth"]) ? kept["oauth"] : undefined;
  const clientId = oauth === undefined ? undefined : (textAt(oauth, "client_id") ?? textAt(oauth, "clientId"));
  return {
    ...kept,
    ...(cwd === undefined ? {} : { cwd: path.resolve(root, cwd) }),
    ...(clientId === undefined ? {} : { oauth: { ...oauth, client_id: clientId } }),
  };
}

function hooksOf(root: string, manifest: Manifest, warnings: string[]): PluginHooks[] {
  const usual = path.join(root, "hooks", "hooks.json");
  const given = manifest.hooks ?? (kindOf(usual) === "file" ? [usual] : []);
  return given.flatMap((entry, index) => {
    try {
      const isFile = typeof entry === "string";
      const file = isFile ? entry : manifest.file;
      const value = isFile ? readJson(entry) : entry;
      if (!isRecord(value) || !isRecord(value["hooks"])) throw new PluginProblem(`${file}: expected an object with the key \`hooks\``);
      const name = isFile ? path.relative(root, entry).split(path.sep).join("/") : `plugin.json#hooks[${index}]`;
      return [{ file, name, events: value["hooks"] }];
    } catch (error) {
      warnings.push(error instanceof PluginProblem ? error.message : String(error));
      return [];
    }
  });
}
