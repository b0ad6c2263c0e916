/** The "Agent Plugins" format, which several vendors share: `plugin.json` and `mcp.json` in the plugin's own folder. */
import { createHash } from "node:crypto";
import path from "node:path";
import { isRecord } from "../lib/is-record.ts";
import { type PluginId, PluginProblem, shown } from "./id.ts";

type Table = Readonly<Record<string, unknown>>;

const schemas = "https://agent-plugins.org/schemas/";
const ofPlugin = `${schemas}1.0.0/plugin.schema.json`;
const ofServers = `${schemas}1.0.0/mcp.schema.json`;

/** Whether a file in the root is a manifest of this format, in any version; other files may have the same name. */
export const isAgentManifest = (value: unknown): value is Table =>
  isRecord(value) && typeof value["$schema"] === "string" && value["$schema"].startsWith(schemas);

/** The manifest converted to Codex's own format. Throws PluginProblem. */
export function asCodexManifest(value: Table, file: string): Table {
  if (value["$schema"] !== ofPlugin)
    throw new PluginProblem(
      `${file}: unsupported Agent Plugins schema \`${shown(String(value["$schema"]))}\`; supported schemas: \`${ofPlugin}\``,
    );
  const name = value["name"];
  const isFit = typeof name === "string" && /^[a-z0-9](?:[a-z0-9.-]{0,62}[a-z0-9])?$/.test(name) && !/--|\.\./.test(name);
  if (!isFit) throw new PluginProblem(`${file}: invalid Agent Plugins name; use lowercase letters, numbers, dots, or hyphens`);
  const text = (key: string, table: Table = value): string | undefined => {
    const text = table[key];
    if (text !== undefined && typeof text !== "string") throw new PluginProblem(`${file}: \`${key}\` must be text`);
    return text?.trim() || undefined;
  };
  const [description, author] = [text("description"), isRecord(value["author"]) ? value["author"] : {}];
  const face = {
    ...{ displayName: name, category: "Other", shortDescription: description, longDescription: description },
    ...{ developerName: text("name", author), websiteUrl: text("homepage") },
  };
  const extensions = isRecord(value["extensions"]) ? value["extensions"]["com.openai"] : undefined;
  const own = isRecord(extensions) ? extensions : {};
  return {
    ...{ name, version: text("version"), description, keywords: value["keywords"], mcpServers: "./mcp.json" },
    interface: isRecord(own["interface"]) ? own["interface"] : face,
    ...(own["hooks"] === undefined ? {} : { hooks: own["hooks"] }),
  };
}

/** The folder where such a plugin may keep its own files, named as in Codex. */
export const agentDataFolder = (codexHome: string, { name, marketplace }: PluginId): string =>
  path.join(codexHome, "plugins", "data", "agent-plugins", createHash("sha256").update(`${marketplace}\0${name}`).digest("hex"));

export interface PluginPlaces {
  readonly root: string;
  readonly data: string;
}

/** The servers of an `mcp.json` as the settings would define them; unusable parts become warnings. Throws PluginProblem. */
export function agentServers(value: unknown, file: string, places: PluginPlaces, warnings: string[]): Table {
  if (!isRecord(value) || value["$schema"] !== ofServers || !isRecord(value["mcpServers"]))
    throw new PluginProblem(`${file}: expected \`mcpServers\` and the \`$schema\` ${ofServers}`);
  return Object.fromEntries(
    Object.entries(value["mcpServers"]).flatMap(([name, entry]) => {
      try {
        return [[name, serverFrom(isRecord(entry) ? entry : {}, places)]];
      } catch (error) {
        if (!(error instanceof PluginProblem)) throw error;
        warnings.push(`${file}: ${shown(name)}: ${error.message}`);
        return [];
      }
    }),
  );
}

function serverFrom(entry: Table, places: PluginPlaces): Table {
  if (entry["type"] === "streamable-http") return httpServer(entry);
  if (entry["type"] !== "stdio") throw new PluginProblem("`type` must be stdio or streamable-http");
  const { command, args = [], env = {}, cwd = `\${PLUGIN_ROOT}` } = entry;
  const isBare = typeof command === "string" && /^[^/\\]+$/.test(command);
  if (typeof command !== "string" || !(isBare || isContained(command, "./")))
    throw new PluginProblem("`command` must be a bare program name or a path that starts with `./`");
  if (!Array.isArray(args) || !args.every((arg) => typeof arg === "string")) throw new PluginProblem("`args` must be a list of texts");
  if (!isRecord(env) || !Object.values(env).every((text) => typeof text === "string")) throw new PluginProblem("`env` must hold texts");
  const reserved = ["PLUGIN_ROOT", "PLUGIN_DATA"].find((name) => Object.hasOwn(env, name));
  if (reserved !== undefined) throw new PluginProblem(`\`env\` cannot override reserved variable \`${reserved}\``);
  const isFit =
    typeof cwd === "string" && [".", `\${PLUGIN_ROOT}`, `\${PLUGIN_DATA}`].some((start) => cwd === start || isContained(cwd, `${start}/`));
  if (!isFit) throw new PluginProblem("`cwd` must stay within the plugin or its data folder");
  const filled = (text: string): string => text.replaceAll(`\${PLUGIN_ROOT}`, places.root).replaceAll(`\${PLUGIN_DATA}`, places.data);
  return {
    command: isBare ? command : path.join(places.root, command),
    args: args.map(filled),
    env: {
      ...Object.fromEntries(Object.entries(env).map(([name, text]) => [name, filled(String(text))])),
      PLUGIN_ROOT: places.root,
      PLUGIN_DATA: places.data,
    },
    cwd: path.resolve(places.root, filled(cwd)),
  };
}

const isContained = (text: string, start: string): boolean =>
  text.startsWith(start) && !/[\\\0:]/.test(text) && !text.split("/").includes("..");

/** Headers that only the client may set. */
const owned =
  /^(?:accept|authorization|connection|content-.*|host|last-event-id|mcp-.*|proxy-authorization|te|trailer|transfer-encoding|upgrade|user-agent)$/i;

function httpServer({ url, headers = {} }: Table): Table {
  const parsed = typeof url === "string" ? URL.parse(url) : null;
  const isLoopback = parsed !== null && /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(parsed.hostname);
  const isSafe = parsed?.protocol === "https:" || (parsed?.protocol === "http:" && isLoopback);
  if (!isSafe || parsed === null || parsed.username !== "" || parsed.password !== "" || parsed.hash !== "")
    throw new PluginProblem("`url` must be an https address, or http on this machine, without a user and a fragment");
  if (!isRecord(headers) || !Object.values(headers).every((text) => typeof text === "string"))
    throw new PluginProblem("`headers` must hold texts");
  return { url, http_headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !owned.test(name))) };
}
