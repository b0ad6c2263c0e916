/** Finds the hooks that the settings define, for hooks/list and for the agent. Hooks of untrusted folders are left out. */
import { createHash } from "node:crypto";
import path from "node:path";
import { type Hook, hookEventNames } from "../core/ports/hooks.ts";
import type { InstalledPlugin } from "../core/ports/plugins.ts";
import { errorMessage } from "../lib/error-text.ts";
import { isTable, type TomlTable } from "../lib/toml.ts";
import type { HookEventName, HookSource, HooksListEntry } from "../protocol/hooks.ts";
import type { FileCache } from "./file-cache.ts";
import { trustedHash } from "./hook-trust.ts";
import type { Layer } from "./layers.ts";
import type { Stack } from "./loader.ts";
import { mergeStack } from "./merge.ts";
import { bool, count, tableAt, text } from "./read-value.ts";
import type { Requirements } from "./requirements.ts";

export interface HookOptions {
  readonly requirements?: Requirements | undefined;
  /** The user has trusted all hooks on the command line. */
  readonly trustAll?: boolean | undefined;
  /** `features.hooks`. */
  readonly isOff?: boolean | undefined;
  /** The ones in use. */
  readonly plugins?: readonly InstalledPlugin[];
}

export interface FoundHooks {
  readonly hooks: readonly Hook[];
  readonly warnings: readonly string[];
  /** Files that could not be read. */
  readonly errors: HooksListEntry["errors"];
}

const maxHooks = 200;

export function findHooks(stack: Stack, files: FileCache, options: HookOptions = {}): FoundHooks {
  const errors: HooksListEntry["errors"] = [];
  const warnings: string[] = [];
  // A project's own file cannot make the project's hooks trusted.
  const state = tableAt(tableAt(mergeStack(stack.layers.filter(({ source }) => source.type !== "project")), "hooks"), "state");
  const managedOnly = options.requirements?.values.allowManagedHooksOnly === true;
  const hooks: Hook[] = [];
  for (const place of placesOf(stack, files, options, errors)) {
    if (managedOnly && !place.isManaged) continue;
    for (const hook of hooksAt(place, { state, options, warnings })) {
      if (hooks.length === maxHooks) {
        warnings.push(`only the first ${maxHooks} hooks count; the rest, from ${place.file} on, is left out`);
        return { hooks, warnings, errors };
      }
      hooks.push({ ...hook, metadata: { ...hook.metadata, displayOrder: hooks.length } });
    }
  }
  return { hooks, warnings, errors };
}

export function listHooks(cwd: string, { hooks, warnings, errors }: FoundHooks): HooksListEntry {
  return { cwd, hooks: hooks.map(({ metadata }) => metadata), errors, warnings: [...warnings] };
}

/** A user who relies on hooks to stop or to record something must not believe that they run. */
export function hookWarnings({ hooks, warnings, errors }: FoundHooks): string[] {
  const waiting = hooks.filter(({ runs, metadata }) => !runs && metadata.enabled);
  const files = [...new Set(waiting.map(({ metadata }) => metadata.sourcePath))];
  return [
    ...errors.map(({ path: file, message }) => `${file}: ${message}`),
    ...warnings,
    ...files.map((file) => {
      const many = waiting.filter(({ metadata }) => metadata.sourcePath === file).length;
      return `${file}: ${many === 1 ? "a hook does" : `${many} hooks do`} not run, being new or changed, until you trust ${many === 1 ? "it" : "them"}: \`parley hooks\` shows what they do`;
    }),
  ];
}

/** One source of hooks. */
interface Place {
  readonly file: string;
  readonly source: HookSource;
  readonly isManaged: boolean;
  readonly table: TomlTable;
  /** Set for a plugin's hooks: their key prefix, and what they are bound to and run with. */
  readonly plugin?: { readonly id: string; readonly key: string; readonly content: string; readonly env: Readonly<Record<string, string>> };
}

