/** Moving in from another agent on this machine: finds what it has, imports what the client chose, remembers what was imported. */
import path from "node:path";
import type { ConfigStore } from "../core/ports/config.ts";
import type { Migration, SessionLimits } from "../core/ports/migration.ts";
import { readBoundedTextSync } from "../lib/bounded-read.ts";
import { replaceFileSync } from "../lib/durable-write.ts";
import { errorMessage } from "../lib/error-text.ts";
import { isRecord } from "../lib/is-record.ts";
import { array, parse } from "../lib/schema.ts";
import {
  ExternalAgentConfigImportHistory,
  type ExternalAgentConfigImportTypeResult,
  type ExternalAgentConfigMigrationItem,
} from "../protocol/external-agent.ts";
import { chosenNames, type Moved, type OwnSettings, type Part, parts } from "./parts.ts";
import { homePlace, type MigrationPlaces, type Place, projectPlace } from "./places.ts";
import { type PluginInstaller, pluginsPart } from "./plugins.ts";
import { type SessionsOptions, sessionsPart } from "./sessions.ts";

export interface MigrationOptions extends MigrationPlaces {
  readonly config: Pick<ConfigStore, "read" | "write">;
  readonly plugins: PluginInstaller;
  readonly sessions: Omit<SessionsOptions, "codexHome" | "imported">;
}

const maxHistories = 100;
const maxHistoryBytes = 16 * 1024 * 1024;

export function createMigration({ config, plugins, sessions, ...places }: MigrationOptions): Migration {
  const own = ownSettings(config, places.codexHome);
  const historyFile = path.join(places.codexHome, "parley", "imports.json");
  const histories = (): ExternalAgentConfigImportHistory[] => readHistories(historyFile);
  const imported = (): string[] =>
    histories().flatMap(({ successes }) =>
      successes.flatMap(({ itemType, source }) => (itemType === "SESSIONS" && source ? [source] : [])),
    );
  const all = [...parts, pluginsPart(plugins), sessionsPart({ ...sessions, codexHome: places.codexHome, imported })];
  return {
    async detect({ home, cwds, sessions: limits }) {
      const { source } = homePlace(places);
      const projects = cwds.flatMap((cwd) => projectPlace(cwd) ?? []).filter((place) => place.source !== source);
      const found = [...(home ? [homePlace(places)] : []), ...new Map(projects.map((place) => [place.cwd, place])).values()];
      return found.flatMap((place) => all.flatMap((part) => itemOf(part, place, own, limits) ?? []));
    },
    async importItem(item) {
      const place = item.cwd == null || item.cwd === "" ? homePlace(places) : projectPlace(item.cwd);
      return await importItem(item, place, { own, parts: all });
    },
    record(history) {
      replaceFileSync(historyFile, JSON.stringify([history, ...histories()].slice(0, maxHistories)));
    },
    histories,
  };
}

function itemOf(
  part: Part,
  place: Place,
  own: OwnSettings,
  limits: SessionLimits | undefined,
): ExternalAgentConfigMigrationItem | undefined {
  const found = part.find(place, own, limits);
  return found === undefined
    ? undefined
    : { itemType: part.type, description: found.description, cwd: place.cwd, details: found.details ?? null };
}

async function importItem(
  { itemType, cwd = null, details }: ExternalAgentConfigMigrationItem,
  place: Place | undefined,
  { own, parts: all }: { readonly own: OwnSettings; readonly parts: readonly Part[] },
): Promise<ExternalAgentConfigImportTypeResult> {
  const result: ExternalAgentConfigImportTypeResult = { itemType, successes: [], failures: [] };
  const fail = (source: string | null, failureStage: string, message: string): void =>
    void result.failures.push({ itemType, failureStage, message, errorType: null, subErrorType: null, cwd, source });
  const part = all.find(({ type }) => type === itemType);
  const chosen = chosenNames(details);
  const each = async (source: string, run: () => Moved | Promise<Moved>): Promise<void> => {
    if (chosen !== undefined && isListed(itemType) && !chosen.has(source)) return;
    try {
      const { target, title = null } = await run();
      result.successes.push({ itemType, cwd, source, target, title });
    } catch (error) {
      fail(source, "import", errorMessage(error));
    }
  };
  if (part === undefined) fail(null, "detect", `${itemType} is not imported by Parley`);
  else if (place === undefined) fail(null, "detect", `${cwd} is no folder, or its .codex or .agents is a link to elsewhere`);
  else if (part.find(place, own) === undefined) fail(null, "detect", "there is nothing left to import; what exists is not overwritten");
  else await part.move(place, own, each);
  return result;
}

/** Kinds whose details name what is imported. */
const isListed = (type: ExternalAgentConfigMigrationItem["itemType"]): boolean =>
  ["SKILLS", "COMMANDS", "MCP_SERVER_CONFIG", "SUBAGENTS", "PLUGINS", "SESSIONS"].includes(type);

function ownSettings(config: MigrationOptions["config"], codexHome: string): OwnSettings {
  return {
    file: path.join(codexHome, "config.toml"),
    has(keyPath) {
      let at: unknown = config.read(undefined).config;
      for (const key of keyPath) at = isRecord(at) && Object.hasOwn(at, key) ? at[key] : undefined;
      return at !== undefined && at !== null;
    },
    write(edits) {
      config.write(edits);
    },
  };
}

/** A damaged file is an empty list: it only tells what was done. */
function readHistories(file: string): ExternalAgentConfigImportHistory[] {
  try {
    const value: unknown = JSON.parse(readBoundedTextSync(file, maxHistoryBytes));
    return parse(() => array(ExternalAgentConfigImportHistory()), value) ?? [];
  } catch {
    return [];
  }
}
