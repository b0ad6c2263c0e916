/** `parley mcp`: the MCP servers of the user's settings. */
import { isTable } from "../../lib/toml.ts";
import { type App, type Config, overridesFrom, withApp } from "../own-app.ts";
import { whatRuns } from "../trust.ts";
import { type Globals, oneOf, print, printJson, readFlags, StartError, toStderr, UsageError, unknownSubcommand } from "../usage.ts";
import { help } from "./help.ts";

type McpServerConfig = Config["mcpServers"][string];
type Action = (app: App, args: readonly string[]) => Promise<number>;

export async function run(args: readonly string[], globals: Globals): Promise<number> {
  const [subcommand, ...rest] = args;
  if (subcommand === undefined || subcommand === "help") return (await import("../help/help.ts")).run(["mcp", ...rest]);
  const action = Object.hasOwn(actions, subcommand) ? actions[subcommand] : undefined;
  if (action === undefined) throw unknownSubcommand(subcommand, Object.keys(actions));
  const { values } = readFlags(ownArguments(rest), commands[subcommand as keyof typeof commands]);
  return withApp(globals, overridesFrom(values), (app) => action(app, rest));
}

/** Arguments after `--` are the server's command. */
const ownArguments = (args: readonly string[]): readonly string[] => (args.includes("--") ? args.slice(0, args.indexOf("--")) : args);

const { commands } = help;
const actions: Readonly<Record<string, Action>> = { add, list, get, remove, login, logout, accept };

async function add(app: App, args: readonly string[]): Promise<number> {
  const end = args.indexOf("--");
  const command = end === -1 ? [] : args.slice(end + 1);
  const { values, positionals } = readFlags(end === -1 ? args : args.slice(0, end), commands.add);
  const [name, ...more] = positionals;
  const [program, ...programArgs] = [...more, ...command];
  if (name === undefined) throw new UsageError("a name for the server is missing: parley mcp add <NAME> (--url <URL> | -- <COMMAND>...)");
  if (!/^[A-Za-z0-9_:@/.-]+$/.test(name))
    throw new StartError(`invalid server name '${name}' (use letters, numbers, '-', '_', ':', '@', '/', '.')`);
  if ((program === undefined) === (values.url === undefined))
    throw new UsageError("give either a command after -- or --url, not both and not neither");
  const value =
    values.url === undefined
      ? { command: program, ...(programArgs.length === 0 ? {} : { args: programArgs }), ...environment(values.env) }
      : {
          url: address(values.url),
          ...(values["bearer-token-env-var"] === undefined ? {} : { bearer_token_env_var: values["bearer-token-env-var"] }),
          ...(values["oauth-resource"] === undefined ? {} : { oauth_resource: values["oauth-resource"] }),
          ...clientFrom(values["oauth-client-id"], values["oauth-client-secret"]),
        };
  const forReached = ["bearer-token-env-var", "oauth-resource", "oauth-client-id", "oauth-client-secret"] as const;
  for (const flag of forReached)
    if (values.url === undefined && values[flag] !== undefined)
      throw new UsageError(`--${flag} is for servers that are reached: add --url`);
  if (values.url !== undefined && values.env !== undefined) throw new UsageError("--env is for servers that are started, not for --url");
  registrationFrom(values["oauth-client-registration"]); // nothing is registered before the first sign-in
  app.config.write([{ keyPath: keyPath(name), value, mergeStrategy: "replace" }]);
  print(`Added global MCP server '${name}'.\n`);
  return values["oauth-client-id"] === undefined ? 0 : print("OAuth callback URL: http://127.0.0.1/callback\n");
}

function clientFrom(id: string | undefined, secret: string | undefined): object {
  if (id === undefined && secret !== undefined) throw new UsageError("--oauth-client-secret is the secret of an --oauth-client-id");
  return id === undefined ? {} : { oauth: { client_id: id, ...(secret === undefined ? {} : { client_secret: secret }) } };
}

const registrationFrom = (value: string | undefined): string =>
  oneOf("oauth-client-registration", value ?? "auto", ["auto", "cimd", "dcr"]);

const keyPath = (name: string): string => `mcp_servers.${JSON.stringify(name)}`;