/** The administrator's, then the active layers, weakest first: each one's hooks.json before the `[hooks]` of its config.toml. */
function* placesOf(stack: Stack, files: FileCache, options: HookOptions, errors: HooksListEntry["errors"]): Generator<Place> {
  const { requirements } = options;
  if (requirements?.hooks !== undefined)
    yield {
      ...{ source: "system", isManaged: true, table: requirements.hooks },
      file: text(requirements.hooks, "managed_dir") ?? requirements.file,
    };
  const seen = new Set<string>();
  for (const layer of stack.layers.filter(({ disabledReason }) => disabledReason === undefined)) {
    const { source } = layer;
    const file = fileOf(layer);
    const isManaged = source.type === "system" || source.type === "legacyManagedConfigTomlFromFile";
    const at = { source: sourceOf(layer), isManaged };
    if (source.type === "user" || source.type === "system")
      yield* jsonPlace(path.join(path.dirname(file), "hooks.json"), at, { files, errors, seen });
    if (source.type === "project") yield* jsonPlace(path.join(source.dotCodexFolder, "hooks.json"), at, { files, errors, seen });
    yield { ...at, file, table: tableAt(layer.config, "hooks") };
  }
  // A folder may have hooks.json but no config.toml, and then no layer.
  const folders = stack.project.trust === "trusted" ? stack.project.folders : [];
  for (const folder of folders)
    yield* jsonPlace(path.join(folder, ".codex", "hooks.json"), { source: "project", isManaged: false }, { files, errors, seen });
  for (const plugin of options.plugins ?? []) yield* pluginPlaces(plugin);
}

function* pluginPlaces({ id, root, dataFolder, content, hooks }: InstalledPlugin): Generator<Place> {
  const env = { PLUGIN_ROOT: root, PLUGIN_DATA: dataFolder, CLAUDE_PLUGIN_ROOT: root, CLAUDE_PLUGIN_DATA: dataFolder };
  for (const { file, name, events } of hooks)
    yield { file, source: "plugin", isManaged: false, table: events, plugin: { id, key: `${id}:${name}`, content, env } };
}

/** The hooks.json files that apply to a folder, existing or not: a change in them changes the settings. */
export function hookFiles({ layers, project }: Stack): readonly string[] {
  const own = layers.flatMap((layer) =>
    layer.source.type === "user" || layer.source.type === "system" ? [path.join(path.dirname(fileOf(layer)), "hooks.json")] : [],
  );
  const folders = project.trust === "trusted" ? project.folders : [];
  return [...new Set([...own, ...folders.map((folder) => path.join(folder, ".codex", "hooks.json"))])];
}

interface Reading {
  readonly files: FileCache;
  readonly errors: HooksListEntry["errors"];
  readonly seen: Set<string>;
}

function* jsonPlace(file: string, at: Omit<Place, "file" | "table">, { files, errors, seen }: Reading): Generator<Place> {
  if (seen.has(file)) return;
  seen.add(file);
  try {
    const content = files.read(file);
    if (content === undefined) return;
    const parsed: unknown = JSON.parse(content.text);
    if (isTable(parsed) && isTable(parsed["hooks"])) yield { ...at, file, table: parsed["hooks"] };
    else errors.push({ path: file, message: "expected an object with the key `hooks`" });
  } catch (error) {
    errors.push({ path: file, message: errorMessage(error) });
  }
}

interface Finding {
  readonly state: TomlTable;
  readonly options: HookOptions;
  readonly warnings: string[];
}

