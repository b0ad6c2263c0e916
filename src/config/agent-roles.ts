/** Kinds of sub-agents: files in `agents/` of the home and of a trusted project, and `[agents.<name>]` of the user's settings. */
import path from "node:path";
import type { AgentRole } from "../core/ports/config.ts";
import { namesOf } from "../lib/bounded-folder.ts";
import { errorMessage } from "../lib/error-text.ts";
import { isTable, parseToml, type TomlTable } from "../lib/toml.ts";
import type { FileCache } from "./file-cache.ts";
import { readAnyhow } from "./layers.ts";
import { list, text } from "./read-value.ts";

const maxRoles = 100;
const maxText = 32 * 1024;

/** The `*.toml` files in a folder of roles, by name. */
export function roleFilesIn(folder: string): string[] {
  return [...namesOf(folder, 1000)]
    .filter((name) => name.endsWith(".toml"))
    .sort()
    .slice(0, maxRoles)
    .map((name) => path.join(folder, name));
}

export interface FoundRoles {
  readonly roles: readonly AgentRole[];
  readonly warnings: readonly string[];
  /** Every file that was read. */
  readonly files: readonly string[];
}

export interface RolePlaces {
  /** `[agents]` of the user's own settings. */
  readonly table: TomlTable;
  readonly codexHome: string;
  /** Files of the home, then those of the project that the user has accepted: later ones replace earlier ones. */
  readonly files: readonly string[];
}

/** Never throws: an unusable role is a warning. */
export function findRoles({ table, codexHome, files }: RolePlaces, cache: FileCache): FoundRoles {
  const roles = new Map<string, AgentRole>();
  const warnings: string[] = [];
  const looked: string[] = [];
  const take = (where: string, make: () => AgentRole): void => {
    try {
      const role = make();
      if (roles.size >= maxRoles && !roles.has(role.name)) throw new Error(`there are ${maxRoles} kinds of agents already`);
      roles.set(role.name, role);
    } catch (error) {
      warnings.push(`${where}: this kind of agent is left out: ${errorMessage(error)}`);
    }
  };
  const read = (file: string): TomlTable => {
    looked.push(file);
    const content = readAnyhow(cache, file);
    if (content === undefined) throw new Error(`${file} does not exist`);
    return parseToml(content.text);
  };
  for (const [name, entry] of Object.entries(table).filter(([, value]) => isTable(value)))
    take(`agents.${name}`, () => {
      const declared = isTable(entry) ? entry : {};
      const file = text(declared, "config_file");
      const own = file === undefined ? {} : read(path.resolve(codexHome, file));
      return roleFrom(file ?? `agents.${name}`, { name, ...declared, ...own }, warnings);
    });
  for (const file of files)
    take(file, () => {
      const own = read(file);
      if (text(own, "developer_instructions") === undefined) throw new Error("it has no `developer_instructions`");
      return roleFrom(file, own, warnings);
    });
  return { roles: [...roles.values()], warnings, files: looked };
}

const used = new Set(
  ["name", "description", "developer_instructions", "model", "model_reasoning_effort", "model_reasoning_summary", "model_verbosity"].concat(
    ["personality", "service_tier", "sandbox_mode", "nickname_candidates", "config_file"],
  ),
);

/** A role may choose how its agent works and narrow what it may do. Its permissions and servers are its parent's. */
function roleFrom(where: string, table: TomlTable, warnings: string[]): AgentRole {
  const bounded = (key: string): string | undefined => {
    const value = text(table, key)?.trim();
    if (value !== undefined && (value === "" || value.length > maxText)) throw new Error(`\`${key}\` is empty, or longer than 32 KiB`);
    return value;
  };
  const [name, description] = [bounded("name"), bounded("description")];
  if (name === undefined || !/^[\w .-]{1,64}$/.test(name))
    throw new Error("it has no `name` of at most 64 letters, digits, `_`, `-` and `.`");
  if (description === undefined) throw new Error("it has no `description`");
  const sandbox = text(table, "sandbox_mode");
  const idle = Object.keys(table).filter((key) => !used.has(key));
  if (sandbox !== undefined && sandbox !== "read-only") idle.push(`sandbox_mode = "${sandbox}"`);
  warnings.push(...idleText(where, idle));
  return {
    ...{ name, description, developerInstructions: bounded("developer_instructions"), model: bounded("model") },
    ...{ effort: bounded("model_reasoning_effort"), summary: oneOf(table, "model_reasoning_summary", summaries) },
    ...{
      verbosity: bounded("model_verbosity"),
      personality: oneOf(table, "personality", personalities),
      serviceTier: bounded("service_tier"),
    },
    isReadOnly: sandbox === "read-only",
    nicknames: nicknamesFrom(table),
  };
}

const maxNicknames = 100;

/** Names as people read them: they appear in lists and questions. */
function nicknamesFrom(table: TomlTable): readonly string[] {
  const given = list(table, "nickname_candidates")?.map((name) => name.trim()) ?? [];
  const wrong = given.find((name) => !/^[\p{L}\p{N}][\p{L}\p{N} _-]{0,39}$/u.test(name));
  if (wrong !== undefined || given.length > maxNicknames)
    throw new Error(`\`nickname_candidates\` must be at most ${maxNicknames} names of 1 to 40 letters, digits, spaces, \`_\` and \`-\``);
  return [...new Set(given)];
}

const idleText = (where: string, keys: readonly string[]): string[] =>
  keys.length === 0
    ? []
    : [`${where}: no effect here: ${keys.map((key) => `\`${key}\``).join(", ")}; an agent has its parent's rights and servers`];

const summaries = ["auto", "concise", "detailed", "none"] as const;
const personalities = ["none", "friendly", "pragmatic"] as const;

function oneOf<T extends string>(table: TomlTable, key: string, known: readonly T[]): T | undefined {
  const value = text(table, key);
  const found = known.find((choice) => choice === value);
  if (value !== undefined && found === undefined) throw new Error(`\`${key}\` must be one of ${known.join(", ")}`);
  return found;
}