function environment(pairs: readonly string[] | undefined): { env?: Record<string, string> } {
  if (pairs === undefined) return {};
  const env = pairs.map((pair): [string, string] => {
    const at = pair.indexOf("=");
    if (at <= 0) throw new UsageError(`invalid value '${pair}' for '--env': expected KEY=VALUE`);
    return [pair.slice(0, at), pair.slice(at + 1)];
  });
  return { env: Object.fromEntries(env) };
}

function address(url: string): string {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new UsageError(`invalid value '${url}' for '--url': expected an http or https address`);
  return url;
}

/** The user's own; this command does not change what a project adds. */
const serversOf = (app: App): Readonly<Record<string, McpServerConfig>> => app.config.effective(app.codexHome).mcpServers;

function serverNamed(app: App, name: string | undefined): McpServerConfig {
  if (name === undefined) throw new UsageError("the name of the server is missing");
  const servers = serversOf(app);
  const server = Object.hasOwn(servers, name) ? servers[name] : undefined;
  if (server === undefined) throw new StartError(`No MCP server named '${name}' found.`);
  return server;
}

async function list(app: App, args: readonly string[]): Promise<number> {
  const { values } = readFlags(args, commands.list);
  const servers = Object.values(serversOf(app)).sort((a, b) => (a.name < b.name ? -1 : 1));
  if (values.json === true) return printJson(servers.map((server) => listed(app, server)));
  if (servers.length === 0) return print("No MCP servers configured yet. Try `parley mcp add my-tool -- my-command`.\n");
  const started = servers.flatMap(({ name, enabled, transport }) =>
    transport.type === "stdio"
      ? [
          [
            name,
            transport.command,
            transport.args.join(" ") || "-",
            hidden(transport.env),
            transport.cwd ?? "-",
            enabled ? "enabled" : "disabled",
          ],
        ]
      : [],
  );
  const reached = servers.flatMap(({ name, enabled, transport }) =>
    transport.type === "http" ? [[name, transport.url, transport.bearerTokenEnvVar ?? "-", enabled ? "enabled" : "disabled"]] : [],
  );
  const tables = [
    started.length === 0 ? "" : columns([["Name", "Command", "Args", "Env", "Cwd", "Status"], ...started]),
    reached.length === 0 ? "" : columns([["Name", "Url", "Bearer Token Env Var", "Status"], ...reached]),
  ];
  return print(tables.filter((table) => table !== "").join("\n"));
}

/** Values may be secrets; names are enough to distinguish entries. */
const hidden = (env: Readonly<Record<string, string>>): string =>
  Object.keys(env)
    .map((key) => `${key}=*****`)
    .join(", ") || "-";

function columns(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => (row[i] ?? "").length)));
  return rows
    .map(
      (row) =>
        `${row
          .map((cell, i) => cell.padEnd(widths[i] ?? 0))
          .join("  ")
          .trimEnd()}\n`,
    )
    .join("");
}

async function get(app: App, args: readonly string[]): Promise<number> {
  const { values, positionals } = readFlags(args, commands.get);
  const server = serverNamed(app, positionals[0]);
  if (values.json === true) {
    const { auth_status: _, startup_timeout_sec, tool_timeout_sec, ...shown } = listed(app, server);
    return printJson({
      ...shown,
      enabled_tools: server.enabledTools ?? null,
      disabled_tools: server.disabledTools.length === 0 ? null : server.disabledTools,
      startup_timeout_sec,
      tool_timeout_sec,
    });
  }
  const { transport } = server;
  const facts: [string, string][] =
    transport.type === "stdio"
      ? [
          ["transport", "stdio"],
          ["command", transport.command],
          ["args", transport.args.join(" ") || "-"],
          ["cwd", transport.cwd ?? "-"],
          ["env", hidden(transport.env)],
        ]
      : [
          ["transport", "streamable_http"],
          ["url", transport.url],
          ["bearer_token_env_var", transport.bearerTokenEnvVar ?? "-"],
          ["http_headers", hidden(transport.httpHeaders)],
        ];
  const lines = [["enabled", String(server.enabled)], ...facts, ["remove", `parley mcp remove ${server.name}`]];
  return print(`${server.name}\n${lines.map(([key, value]) => `  ${key}: ${value}\n`).join("")}`);
}