function* hooksAt(place: Place, finding: Finding): Generator<Hook> {
  for (const [event, name] of Object.entries(hookEventNames) as [HookEventName, string][]) {
    const groups = Object.hasOwn(place.table, name) ? place.table[name] : [];
    for (const [g, group] of (Array.isArray(groups) ? groups : []).entries()) {
      const matcher = isTable(group) && hasMatcher(event) ? (text(group, "matcher") ?? null) : null;
      const wrong = matcher === null ? undefined : wrongPattern(matcher);
      if (wrong !== undefined) {
        finding.warnings.push(`${place.file}: ${name}: the matcher ${JSON.stringify(matcher)} is no regular expression: ${wrong}`);
        continue;
      }
      const handlers = isTable(group) && Array.isArray(group["hooks"]) ? group["hooks"] : [];
      for (const [h, handler] of handlers.entries()) {
        const key = `${place.plugin?.key ?? place.file}:${snake(name)}:${g}:${h}`;
        const hook = isTable(handler) ? hookFrom(handler, { place, event, matcher, key }, finding) : undefined;
        if (hook !== undefined) yield hook;
      }
    }
  }
}

const snake = (name: string): string => name.replace(/(?<=.)([A-Z])/g, "_$1").toLowerCase();
const hasMatcher = (event: HookEventName): boolean => event !== "userPromptSubmit" && event !== "stop";

/** Letters, digits, `_` and `|` are names to compare; anything else is a regular expression. */
function wrongPattern(matcher: string): string | undefined {
  if (matcher === "*" || /^[A-Za-z0-9_|]*$/.test(matcher)) return undefined;
  try {
    new RegExp(matcher);
    return undefined;
  } catch (error) {
    return errorMessage(error);
  }
}

interface Definition {
  readonly place: Place;
  readonly event: HookEventName;
  readonly matcher: string | null;
  readonly key: string;
}

function hookFrom(table: TomlTable, { place, event, matcher, key }: Definition, { state, options, warnings }: Finding): Hook | undefined {
  const written = handlerFrom(table, event);
  if (typeof written === "string") {
    warnings.push(`${place.file}: ${hookEventNames[event]}: ${written}`);
    return undefined;
  }
  const timeoutSec = timeoutOf(table, event);
  const statusMessage = text(table, "statusMessage") ?? text(table, "status_message") ?? null;
  const additionalContextLimit = takesContext.has(event) ? (count(table, "additionalContextLimit") ?? null) : null;
  const definition = hashOf(event, matcher, {
    handler: written,
    isAsync: bool(table, "async") ?? false,
    timeoutSec,
    statusMessage,
    additionalContextLimit,
  });
  const currentHash = place.plugin === undefined ? definition : `${definition}/${place.plugin.content}`;
  const handler = inPlugin(written, place);
  const known = place.isManaged ? {} : tableAt(state, key);
  const trusted = trustedHash(known);
  const enabled = bool(known, "enabled") ?? true;
  const trustStatus = place.isManaged ? "managed" : trusted === undefined ? "untrusted" : trusted === currentHash ? "trusted" : "modified";
  const shown =
    handler.type === "command"
      ? { handlerType: "command" as const, command: handler.command, async: handler.isAsync }
      : { handlerType: "mcpTool" as const, server: handler.server, tool: handler.tool };
  return {
    handler,
    runs: options.isOff !== true && enabled && (trustStatus === "managed" || trustStatus === "trusted" || options.trustAll === true),
    metadata: {
      ...shown,
      ...{ key, eventName: event, matcher, timeoutSec, statusMessage, additionalContextLimit },
      ...{ sourcePath: place.file, source: place.source, pluginId: place.plugin?.id ?? null, environmentId: null, displayOrder: 0 },
      ...{ enabled, isManaged: place.isManaged, currentHash, trustStatus },
    },
  };
}

/** A plugin's hooks get the plugin's folders as environment variables, which Codex also substitutes in the command. */
function inPlugin(handler: Hook["handler"], { plugin }: Place): Hook["handler"] {
  if (plugin === undefined || handler.type !== "command") return handler;
  const command = handler.command.replace(/\$\{(\w+)\}/g, (whole, name: string) =>
    Object.hasOwn(plugin.env, name) ? (plugin.env[name] ?? whole) : whole,
  );
  return { ...handler, command, env: { ...handler.env, ...plugin.env } };
}

