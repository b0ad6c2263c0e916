/** Writes settings to the user's file: all edits or none, validated before they are written, everything else in the file untouched. */
import { realpathSync, statSync } from "node:fs";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { readBoundedTextSync } from "../lib/bounded-read.ts";
import { replaceFileSync } from "../lib/durable-write.ts";
import { errorMessage } from "../lib/error-text.ts";
import { isTable, parseToml, setOwn, TomlSyntaxError, type TomlTable } from "../lib/toml.ts";
import type { ConfigEdit, ConfigWriteResponse, OverriddenMetadata } from "../protocol/config.ts";
import { invalidRequest, RpcError } from "../protocol/errors.ts";
import { maxFileBytes } from "./file-cache.ts";
import { type Layer, makeLayer, problemOf } from "./layers.ts";
import { mcpServersFrom } from "./mcp-servers.ts";
import { formatKeyPath, mergeStack, mergeTables, parseKeyPath, valueAt } from "./merge.ts";
import { metadataOf } from "./read.ts";
import { tableAt } from "./read-value.ts";
import { editToml, withValue } from "./toml-edit.ts";

export interface WriteTarget {
  /** The user's config.toml, or the file of the active profile. */
  readonly file: string;
  readonly expectedVersion: string | undefined;
  /** What an administrator forbids: an error message, or undefined when the table is allowed. */
  readonly forbidden: (config: TomlTable) => string | undefined;
}

type WriteErrorCode = "configLayerReadonly" | "configVersionConflict" | "configValidationError";
export const writeError = (code: WriteErrorCode, message: string): RpcError => invalidRequest(message, { config_write_error_code: code });

class ChangedMeanwhile extends RpcError {
  constructor() {
    const { code, message, data } = writeError(
      "configVersionConflict",
      "Configuration was modified since last read. Fetch latest version and retry.",
    );
    super(code, message, data);
  }
}

interface Written {
  /** Of the file's new content. */
  readonly version: string;
  readonly paths: readonly string[][];
}

/** How often edits are applied anew to what another process has just written. */
const mostAttempts = 20;

/**
 * Throws RpcError with a `config_write_error_code`; the file is then unchanged. Another process that writes at the same moment is a conflict
 * only for a caller that expects a version.
 */
export function writeConfig(edits: readonly ConfigEdit[], target: WriteTarget): Written {
  for (let attempt = 1; ; attempt++) {
    try {
      return writeOnce(edits, target);
    } catch (error) {
      if (target.expectedVersion !== undefined || attempt === mostAttempts || !(error instanceof ChangedMeanwhile)) throw error;
    }
  }
}

function writeOnce(edits: readonly ConfigEdit[], target: WriteTarget): Written {
  const file = resolveLink(target.file);
  const text = readIfThere(file);
  const before = parsed(text, file);
  if (target.expectedVersion !== undefined && target.expectedVersion !== versionIn(before, file)) throw new ChangedMeanwhile();
  let edited = text;
  let table = before;
  const paths: string[][] = [];
  for (const edit of edits) {
    const parts = keyParts(edit.keyPath);
    const value = newValue(edit, parts, table);
    paths.push(parts);
    edited = editToml(edited, parts, value);
    table = withValue(table, parts, value);
  }
  check(table);
  // Existing values that are forbidden are overridden when read; they must not keep other keys from being written.
  const touched = Object.entries(table).filter(([key]) => paths.some(([first]) => first === key));
  const refused = target.forbidden(Object.fromEntries(touched));
  if (refused !== undefined) throw writeError("configValidationError", `Invalid configuration: ${refused}`);
  if (edited !== text) replaceFile(file, text, edited);
  return { version: versionIn(table, file), paths };
}

function keyParts(keyPath: string): string[] {
  if (keyPath.trim() === "") throw writeError("configValidationError", "keyPath must not be empty");
  const parts = parseKeyPath(keyPath);
  if (!Array.isArray(parts))
    throw writeError("configValidationError", /empty or unfinished/.test(parts.wrong) ? "keyPath segments must not be empty" : parts.wrong);
  return parts;
}