/** The format that scripts written for other programs of this home expect. */
function listed(app: App, server: McpServerConfig) {
  const { transport } = server;
  const none = <T extends object>(table: T): T | null => (Object.keys(table).length === 0 ? null : table);
  return {
    name: server.name,
    enabled: server.enabled,
    disabled_reason: null,
    transport:
      transport.type === "stdio"
        ? {
            type: "stdio",
            command: transport.command,
            args: transport.args,
            env: none(transport.env),
            env_vars: transport.envVars,
            cwd: transport.cwd ?? null,
          }
        : {
            type: "streamable_http",
            url: transport.url,
            bearer_token_env_var: transport.bearerTokenEnvVar ?? null,
            http_headers: none(transport.httpHeaders),
            env_http_headers: none(transport.envHttpHeaders),
            http_headers_helper: transport.httpHeadersHelper ?? null,
          },
    startup_timeout_sec: isSet(app, server, "startup_timeout_sec", "startup_timeout_ms") ? server.startupTimeoutMs / 1000 : null,
    tool_timeout_sec: isSet(app, server, "tool_timeout_sec") ? server.toolTimeoutMs / 1000 : null,
    auth_status: app.mcp.authStatus(server).replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  };
}

/** Whether the settings themselves set it. */
function isSet(app: App, { name }: McpServerConfig, ...keys: readonly string[]): boolean {
  const servers = app.config.effective(app.codexHome).raw["mcp_servers"];
  const entry = isTable(servers) && Object.hasOwn(servers, name) ? servers[name] : undefined;
  return isTable(entry) && keys.some((key) => Object.hasOwn(entry, key));
}

async function remove(app: App, args: readonly string[]): Promise<number> {
  const { positionals } = readFlags(args, commands.remove);
  const [name] = positionals;
  if (name === undefined) throw new UsageError("the name of the server is missing");
  if (!Object.hasOwn(serversOf(app), name)) return print(`No MCP server named '${name}' found.\n`);
  app.config.write([{ keyPath: keyPath(name), value: null, mergeStrategy: "replace" }]);
  return print(`Removed global MCP server '${name}'.\n`);
}

async function login(app: App, args: readonly string[]): Promise<number> {
  const { values, positionals } = readFlags(args, commands.login);
  const { name } = serverNamed(app, positionals[0]);
  if (registrationFrom(values["oauth-client-registration"]) === "cimd")
    throw new StartError("'cimd' needs a published document about the client, and Parley has none; use auto or dcr");
  const scope = { threadId: undefined, config: app.config.effective(app.codexHome), cwd: process.cwd() };
  const { url, done } = await app.mcp.login(scope, name, values.scopes?.split(","));
  toStderr(`Open this address in your browser to sign in to '${name}':\n\n  ${url}\n`);
  const { error } = await done;
  if (error !== undefined) throw new StartError(`not signed in to '${name}': ${error}`);
  return print(`Successfully logged in to MCP server '${name}'.\n`);
}

async function logout(app: App, args: readonly string[]): Promise<number> {
  const { positionals } = readFlags(args, commands.logout);
  const server = serverNamed(app, positionals[0]);
  const was = await app.mcp.logout(server);
  return print(was ? `Removed the sign-in of MCP server '${server.name}'.\n` : `There was no sign-in of MCP server '${server.name}'.\n`);
}

/** A project's servers run only as the user accepted them; without a name this lists the ones of this folder that wait. */
async function accept(app: App, args: readonly string[]): Promise<number> {
  const [name] = readFlags(args, commands.accept).positionals;
  const config = app.config.effective(process.cwd());
  if (!config.trusted) throw new StartError(`${config.projectRoot} is not trusted: none of its settings take effect`);
  const waiting = Object.values(config.mcpServers).filter((server) => !app.mcp.isAccepted(server));
  if (name === undefined) {
    if (waiting.length === 0) return print("No MCP server of this folder waits to be accepted.\n");
    return print(
      waiting.map((server) => `${server.name}: ${whatRuns(server)}\n  accept it with: parley mcp accept ${server.name}\n`).join(""),
    );
  }
  const server = Object.hasOwn(config.mcpServers, name) ? config.mcpServers[name] : undefined;
  if (server === undefined) throw new StartError(`No MCP server named '${name}' found.`);
  if (!waiting.includes(server)) return print(`MCP server '${name}' needs no acceptance.\n`);
  app.mcp.accept(server);
  return print(`Accepted MCP server '${name}': ${whatRuns(server)}\nIt starts with the next turn of a thread in ${config.projectRoot}.\n`);
}
