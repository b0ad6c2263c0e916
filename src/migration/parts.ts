/** What can be moved from another agent, one row per kind: how it is found, and how it is imported. */
import { existsSync, mkdirSync, rmSync } from "node:fs";
import path from "node:path";
import type { SessionLimits } from "../core/ports/migration.ts";
import { createFileSync } from "../lib/durable-write.ts";
import { isRecord } from "../lib/is-record.ts";
import type { ConfigEdit } from "../protocol/config.ts";
import type { ExternalAgentConfigMigrationItemType, MigrationDetails } from "../protocol/external-agent.ts";
import { entriesIn, readDocument, readSettings, readText, readTree } from "./foreign-files.ts";
import { hookFile, serversFrom, settingsFrom } from "./foreign-settings.ts";
import type { Place } from "./places.ts";

export interface Moved {
  readonly source: string;
  readonly target: string;
  readonly title?: string;
}

/** The user's settings: which keys are set, and writing some. */
export interface OwnSettings {
  readonly file: string;
  has(keyPath: readonly string[]): boolean;
  write(edits: readonly ConfigEdit[]): void;
}

export interface Part {
  readonly type: ExternalAgentConfigMigrationItemType;
  /** What is there and not yet here; undefined if nothing is. */
  find(
    place: Place,
    own: OwnSettings,
    limits?: SessionLimits,
  ): { readonly description: string; readonly details?: MigrationDetails } | undefined;
  /** Each thing is moved or throws by itself: `each` runs one and keeps its result. */
  move(place: Place, own: OwnSettings, each: (source: string, run: () => Moved | Promise<Moved>) => Promise<void>): Promise<void>;
}

const named = (names: readonly string[]): { name: string }[] => names.map((name) => ({ name }));
const noDetails = { plugins: [], skills: [], sessions: [], mcpServers: [], hooks: [], subagents: [], commands: [] };

const config: Part = {
  type: "CONFIG",
  find(place, own) {
    if (place.cwd !== null || missingSettings(place, own).length === 0) return undefined;
    return { description: `Migrate ${path.join(place.source, "settings.json")} into ${own.file}` };
  },
  async move(place, own, each) {
    const source = path.join(place.source, "settings.json");
    await each(source, () => {
      own.write(missingSettings(place, own));
      return { source, target: own.file };
    });
  },
};
const missingSettings = (place: Place, own: OwnSettings): ConfigEdit[] =>
  settingsFrom(readSettings(path.join(place.source, "settings.json")))
    .filter(([key]) => !own.has(key))
    .map(([key, value]) => ({ keyPath: key.join("."), value, mergeStrategy: "replace" }));

const agentsMd: Part = {
  type: "AGENTS_MD",
  find(place) {
    const source = place.instructions.find((file) => readText(file) !== undefined);
    return source === undefined || existsSync(place.agentsMd) ? undefined : { description: `Migrate ${source} to ${place.agentsMd}` };
  },
  async move(place, _own, each) {
    const source = place.instructions.find((file) => readText(file) !== undefined) ?? place.instructions[0] ?? "";
    await each(source, () => {
      const text = readText(source);
      if (text === undefined) throw new Error(`${source} cannot be read`);
      createFileSync(place.agentsMd, text, { mode: 0o644 });
      return { source, target: place.agentsMd };
    });
  },
};

/** Folders with a SKILL.md that do not exist here. */
const newSkills = ({ source, skills }: Place): readonly string[] =>
  entriesIn(path.join(source, "skills"), "folder").filter(
    (name) => !existsSync(path.join(skills, name)) && readText(path.join(source, "skills", name, "SKILL.md")) !== undefined,
  );

const skills: Part = {
  type: "SKILLS",
  find(place) {
    const found = newSkills(place);
    if (found.length === 0) return undefined;
    return {
      description: `Migrate skills from ${path.join(place.source, "skills")} to ${place.skills}`,
      details: { ...noDetails, skills: named(found) },
    };
  },
  async move(place, _own, each) {
    for (const name of newSkills(place))
      await each(name, () => copySkill(path.join(place.source, "skills", name), path.join(place.skills, name), name));
  },
};

/** All of it or nothing: everything is read first, and a copy that fails is removed. */
function copySkill(source: string, target: string, name: string): Moved {
  const files = readTree(source);
  mkdirSync(path.dirname(target), { recursive: true });
  mkdirSync(target); // throws if it has come meanwhile
  try {
    for (const file of files) createFileSync(path.join(target, file.name), file.bytes, { mode: 0o644 });
  } catch (error) {
    rmSync(target, { recursive: true, force: true });
    throw error;
  }
  return { source: name, target: name };
}

const commandName = (file: string): string => `source-command-${path.basename(file, ".md")}`;
const newCommands = ({ source, skills }: Place): readonly string[] =>
  entriesIn(path.join(source, "commands"), "file").filter(
    (file) =>
      file.endsWith(".md") &&
      !existsSync(path.join(skills, commandName(file))) &&
      readDocument(path.join(source, "commands", file))?.body !== undefined,
  );

const commands: Part = {
  type: "COMMANDS",
  find(place) {
    const found = newCommands(place);
    if (found.length === 0) return undefined;
    return {
      description: `Migrate commands from ${path.join(place.source, "commands")} to ${place.skills}`,
      details: { ...noDetails, commands: named(found.map(commandName)) },
    };
  },
  async move(place, _own, each) {
    for (const file of newCommands(place))
      await each(commandName(file), () => {
        const name = commandName(file);
        createFileSync(path.join(place.skills, name, "SKILL.md"), skillOf(name, path.join(place.source, "commands", file)), {
          mode: 0o644,
        });
        return { source: name, target: name };
      });
  },
};

