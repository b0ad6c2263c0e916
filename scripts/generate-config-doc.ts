/** Writes docs/config.md from the table of keys, so that the document always matches the code. */

import { featureRows } from "../src/config/features.ts";
import type { Key, Keys } from "../src/config/key.ts";
import { configKeys, foreignKeys, notFromProjects } from "../src/config/keys.ts";
import { enforced, snakeCase } from "../src/config/requirements.ts";
import { jsonSchema } from "../src/lib/schema.ts";

interface Row {
  readonly path: string;
  readonly key: Key;
}

export function renderConfigDoc(): string {
  const rows = rowsOf(configKeys).filter(({ path }) => !path.startsWith("profiles.<name>."));
  const unused = rows.filter(({ key }) => key.unused !== undefined);
  const used = rows.filter(({ key, path }) => key.unused === undefined && !unused.some((other) => path.startsWith(`${other.path}.`)));
  return [
    "# config.toml",
    "",
    "Generated from `src/config/keys.ts`; change it there and run `npm run generate`.",
    "",
    "## Where settings come from",
    "",
    "Stronger layers win key by key; tables are merged, lists and values are replaced. From the weakest to the strongest:",
    "",
    "1. the machine: `/etc/codex/config.toml`",
    "2. the user: `$CODEX_HOME/config.toml` (`~/.codex` when `CODEX_HOME` is not set)",
    "3. the profile in use: `[profiles.<name>]`, or the file `<name>.config.toml` beside config.toml; chosen by `profile`",
    "4. the project: `.codex/config.toml` of each folder from the project's root down to the working folder, **only when the user trusts the project**",
    "5. the command line: `-c key=value`, and the `config` of a request",
    "6. the administrator: `/etc/codex/managed_config.toml`",
    "",
    `\`/etc/codex/requirements.toml\` holds what the administrator demands. Enforced are ${wrapCodes([...enforced].map(snakeCase).sort())}: a setting of a file that is not allowed gives way with a warning; a request or a write that asks for one is refused with what is allowed. Other keys are shown by \`configRequirements/read\`, are not enforced, and say so in a warning. Managed preferences of macOS (MDM) are not read.`,
    "",
    "A changed setting, by an edit of a file or by `config/value/write` and `config/batchWrite`, reaches running threads with their next turn, unless the client or an earlier turn chose that setting for the thread itself. Base instructions stay as they were when the thread began.",
    "",
    "A file that is not TOML, or a value of the wrong kind, stops every thread and turn from starting, with a message that names the file and the key: there is never a silent run with other settings. An unknown key is kept, ignored, and reported by a `configWarning`.",
    "",
    "## Trust",
    "",
    "Nothing of a folder takes effect before the user trusts it: no settings, MCP servers, rules, hooks or skills. Trust is an entry in the user's own file:",
    "",
    "```toml",
    '[projects."/path/to/project"]',
    'trust_level = "trusted"',
    "```",
    "",
    "A writable sandbox is no trust, and opening a folder never writes such an entry. A linked worktree has the trust of its repository when the repository knows it. Even a trusted project cannot set these keys, which say where credentials go, which programs run beside the agent, or whom the user trusts:",
    "",
    wrapCodes([...notFromProjects].filter((key) => Object.hasOwn(configKeys, key)).sort()),
    "",
    "Trust covers what the project holds when it is first used: `.codex/config.toml`, `.codex/rules`, MCP servers and skills at its root. What is new or different later, and whatever lies in `.codex` and `.agents` folders below the root, is bound to the user's word: settings that could widen anything are void, rules allow nothing, servers are not started, skills are not offered. A `configWarning` names the file and the fix: `parley trust` in that folder shows what waits and accepts it until it changes again; a client accepts by writing `projects.<path>.trust_level = \"trusted\"` once more, and `parley mcp accept <name>` takes a single server. What narrows counts at once: a stricter sandbox or approval policy, rules that ask or forbid. A server that takes the place of one of the user's own is accepted by these two commands only. What was accepted is kept as digests under `$CODEX_HOME/parley/trust`.",
    "",
    "## Keys",
    "",
    "| key | kind | standard | what it does |",
    "|---|---|---|---|",
    ...used.map(({ path, key }) => `| \`${path}\` | ${kindOf(key)} | ${cell(key.standard ?? "")} | ${cell(key.text)} |`),
    "",
    "A profile may hold the keys up to `experimental_use_freeform_apply_patch` in this list.",
    "",
    "## Features",
    "",
    "| `features.` | stage | standard | what it does |",
    "|---|---|---|---|",
    ...Object.entries(featureRows).map(
      ([name, row]) => `| \`${name}\` | ${row.stage} | ${row.defaultEnabled ? "on" : "off"} | ${cell(row.description ?? "")} |`,
    ),
    "",
    "## Keys that are read and change nothing",
    "",
    "| key | why |",
    "|---|---|",
    ...unused.map(({ path, key }) => `| \`${path}\` | ${cell(key.unused ?? "")} |`),
    "",
    "Keys of other programs that share the file are kept as they are and not reported: " +
      wrapCodes([...foreignKeys, ...foreignInside(configKeys)]) +
      ".",
    "",
  ].join("\n");
}

const wrapCodes = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(", ");
const cell = (text: string): string => text.replaceAll("|", "\\|");

/** Names that other programs use inside tables that we read. */
function foreignInside(keys: Keys, prefix = ""): string[] {
  return Object.entries(keys).flatMap(([name, key]) => {
    if (key.foreign === true) return [prefix + name];
    if (key.kind === "table") return foreignInside(key.keys, `${prefix}${name}.`);
    return key.kind === "named" && key.of.kind === "table" ? foreignInside(key.of.keys, `${prefix}${name}.<${key.name}>.`) : [];
  });
}

function rowsOf(keys: Keys, prefix = ""): Row[] {
  return Object.entries(keys).flatMap(([name, key]) =>
    key.foreign === true ? [] : [{ path: prefix + name, key }, ...inside(key, prefix + name)],
  );
}

function inside(key: Key, path: string): Row[] {
  if (key.kind === "table") return rowsOf(key.keys, `${path}.`);
  if (key.kind === "named" && key.of.kind === "table") return rowsOf(key.of.keys, `${path}.<${key.name}>.`);
  return [];
}

function kindOf(key: Key): string {
  if (key.kind === "table") return "table";
  if (key.kind === "named") return key.of.kind === "table" ? `tables by ${key.name}` : `${kindOf(key.of)} by ${key.name}`;
  return shapeOf(jsonSchema(key.shape()));
}

interface Shape {
  readonly type?: string | undefined;
  readonly enum?: readonly unknown[] | undefined;
  readonly anyOf?: readonly Shape[] | undefined;
  readonly items?: unknown;
  readonly additionalProperties?: unknown;
}

const isShape = (value: unknown): value is Shape => typeof value === "object" && value !== null && !Array.isArray(value);

function shapeOf(shape: Shape): string {
  if (shape.enum !== undefined) return shape.enum.map((choice) => `\`${String(choice)}\``).join(", ");
  if (shape.anyOf !== undefined) return shape.anyOf.map(shapeOf).join(" or ");
  if (shape.type === "array") return `list of ${isShape(shape.items) ? shapeOf(shape.items) : "values"}`;
  if (shape.type === "object") return isShape(shape.additionalProperties) ? `table of ${shapeOf(shape.additionalProperties)}` : "table";
  return { string: "text", boolean: "true/false", integer: "whole number", number: "number" }[shape.type ?? ""] ?? "anything";
}
