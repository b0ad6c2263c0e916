/** The MCP servers of the settings as typed values. */
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { McpServerConfig } from "../core/ports/config.ts";
import type { InstalledPlugin } from "../core/ports/plugins.ts";
import { errorMessage } from "../lib/error-text.ts";
import { isTable, setOwn, type TomlTable } from "../lib/toml.ts";
import { invalidRequest } from "../protocol/errors.ts";
import type { Layer } from "./layers.ts";
import { mergeTables } from "./merge.ts";
import type { Project } from "./project.ts";
import { bool, count, list, tableAt, text, texts } from "./read-value.ts";

export type ProjectServers = Readonly<Record<string, McpServerConfig["fromProject"]>>;

/** Throws invalidRequest that names the key when an entry has neither a command nor a URL. */
export function mcpServersFrom(servers: TomlTable, ofProject: ProjectServers = {}): Readonly<Record<string, McpServerConfig>> {
  return Object.fromEntries(
    Object.entries(servers).flatMap(([name, entry]) =>
      isTable(entry) ? [[name, mcpServerFrom(name, entry, Object.hasOwn(ofProject, name) ? ofProject[name] : undefined)]] : [],
    ),
  );
}

/** The servers that a trusted project adds or changes. One that ends up as the user wrote it is the user's. */
export function projectServersIn(layers: readonly Layer[], { root, repository }: Pick<Project, "root" | "repository">): ProjectServers {
  const active = layers.filter((layer) => layer.disabledReason === undefined);
  const serversOf = (some: readonly Layer[]): TomlTable =>
    tableAt(
      some.reduce<TomlTable>((merged, layer) => mergeTables(merged, layer.config), {}),
      "mcp_servers",
    );
  const project = serversOf(active.filter(({ source }) => source.type === "project"));
  const own = serversOf(active.filter(({ source }) => source.type !== "project"));
  const all = serversOf(active);
  const isBelow = ({ source }: Layer): boolean => source.type === "project" && path.dirname(source.dotCodexFolder) !== root;
  const below = serversOf(active.filter(isBelow));
  const touched = Object.keys(project).filter((name) => !isDeepStrictEqual(all[name], own[name]));
  return Object.fromEntries(
    touched.map((name) => [name, { root: repository, redefines: Object.hasOwn(own, name), isBelow: Object.hasOwn(below, name) }]),
  );
}

/** The servers of plugins; a server of the user or of an earlier plugin keeps its name. `policies` is `[plugins]` of the settings. */
export function withPluginServers(
  own: Readonly<Record<string, McpServerConfig>>,
  plugins: readonly InstalledPlugin[],
  policies: TomlTable,
): { readonly servers: Readonly<Record<string, McpServerConfig>>; readonly warnings: readonly string[] } {
  if (plugins.every(({ mcpServers }) => Object.keys(mcpServers).length === 0)) return { servers: own, warnings: [] };
  const servers: Record<string, McpServerConfig> = { ...own };
  const warnings: string[] = [];
  for (const { id, mcpServers } of plugins)
    for (const [name, entry] of Object.entries(mcpServers)) {
      const taken = Object.hasOwn(servers, name) ? servers[name] : undefined;
      const policy = tableAt(tableAt(tableAt(policies, id), "mcp_servers"), name);
      if (taken !== undefined) {
        const whose = taken.pluginId === undefined ? "your settings" : `the plugin ${taken.pluginId}`;
        warnings.push(`the MCP server ${name} of the plugin ${id} is not used, since ${whose} have one of that name`);
        continue;
      }
      try {
        setOwn(servers, name, { ...mcpServerFrom(name, mergeTables(entry, policy), undefined), pluginId: id });
      } catch (error) {
        warnings.push(`the plugin ${id}: ${errorMessage(error)}`);
      }
    }
  return { servers, warnings };
}