function skillOf(name: string, file: string): string {
  const document = readDocument(file);
  if (document === undefined) throw new Error(`${file} cannot be read`);
  const description = document.head["description"] ?? `The command /${path.basename(file, ".md")}, moved from another agent`;
  const note = document.body.includes("$ARGUMENTS")
    ? "\n\n`$ARGUMENTS` above stands for what the user writes after the command's name."
    : "";
  return `---\nname: ${name}\ndescription: ${JSON.stringify(description)}\n---\n\n${document.body}${note}\n`;
}

const newAgents = ({ source, agents }: Place): readonly string[] =>
  entriesIn(path.join(source, "agents"), "file").filter((file) => {
    if (!file.endsWith(".md") || file === "README.md" || existsSync(path.join(agents, agentFile(file)))) return false;
    const document = readDocument(path.join(source, "agents", file));
    return document?.head["name"] !== undefined && document.head["description"] !== undefined && document.body !== "";
  });
const agentFile = (file: string): string => `${path.basename(file, ".md")}.toml`;

const subagents: Part = {
  type: "SUBAGENTS",
  find(place) {
    const found = newAgents(place);
    if (found.length === 0) return undefined;
    return {
      description: `Migrate subagents from ${path.join(place.source, "agents")} to ${place.agents}`,
      details: { ...noDetails, subagents: named(found.map((file) => path.basename(file, ".md"))) },
    };
  },
  async move(place, _own, each) {
    for (const file of newAgents(place))
      await each(path.basename(file, ".md"), () => {
        const target = path.join(place.agents, agentFile(file));
        createFileSync(target, roleOf(path.join(place.source, "agents", file)), { mode: 0o644 });
        return { source: path.basename(file, ".md"), target };
      });
  },
};

/** JSON strings are TOML strings. The sandbox can only be narrowed: another agent's wider mode is not taken over. */
function roleOf(file: string): string {
  const document = readDocument(file);
  if (document === undefined) throw new Error(`${file} cannot be read`);
  const { name = "", description = "", permissionMode } = document.head;
  const rows = {
    name,
    description,
    developer_instructions: document.body,
    ...(permissionMode === "readOnly" ? { sandbox_mode: "read-only" } : {}),
  };
  return Object.entries(rows)
    .map(([key, value]) => `${key} = ${tomlString(value)}\n`)
    .join("");
}
const tomlString = (text: string): string => JSON.stringify(text).replaceAll("\u007f", "\\u007F");

const hooks: Part = {
  type: "HOOKS",
  find(place) {
    const file = hookFile(settingsFiles(place));
    if (Object.keys(file).length === 0 || existsSync(place.hooks)) return undefined;
    return {
      description: `Migrate hooks from ${place.source} to ${place.hooks}`,
      details: { ...noDetails, hooks: named(Object.keys(file)) },
    };
  },
  async move(place, _own, each) {
    await each(place.source, () => {
      const file = hookFile(settingsFiles(place));
      if (Object.keys(file).length === 0) throw new Error(`${place.source} has no hooks that can be imported`);
      createFileSync(place.hooks, `${JSON.stringify({ hooks: file }, undefined, 2)}\n`);
      return { source: place.source, target: place.hooks, title: "not trusted yet: see `parley hooks`" };
    });
  },
};
const settingsFiles = ({ source }: Place): readonly Readonly<Record<string, unknown>>[] =>
  ["settings.json", "settings.local.json"].map((name) => readSettings(path.join(source, name)));

/** Beside the agent's folder lies the file with its MCP servers. */
const newServers = (place: Place, own: OwnSettings): readonly (readonly [string, Readonly<Record<string, unknown>>])[] =>
  place.cwd === null ? serversFrom(readSettings(`${place.source}.json`)).filter(([name]) => !own.has(["mcp_servers", name])) : [];

const servers: Part = {
  type: "MCP_SERVER_CONFIG",
  find(place, own) {
    const found = newServers(place, own);
    if (found.length === 0) return undefined;
    return {
      description: `Migrate MCP servers from ${place.source}.json into ${own.file}`,
      details: { ...noDetails, mcpServers: named(found.map(([name]) => name)) },
    };
  },
  async move(place, own, each) {
    for (const [name, server] of newServers(place, own))
      await each(name, () => {
        own.write([{ keyPath: `mcp_servers.${JSON.stringify(name)}`, value: { ...server, enabled: false }, mergeStrategy: "replace" }]);
        return { source: name, target: own.file, title: "switched off: set enabled = true once you trust it" };
      });
  },
};

export const parts: readonly Part[] = [config, skills, commands, agentsMd, servers, subagents, hooks];

/** The names that a client has kept of an item's details; undefined means all. */
export function chosenNames(details: MigrationDetails | null | undefined): ReadonlySet<string> | undefined {
  if (details === null || details === undefined) return undefined;
  const { skills = [], commands = [], mcpServers = [], subagents = [], sessions = [], plugins = [] } = details;
  const names = [...skills, ...commands, ...mcpServers, ...subagents].filter(isRecord).map(({ name }) => String(name));
  const files = sessions.map((session) => session.path);
  const ids = plugins.flatMap(({ marketplaceName, pluginNames }) => pluginNames.map((name) => `${name}@${marketplaceName}`));
  const all = [...names, ...files, ...ids];
  return all.length === 0 ? undefined : new Set(all);
}
