/** Converts every spelling that a document or a version uses into the one that the tables validate. Serves the rows' `accept`. */
import { jsonSchema } from "../lib/schema.ts";
import type { RawParams } from "./define.ts";
import { invalidRequest } from "./errors.ts";
import { ResponseItem } from "./model-item.ts";

/** Converts one value. An unreadable value is returned unchanged, so that validation rejects it: never a default, never something more permissive. */
type Respell = (value: unknown) => unknown;

/** Applies each conversion to its field if that is set; the given params are not modified. */
export function respell(fields: Readonly<Record<string, Respell>>): (params: RawParams) => RawParams {
  return (params) => {
    const changed: RawParams = {};
    for (const [field, rewrite] of Object.entries(fields)) {
      const value = own(params, field);
      if (value !== undefined && value !== null) changed[field] = rewrite(value);
    }
    return { ...params, ...changed };
  };
}

/** Applies conversions one after another. */
export const inTurn =
  (...steps: readonly ((params: RawParams) => RawParams)[]): ((params: RawParams) => RawParams) =>
  (params) =>
    steps.reduce((given, step) => step(given), params);

/** Allows a field to be sent under other names. The real name wins only if the others agree with it. */
export function renamed(field: string, ...aliases: readonly string[]): (params: RawParams) => RawParams {
  return (params) => {
    const value = oneOf(params, [field, ...aliases]);
    return value === undefined ? params : { ...params, [field]: value };
  };
}

