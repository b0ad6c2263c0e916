/** Parses the front matter of a SKILL.md and the file beside it that says how clients show the skill. */
import path from "node:path";
import { errorMessage } from "../lib/error-text.ts";
import { array, boolean, type Infer, maybe, named, object, optional, parse, record, string, unknown } from "../lib/schema.ts";
import type { SkillDependencies, SkillInterface } from "../protocol/skills.ts";

export interface SkillHead {
  readonly name: string;
  readonly description: string;
  readonly shortDescription: string | undefined;
  readonly interface: SkillInterface | undefined;
  readonly dependencies: SkillDependencies | undefined;
  /** It is used only when named, and not listed for the model otherwise. */
  readonly isOnlyNamed: boolean;
}

const maxName = 64;
const maxDescription = 1024;

const InterfaceFile = named("SkillInterfaceFile", () =>
  object({
    display_name: maybe(string()),
    short_description: maybe(string()),
    icon_small: maybe(string()),
    icon_large: maybe(string()),
    brand_color: maybe(string()),
    default_prompt: maybe(string()),
  }),
);
const Tool = () =>
  object({
    type: string(),
    value: string(),
    description: maybe(string()),
    transport: maybe(string()),
    command: maybe(string()),
    url: maybe(string()),
  });
const Head = named("SkillFrontMatter", () =>
  object({
    name: maybe(string()),
    description: maybe(string()),
    metadata: maybe(record(unknown())),
    interface: maybe(unknown()),
    dependencies: maybe(unknown()),
  }),
);
const Policy = named("SkillPolicyFile", () => object({ allow_implicit_invocation: optional(boolean()) }));
const Dependencies = named("SkillDependenciesFile", () => object({ tools: array(Tool()) }));

/** `file` gives the name when the front matter does not. `extra` is the text of `agents/openai.yaml`. Throws Error with a message for the user. */
export async function readHead(file: string, text: string, extra: string | undefined): Promise<SkillHead> {
  const found = /^\ufeff?---[ \t]*\r?\n([\s\S]*?)(?:\r?\n)?---[ \t]*(?:\r?\n|$)/.exec(text);
  if (found === null) throw new Error("missing YAML frontmatter delimited by ---");
  const head = parse(Head, (await parseYaml(found[1] ?? "")) ?? {});
  if (head === undefined) throw new Error("invalid YAML: `name` and `description` must be texts");
  const folder = path.dirname(file);
  const name = oneLine(head.name ?? "") || path.basename(folder);
  const description = oneLine(head.description ?? "");
  if (description === "") throw new Error("missing field `description`");
  if (name.length > maxName) throw new Error(`invalid name: exceeds maximum length of ${maxName} characters`);
  if (!/^[\p{L}\p{N}][\p{L}\p{N}_.:-]*$/u.test(name)) throw new Error("invalid name: use letters, digits, `-`, `_`, `.` and `:` only");
  const short = head.metadata?.["short-description"] ?? head.metadata?.["short_description"];
  const more = await parseExtra(extra);
  return {
    name,
    description: description.length > maxDescription ? `${description.slice(0, maxDescription - 1)}…` : description,
    shortDescription: typeof short === "string" ? oneLine(short) : undefined,
    interface: interfaceFrom(more["interface"] ?? head.interface, folder),
    dependencies: dependenciesFrom(more["dependencies"] ?? head.dependencies),
    isOnlyNamed: parse(Policy, more["policy"])?.allow_implicit_invocation === false,
  };
}

const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim();

/** Decoration only: a broken file costs the skill its icons, nothing else. */
async function parseExtra(text: string | undefined): Promise<Readonly<Record<string, unknown>>> {
  if (text === undefined) return {};
  try {
    const value = await parseYaml(text);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

function interfaceFrom(value: unknown, folder: string): SkillInterface | undefined {
  const found = parse(InterfaceFile, value);
  if (found === undefined || value === null || value === undefined) return undefined;
  return {
    displayName: found.display_name ?? null,
    shortDescription: found.short_description ?? null,
    iconSmall: iconPath(found.icon_small, folder),
    iconLarge: iconPath(found.icon_large, folder),
    iconSmallUrl: null,
    iconLargeUrl: null,
    brandColor: /^#[0-9a-fA-F]{6}$/.test(found.brand_color ?? "") ? (found.brand_color ?? null) : null,
    defaultPrompt: found.default_prompt ?? null,
  };
}

/** Icons come from the skill's own folder; a path outside it is dropped. */
function iconPath(file: string | null | undefined, folder: string): string | null {
  if (file === null || file === undefined) return null;
  const absolute = path.resolve(folder, file);
  return absolute.startsWith(folder + path.sep) ? absolute : null;
}

function dependenciesFrom(value: unknown): SkillDependencies | undefined {
  const found: Infer<typeof Dependencies> | undefined = value === undefined || value === null ? undefined : parse(Dependencies, value);
  return found === undefined || found.tools.length === 0 ? undefined : { tools: found.tools };
}

/** Loading the YAML library costs more than reading a hundred skills, so front matter of plain `key: text` lines is parsed without it. */
async function parseYaml(text: string): Promise<unknown> {
  const plain = parsePlain(text);
  if (plain !== undefined) return plain;
  const { parse: parseFull } = await import("yaml");
  try {
    return parseFull(text, { maxAliasCount: 100, prettyErrors: false });
  } catch (error) {
    throw new Error(`invalid YAML: ${errorMessage(error)}`);
  }
}

/** undefined for everything that YAML could parse as more than plain text. */
export function parsePlain(text: string): Record<string, unknown> | undefined {
  const root: Record<string, unknown> = {};
  let inner: Record<string, unknown> | undefined;
  for (const line of text.split(/\r?\n/)) {
    if (/^\s*(#.*)?$/.test(line)) continue;
    const found = /^( {2})?([A-Za-z][A-Za-z0-9_-]*):(?: +(.*?))?\s*$/.exec(line);
    if (found === null) return undefined;
    const [, indent, key = "", text] = found;
    if (indent !== undefined && inner === undefined) return undefined;
    const target = indent === undefined ? root : inner;
    if (target === undefined || Object.hasOwn(target, key)) return undefined;
    if (text === undefined || text === "") {
      if (indent !== undefined) return undefined;
      inner = {};
      target[key] = inner;
      continue;
    }
    if (indent === undefined) inner = undefined;
    const value = plainText(text);
    if (value === undefined) return undefined;
    target[key] = value;
  }
  return root;
}

function plainText(text: string): string | undefined {
  if (/^"(?:[^"\\\p{Cc}])*"$/u.test(text)) return text.slice(1, -1);
  if (/^'[^']*'$/.test(text)) return text.slice(1, -1);
  if (!/^[A-Za-z]/.test(text) || /: |:$| #/.test(text)) return undefined;
  return /^(?:true|false|yes|no|on|off|null|y|n)$/i.test(text) ? undefined : text;
}
