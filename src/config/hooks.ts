/** The hooks that files define, for hooks/list. Hooks of folders the user does not trust are left out. */
import { createHash } from "node:crypto";
import path from "node:path";
import { isTable, type TomlTable } from "../lib/toml.ts";
import type { HookEventName, HookMetadata, HookSource, HooksListEntry } from "../protocol/hooks.ts";
import { hookEvents } from "./key-tables.ts";
import type { FileCache, Layer } from "./layers.ts";
import { mergeStack, type Stack } from "./loader.ts";
import { bool, count, tableAt, text } from "./read-value.ts";

const notRun = "this server lists hooks and runs none of them";
const standardTimeout = 600;

export function listHooks(cwd: string, stack: Stack, files: FileCache): HooksListEntry {
  const errors: HooksListEntry["errors"] = [];
  const hooks: HookMetadata[] = [];
  const state = tableAt(tableAt(mergeStack(stack.layers), "hooks"), "state");
  for (const { file, source, table } of tablesOf(stack, files, errors))
    for (const found of hooksIn(table, file, source, state)) hooks.push({ ...found, displayOrder: hooks.length });
  return { cwd, hooks, errors, warnings: hooks.length === 0 ? [] : [notRun] };
}

/** Who relies on hooks to stop or to record something must not believe that they do. */
export function hookWarnings(cwd: string, stack: Stack, files: FileCache): string[] {
  const { hooks } = listHooks(cwd, stack, files);
  const places = [...new Set(hooks.filter(({ enabled }) => enabled).map(({ sourcePath }) => sourcePath))];
  return places.map((place) => `${place}: hooks are set, and ${notRun}`);
}

interface HookTable {
  readonly file: string;
  readonly source: HookSource;
  readonly table: TomlTable;
}

/** The `[hooks]` tables of the layers in force, and the hooks.json files beside them. */
function* tablesOf(stack: Stack, files: FileCache, errors: HooksListEntry["errors"]): Generator<HookTable> {
  for (const layer of stack.layers.filter((candidate) => candidate.disabledReason === undefined)) {
    const { source } = layer;
    const file =
      "file" in source ? source.file : source.type === "project" ? path.join(source.dotCodexFolder, "config.toml") : "session flags";
    yield { file, source: sourceOf(layer), table: tableAt(layer.config, "hooks") };
    if ((source.type === "user" && typeof source.profile !== "string") || source.type === "system")
      yield* jsonTable(path.join(path.dirname(file), "hooks.json"), source.type, files, errors);
  }
  const folders = stack.project.trust === "trusted" ? stack.project.folders : [];
  for (const folder of folders) yield* jsonTable(path.join(folder, ".codex", "hooks.json"), "project", files, errors);
}

function* jsonTable(file: string, source: HookSource, files: FileCache, errors: HooksListEntry["errors"]): Generator<HookTable> {
  try {
    const content = files.read(file);
    if (content === undefined) return;
    const parsed: unknown = JSON.parse(content.text);
    if (isTable(parsed) && isTable(parsed["hooks"])) yield { file, source, table: parsed["hooks"] };
    else errors.push({ path: file, message: "expected an object with the key `hooks`" });
  } catch (error) {
    errors.push({ path: file, message: error instanceof Error ? error.message : String(error) });
  }
}

function* hooksIn(table: TomlTable, file: string, source: HookSource, state: TomlTable): Generator<HookMetadata> {
  for (const event of Object.keys(hookEvents)) {
    const groups = Object.hasOwn(table, event) && Array.isArray(table[event]) ? table[event] : [];
    for (const [g, group] of groups.entries()) {
      const handlers = isTable(group) && Array.isArray(group["hooks"]) ? group["hooks"] : [];
      for (const [h, handler] of handlers.entries()) {
        const facts = isTable(handler) ? handlerFacts(handler) : undefined;
        if (facts === undefined || !isTable(handler) || !isTable(group)) continue;
        const key = `${file}:${event.replace(/(?<=.)([A-Z])/g, "_$1").toLowerCase()}:${g}:${h}`;
        yield { ...facts, ...commonFacts({ key, event, file, source, group, handler, state }) };
      }
    }
  }
}

interface Place {
  readonly key: string;
  readonly event: string;
  readonly file: string;
  readonly source: HookSource;
  readonly group: TomlTable;
  readonly handler: TomlTable;
  readonly state: TomlTable;
}

function commonFacts({ key, event, file, source, group, handler, state }: Place) {
  const matcher = text(group, "matcher") ?? null;
  const currentHash = `sha256:${createHash("sha256")
    .update(JSON.stringify([event, matcher, handler]))
    .digest("hex")}`;
  const known = tableAt(state, key);
  const trusted = text(known, "trusted_hash");
  return {
    key,
    eventName: eventNameOf(event),
    matcher,
    timeoutSec: count(handler, "timeout") ?? count(handler, "timeout_sec") ?? standardTimeout,
    statusMessage: text(handler, "statusMessage") ?? text(handler, "status_message") ?? null,
    additionalContextLimit: null,
    sourcePath: file,
    source,
    pluginId: null,
    environmentId: null,
    displayOrder: 0,
    enabled: bool(known, "enabled") ?? true,
    isManaged: source === "system" || source === "legacyManagedConfigFile",
    currentHash,
    trustStatus: trusted === undefined ? ("untrusted" as const) : trusted === currentHash ? ("trusted" as const) : ("modified" as const),
  };
}

function handlerFacts(handler: TomlTable) {
  switch (handler["type"]) {
    case "command": {
      const command = text(handler, "command");
      return command === undefined ? undefined : { handlerType: "command" as const, command, async: bool(handler, "async") ?? false };
    }
    case "mcp_tool":
      return { handlerType: "mcpTool" as const, server: text(handler, "server") ?? "", tool: text(handler, "tool") ?? "" };
    case "prompt":
      return { handlerType: "prompt" as const };
    case "agent":
      return { handlerType: "agent" as const };
    default:
      return undefined;
  }
}

const eventNames: Readonly<Record<string, HookEventName>> = {
  PreModelRequest: "preModelRequest",
  PostModelRequest: "postModelRequest",
  PreToolUse: "preToolUse",
  PostToolUse: "postToolUse",
  PermissionRequest: "permissionRequest",
  PreCompact: "preCompact",
  PostCompact: "postCompact",
  SessionStart: "sessionStart",
  SessionEnd: "sessionEnd",
  UserPromptSubmit: "userPromptSubmit",
  SubagentStart: "subagentStart",
  SubagentStop: "subagentStop",
  Stop: "stop",
  Interrupt: "interrupt",
};
const eventNameOf = (event: string): HookEventName => eventNames[event] ?? "stop";

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