function newValue(edit: ConfigEdit, parts: readonly string[], table: TomlTable): unknown {
  for (let depth = 1; depth < parts.length; depth++) {
    const above = valueAt(table, parts.slice(0, depth));
    if (above !== undefined && !isTable(above)) throw writeError("configValidationError", "cannot set value on non-table parent");
  }
  if (edit.value === null || edit.value === undefined) return undefined;
  const value = storable(edit.value, formatKeyPath(parts));
  const old = valueAt(table, parts);
  return edit.mergeStrategy === "upsert" && isTable(old) && isTable(value) ? mergeTables(old, value) : value;
}

/** JSON as TOML can represent it: null keys are not set. */
function storable(value: unknown, where: string): unknown {
  if (Array.isArray(value)) return value.map((item) => storable(item, where));
  if (value === null) throw writeError("configValidationError", `a list in \`${where}\` holds null, which TOML cannot store`);
  if (!isTable(value)) return value;
  const kept: TomlTable = {};
  for (const [key, inner] of Object.entries(value)) {
    if (key === "__proto__" || key === "constructor" || key === "prototype")
      throw writeError("configValidationError", `key path part \`${key}\` is not allowed`);
    if (inner !== null) setOwn(kept, key, storable(inner, where));
  }
  return kept;
}

function check(table: TomlTable): void {
  const wrong = problemOf(table);
  // Clients of the real server expect the key on a line of its own.
  if (wrong !== undefined) throw writeError("configValidationError", `Invalid configuration: ${wrong.replace(/ (in `[^`]+`)$/, "\n$1\n")}`);
  try {
    mcpServersFrom(tableAt(table, "mcp_servers"));
  } catch (error) {
    throw writeError("configValidationError", `Invalid configuration: ${errorMessage(error)}`);
  }
}

function parsed(text: string, file: string): TomlTable {
  try {
    return parseToml(text);
  } catch (error) {
    if (!(error instanceof TomlSyntaxError)) throw error;
    throw writeError(
      "configValidationError",
      `${file} is broken and must be mended first: line ${error.line}, column ${error.column}: ${error.message}`,
    );
  }
}

/** The version that config/read reports for this content; an invalid table has none and never matches. */
function versionIn(table: TomlTable, file: string): string {
  return problemOf(table) === undefined ? makeLayer({ type: "user", file }, table, file).version() : "invalid";
}

/** The target of a symlink: users keep their settings elsewhere and link to them, and the link must survive. */
function resolveLink(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return path.resolve(file);
  }
}

function readIfThere(file: string): string {
  return statSync(file, { throwIfNoEntry: false }) === undefined ? "" : readBoundedTextSync(file, maxFileBytes);
}

/** Readable by its owner only: it may contain keys. */
function replaceFile(file: string, before: string, after: string): void {
  const beforeReplace = (): void => {
    if (readIfThere(file) !== before) throw new ChangedMeanwhile();
  };
  replaceFileSync(file, after, { mode: 0o600, beforeReplace });
}

/** Reports when a stronger layer hides what was just written. `layers` are the active ones, weakest first. */
export function writeOutcome(file: string, version: string, paths: readonly string[][], layers: readonly Layer[]): ConfigWriteResponse {
  const written = layers.findIndex((layer) => layer.source.type === "user" && layer.source.file === file);
  const stronger = layers.slice(written + 1).filter((layer) => layer.disabledReason === undefined);
  const effective = mergeStack(layers);
  for (const parts of paths) {
    const hiding = stronger.findLast((layer) => valueAt(layer.config, parts) !== undefined);
    const mine = written === -1 ? undefined : valueAt(layers[written]?.config, parts);
    if (hiding === undefined || isDeepStrictEqual(valueAt(effective, parts), mine)) continue;
    const overriddenMetadata: OverriddenMetadata = {
      message: `Overridden by ${describe(hiding)}`,
      overridingLayer: metadataOf(hiding),
      effectiveValue: valueAt(effective, parts),
    };
    return { status: "okOverridden", version, filePath: file, overriddenMetadata };
  }
  return { status: "ok", version, filePath: file, overriddenMetadata: null };
}

function describe({ source }: Layer): string {
  switch (source.type) {
    case "sessionFlags":
      return "session flags";
    case "project":
      return `project config: ${source.dotCodexFolder}/config.toml`;
    case "user":
      return `profile: ${source.profile ?? source.file}`;
    default:
      return `managed config: ${"file" in source ? source.file : source.type}`;
  }
}
