/** Another agent's settings as ours: hooks, MCP servers, environment variables. Takes only what has the same meaning here. */
import { isRecord } from "../lib/is-record.ts";

type Json = Readonly<Record<string, unknown>>;

const maxEntries = 100;
const maxLength = 4096;
const isText = (value: unknown): value is string => typeof value === "string" && value.length <= maxLength && !value.includes("\0");
const texts = (value: unknown): string[] | undefined =>
  Array.isArray(value) && value.length <= maxEntries && value.every(isText) ? value : undefined;
const isName = (name: string): boolean => /^[A-Za-z0-9_-]{1,64}$/.test(name);
/** Variables that the other program would replace; here they would be passed on as they are written. */
const hasPlaceholder = (text: string): boolean => text.includes("${");

function pairs(value: unknown): Record<string, string> | undefined {
  if (!isRecord(value)) return undefined;
  const entries = Object.entries(value).slice(0, maxEntries);
  const fits = entries.filter((entry): entry is [string, string] => /^[A-Za-z_][\w-]{0,127}$/.test(entry[0]) && isText(entry[1]));
  return fits.length === 0 ? undefined : Object.fromEntries(fits);
}

/** Keys and values for config.toml. Variables that look like secrets are left out: commands of the agent would see them. */
export function settingsFrom(settings: Json): readonly (readonly [key: readonly string[], value: unknown])[] {
  const sandbox = settings["sandbox"];
  const env = Object.entries(pairs(settings["env"]) ?? {}).filter(
    ([name]) => !/KEY|TOKEN|SECRET|PASSW|CREDENTIAL|^ANTHROPIC_|^CLAUDE_/i.test(name),
  );
  return [
    ...(isRecord(sandbox) && sandbox["enabled"] === true ? [[["sandbox_mode"], "workspace-write"] as const] : []),
    ...(env.length > 0 ? [[["shell_environment_policy", "set"], Object.fromEntries(env)] as const] : []),
  ];
}

/** MCP servers by name; those that need variables filled in are left out. */
export function serversFrom(settings: Json): readonly (readonly [name: string, server: Json])[] {
  const servers = settings["mcpServers"];
  if (!isRecord(servers)) return [];
  return Object.entries(servers)
    .slice(0, maxEntries)
    .flatMap(([name, value]): (readonly [string, Json])[] => {
      const server = isName(name) && isRecord(value) ? serverFrom(value) : undefined;
      return server === undefined ? [] : [[name, server]];
    });
}

function serverFrom({ type, command, args, env, url, headers }: Json): Json | undefined {
  if (isText(command) && (type === undefined || type === "stdio")) {
    const list = args === undefined ? [] : texts(args);
    const variables = pairs(env);
    if (list === undefined || [command, ...list, ...Object.values(variables ?? {})].some(hasPlaceholder)) return undefined;
    return { command, ...(list.length > 0 ? { args: list } : {}), ...(variables === undefined ? {} : { env: variables }) };
  }
  if (!isText(url) || !/^https?:\/\//.test(url) || type === "sse") return undefined;
  const sent = pairs(headers);
  if ([url, ...Object.values(sent ?? {})].some(hasPlaceholder)) return undefined;
  return { url, ...(sent === undefined ? {} : { http_headers: sent }) };
}

/** The events that mean the same here. */
const events = [
  "PreToolUse",
  "PostToolUse",
  "UserPromptSubmit",
  "SessionStart",
  "SessionEnd",
  "Stop",
  "SubagentStop",
  "PreCompact",
] as const;

/** The content of `hooks.json`: groups of commands by event. Conditions and other kinds of hooks are left out. */
export function hookFile(files: readonly Json[]): Record<string, Json[]> {
  if (files.findLast((file) => typeof file["disableAllHooks"] === "boolean")?.["disableAllHooks"] === true) return {};
  const found: Record<string, Json[]> = {};
  for (const { hooks } of files)
    for (const event of events) {
      const groups = isRecord(hooks) && Array.isArray(hooks[event]) ? hooks[event].slice(0, maxEntries).flatMap(groupFrom) : [];
      if (groups.length > 0) found[event] = [...(found[event] ?? []), ...groups];
    }
  return found;
}

function groupFrom(group: unknown): Json[] {
  if (!isRecord(group) || "if" in group || !Array.isArray(group["hooks"])) return [];
  const { matcher } = group;
  if (matcher !== undefined && !isText(matcher)) return [];
  const hooks = group["hooks"].slice(0, maxEntries).flatMap((hook: unknown): Json[] => {
    if (!isRecord(hook) || hook["type"] !== "command" || !isText(hook["command"]) || "if" in hook) return [];
    const { command, timeout } = hook;
    return [{ type: "command", command, ...(typeof timeout === "number" && timeout > 0 && timeout <= 3600 ? { timeout } : {}) }];
  });
  return hooks.length === 0 ? [] : [{ ...(matcher === undefined ? {} : { matcher }), hooks }];
}