/** Events whose hooks may add to the model's context. */
const takesContext: ReadonlySet<HookEventName> = new Set([
  "sessionStart",
  "subagentStart",
  "userPromptSubmit",
  "preToolUse",
  "postToolUse",
]);

/** The handler, or why there is none. */
function handlerFrom(table: TomlTable, event: HookEventName): Hook["handler"] | string {
  switch (table["type"]) {
    case "command": {
      const windows = process.platform === "win32" ? (text(table, "commandWindows") ?? text(table, "command_windows")) : undefined;
      const command = windows ?? text(table, "command") ?? "";
      if (command.trim() === "") return "a hook of type `command` needs a `command`";
      return { type: "command", command, env: {}, isAsync: bool(table, "async") === true && !isAtTheEnd(event) };
    }
    case "mcp_tool": {
      const server = text(table, "server") ?? "";
      const tool = text(table, "tool") ?? "";
      if (server.trim() === "" || tool.trim() === "") return "a hook of type `mcp_tool` needs a `server` and a `tool`";
      if (isAtTheEnd(event)) return "MCP servers end with the session, so that no tool of theirs can be called here";
      return { type: "mcpTool", server, tool, input: tableAt(table, "input") };
    }
    default:
      return `hooks of type ${JSON.stringify(table["type"] ?? null)} are not run; \`command\` and \`mcp_tool\` are`;
  }
}

const isAtTheEnd = (event: HookEventName): boolean => event === "sessionEnd";

/** Hooks that run when a session or a turn has ended have a short timeout. */
function timeoutOf(table: TomlTable, event: HookEventName): number {
  const requested = count(table, "timeout") ?? count(table, "timeout_sec");
  const standard = event === "sessionEnd" || event === "interrupt" ? 1 : 600;
  const most = event === "sessionEnd" ? 3 : maxTimeoutSec;
  return Math.min(Math.max(1, Math.trunc(requested ?? standard)), most);
}
const maxTimeoutSec = 24 * 60 * 60;

interface Identity {
  readonly handler: Hook["handler"];
  readonly isAsync: boolean;
  readonly timeoutSec: number;
  readonly statusMessage: string | null;
  readonly additionalContextLimit: number | null;
}

const standardContextLimit = 2500;

/** Codex computes the same digest, so that trust carries over: keys sorted, default values left out or filled in. */
function hashOf(event: HookEventName, matcher: string | null, of: Identity): string {
  const { handler, isAsync, timeoutSec: timeout, statusMessage, additionalContextLimit: limit } = of;
  const inner =
    handler.type === "command"
      ? { async: isAsync, command: handler.command, timeout, type: "command" }
      : { input: handler.input, server: handler.server, timeout, tool: handler.tool, type: "mcp_tool" };
  const hook = {
    ...inner,
    ...(statusMessage === null ? {} : { statusMessage }),
    ...(limit === null || limit === standardContextLimit ? {} : { additionalContextLimit: limit }),
  };
  const identity = { event_name: snake(hookEventNames[event]), hooks: [hook], ...(matcher === null ? {} : { matcher }) };
  return `sha256:${createHash("sha256")
    .update(JSON.stringify(sorted(identity)))
    .digest("hex")}`;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isTable(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key])]),
  );
}

function fileOf({ source }: Layer): string {
  if ("file" in source) return source.file;
  return source.type === "project" ? path.join(source.dotCodexFolder, "config.toml") : "/<session-flags>/config.toml";
}

function sourceOf({ source }: Layer): HookSource {
  switch (source.type) {
    case "system":
    case "user":
    case "project":
    case "sessionFlags":
      return source.type;
    case "legacyManagedConfigTomlFromFile":
      return "legacyManagedConfigFile";
    default:
      return "unknown";
  }
}