/** A value in kebab-case, camelCase or snake_case, looked up in a vocabulary written in kebab-case. */
function inVocabulary(vocabulary: Readonly<Record<string, string>>): Respell {
  return (value) => (typeof value === "string" && value.length < 40 ? (own(vocabulary, kebab(value)) ?? value) : value);
}
const kebab = (text: string): string => text.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`).replace(/[_ ]/g, "-");

export const approvalPolicy: Respell = inVocabulary({
  "unless-trusted": "untrusted",
  "on-failure": "on-failure",
  "on-request": "on-request",
});

export const sandboxMode: Respell = inVocabulary({
  "read-only": "read-only",
  "workspace-write": "workspace-write",
  "danger-full-access": "danger-full-access",
});

const policyTypes: Readonly<Record<string, string>> = {
  "read-only": "readOnly",
  "workspace-write": "workspaceWrite",
  "danger-full-access": "dangerFullAccess",
  "external-sandbox": "externalSandbox",
};
const policyFields: Readonly<Record<string, string>> = {
  networkAccess: "network_access",
  writableRoots: "writable_roots",
  excludeTmpdirEnvVar: "exclude_tmpdir_env_var",
  excludeSlashTmp: "exclude_slash_tmp",
};

/** Tag `type` or `mode`, values in camel or kebab case, fields in camel or snake case. Always an object; two tags or fields that disagree are rejected. */
export const sandboxPolicy: Respell = (value) => {
  if (!isObject(value)) return value;
  const policy: RawParams = { ...value };
  const tags = ["type", "mode"].filter((key) => own(value, key) !== undefined).map((key) => inVocabulary(policyTypes)(own(value, key)));
  if (tags.length === 2 && tags[0] !== tags[1])
    throw invalidRequest("Invalid request: sandboxPolicy has a `type` and a `mode` that disagree; send `type` alone");
  if (tags.length > 0) policy["type"] = tags[0];
  delete policy["mode"];
  for (const [field, snake] of Object.entries(policyFields)) {
    const set = oneOf(value, [field, snake], "sandboxPolicy.");
    if (set !== undefined) policy[field] = set;
    delete policy[snake];
  }
  return policy;
};

/** The names of the older collaboration modes are valid on the wire too; their spelling is normalized, including the presets' titles. */
const modeNames = inVocabulary({ pair: "pair_programming", "pair-programming": "pair_programming" });
const modeTitles: Readonly<Record<string, string>> = {
  Plan: "plan",
  Default: "default",
  Code: "code",
  "Pair Programming": "pair_programming",
  Execute: "execute",
};
const modeKind: Respell = (value) => (typeof value === "string" ? (own(modeTitles, value) ?? modeNames(value)) : value);
export const collaborationMode: Respell = (value) => (isObject(value) ? respell({ mode: modeKind })(value) : value);

/** The input of a turn: current flat items, and those of the v1 API (`{type, data}`, `image_url`, `local_image`). */
export const userInput: Respell = (value) => (Array.isArray(value) ? value.map(inputItem) : value);

function inputItem(value: unknown): unknown {
  if (!isObject(value)) return value;
  const { data, ...rest } = value;
  const item: RawParams = isObject(data) ? { ...data, ...rest } : value;
  const type = inVocabulary({ "local-image": "localImage", "local-audio": "localAudio" })(own(item, "type"));
  const url = type === "image" ? oneOf(item, ["url", "image_url", "imageUrl"]) : undefined;
  const elements = type === "text" ? oneOf(item, ["text_elements", "textElements"]) : undefined;
  const even = {
    ...item,
    ...(type === undefined ? {} : { type }),
    ...(url === undefined ? {} : { url }),
    ...(elements === undefined ? {} : { text_elements: elements }),
  };
  return Array.isArray(elements) ? { ...even, text_elements: elements.map(textElement) } : even;
}
/** Removes the other spelling, because a converted value may be converted again in a nested place. */
const textElement: Respell = (value) => {
  if (!isObject(value)) return value;
  const { byte_range: _, ...even } = renamed("byteRange", "byte_range")(value);
  return even;
};

/** The flat form of a dynamic tool (`{name, description, inputSchema}`) is the current `function`; with `namespace`, one of that namespace. */
export const dynamicTools: Respell = (value) => {
  if (!Array.isArray(value)) return value;
  const namespaces = new Map<string, unknown[]>();
  return value.flatMap((tool: unknown): unknown[] => {
    const name = isObject(tool) && own(tool, "type") === undefined ? own(tool, "namespace") : undefined;
    if (!isObject(tool) || typeof name !== "string" || name === "") return [dynamicTool(tool)];
    const { namespace: _, exposeToContext, ...rest } = tool;
    const inner = { ...rest, type: "function", ...(exposeToContext === false ? { deferLoading: true } : {}) };
    const known = namespaces.get(name);
    if (known !== undefined) {
      known.push(inner);
      return [];
    }
    const tools = [inner];
    namespaces.set(name, tools);
    return [{ type: "namespace", name, description: "", tools }];
  });
};

function dynamicTool(value: unknown): unknown {
  if (!isObject(value)) return value;
  const type = own(value, "type");
  const tools = own(value, "tools");
  if (type === undefined && tools === undefined) return { ...value, type: "function" };
  return type === "namespace" && Array.isArray(tools) ? { ...value, tools: tools.map(dynamicTool) } : value;
}

const contentTypes = inVocabulary({
  text: "inputText",
  "input-text": "inputText",
  image: "inputImage",
  "input-image": "inputImage",
  "input-audio": "inputAudio",
});

/** Content items of a tool's response: texts may be plain strings, images may be in the form of model items. */
export const contentItems: Respell = (value) =>
  Array.isArray(value) ? value.map(contentItem) : typeof value === "string" ? [contentItem(value)] : value;

function contentItem(value: unknown): unknown {
  if (typeof value === "string") return { type: "inputText", text: value };
  if (!isObject(value)) return value;
  const type = contentTypes(own(value, "type"));
  const imageUrl = type === "inputImage" ? oneOf(value, ["imageUrl", "image_url", "url"]) : undefined;
  return { ...value, ...(type === undefined ? {} : { type }), ...(imageUrl === undefined ? {} : { imageUrl }) };
}

/** Model items: unknown types become `other`, as in the real servers, and outputs are unwrapped from their older forms. */
export const history: Respell = (value) => (Array.isArray(value) ? value.map(modelItem) : value);

function modelItem(value: unknown): unknown {
  if (!isObject(value)) return value;
  const type = own(value, "type");
  if (typeof type === "string" && !knownItems().has(type)) return { type: "other" };
  const output = own(value, "output");
  if (!isObject(output)) return value;
  return { ...value, output: own(output, "body") ?? own(output, "content_items") ?? own(output, "content") ?? output };
}
const knownItems = (): ReadonlySet<string> =>
  new Set((jsonSchema(ResponseItem()).anyOf ?? []).flatMap((member) => member.properties?.["type"]?.enum ?? []));

/** The settings that thread/start, turn/start and similar methods share. */
export const acceptSettings = respell({
  approvalPolicy,
  sandbox: sandboxMode,
  sandboxPolicy,
  collaborationMode,
  input: userInput,
  dynamicTools,
  history,
});

/** The first of several names that is set. Two different values are a contradiction. */
function oneOf(value: RawParams, names: readonly string[], path = ""): unknown {
  const set = names.filter((name) => own(value, name) !== undefined);
  const [first, second] = set;
  if (first === undefined) return undefined;
  if (second !== undefined && !isEqual(own(value, first), own(value, second)))
    throw invalidRequest(`Invalid request: \`${path}${first}\` and \`${path}${second}\` disagree; send \`${path}${first}\` alone`);
  return own(value, first);
}

/** Equal strings, numbers, or lists of them; never compares deeper, however deep the values are. */
function isEqual(a: unknown, b: unknown): boolean {
  return a === b || (Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((item, i) => item === b[i]));
}

const isObject = (value: unknown): value is RawParams => typeof value === "object" && value !== null && !Array.isArray(value);
const own = <T>(value: Readonly<Record<string, T>>, key: string): T | undefined => (Object.hasOwn(value, key) ? value[key] : undefined);