function mcpServerFrom(name: string, entry: TomlTable, fromProject: McpServerConfig["fromProject"]): McpServerConfig {
  if (!/^[A-Za-z0-9_:@/.-]+$/.test(name))
    throw invalidRequest(`mcp_servers: the name \`${name}\` may hold only letters, digits and \`-_:@/.\``);
  const startupMs = count(entry, "startup_timeout_ms");
  return {
    name,
    transport: transportFrom(`mcp_servers.${name}`, entry),
    enabled: bool(entry, "enabled") ?? true,
    required: bool(entry, "required") ?? false,
    startupTimeoutMs: Math.round((count(entry, "startup_timeout_sec") ?? (startupMs ?? 10_000) / 1000) * 1000),
    toolTimeoutMs: Math.round((count(entry, "tool_timeout_sec") ?? 60) * 1000),
    enabledTools: list(entry, "enabled_tools"),
    disabledTools: list(entry, "disabled_tools") ?? [],
    approval:
      (text(entry, "approval") ?? (entry["default_tools_approval_mode"] === "approve" ? "allow" : "ask")) === "allow" ? "allow" : "ask",
    allowedTools: Object.entries(tableAt(entry, "tools")).flatMap(([tool, how]) =>
      isTable(how) && how["approval_mode"] === "approve" ? [tool] : [],
    ),
    scopes: list(entry, "scopes") ?? [],
    oauthResource: resourceFrom(`mcp_servers.${name}.oauth_resource`, text(entry, "oauth_resource")),
    oauthClient: clientFrom(`mcp_servers.${name}.oauth`, tableAt(entry, "oauth")),
    fromProject,
    pluginId: undefined,
  };
}

function clientFrom(key: string, oauth: TomlTable): McpServerConfig["oauthClient"] {
  const id = text(oauth, "client_id");
  const callbackUrl = text(oauth, "callback_url");
  if (callbackUrl !== undefined && !/^http:\/\/(?:127\.0\.0\.1|localhost)(?::\d+)?\/[^?#]*$/.test(callbackUrl))
    throw invalidRequest(`${key}.callback_url: \`${callbackUrl}\` is no address of this machine; expected http://127.0.0.1[:PORT]/PATH`);
  return id === undefined ? undefined : { id, secret: text(oauth, "client_secret"), callbackUrl };
}

function resourceFrom(key: string, resource: string | undefined): string | undefined {
  if (resource !== undefined && !URL.canParse(resource)) throw invalidRequest(`${key}: \`${resource}\` is no address`);
  return resource;
}

function transportFrom(key: string, entry: TomlTable): McpServerConfig["transport"] {
  const command = text(entry, "command");
  const url = text(entry, "url");
  if (command !== undefined && url !== undefined)
    throw invalidRequest(`${key}: has both \`command\` and \`url\`; keep the one that is meant`);
  if (Object.hasOwn(entry, "bearer_token"))
    throw invalidRequest(`${key}.bearer_token: not supported; name an environment variable in \`bearer_token_env_var\``);
  if (command !== undefined)
    return {
      type: "stdio",
      command,
      args: list(entry, "args") ?? [],
      env: texts(entry, "env") ?? {},
      envVars: envVarsFrom(entry["env_vars"]),
      cwd: text(entry, "cwd"),
    };
  if (url === undefined) throw invalidRequest(`${key}: needs \`command\` (a program) or \`url\` (an HTTP server)`);
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw invalidRequest(`${key}.url: \`${url}\` is no http or https address`);
  return {
    type: "http",
    url,
    bearerTokenEnvVar: text(entry, "bearer_token_env_var"),
    httpHeaders: texts(entry, "http_headers") ?? {},
    envHttpHeaders: texts(entry, "env_http_headers") ?? {},
    ...(text(entry, "http_headers_helper") === undefined ? {} : { httpHeadersHelper: text(entry, "http_headers_helper") }),
  };
}

function envVarsFrom(value: unknown): readonly string[] {
  if (!Array.isArray(value)) return [];
  return value.map((item: unknown) => (isTable(item) ? text(item, "name") : item)).filter((name) => typeof name === "string");
}
