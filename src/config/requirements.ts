/** The requirements of the machine's administrator (requirements.toml): read, shown, and enforced where this server can. */
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { Config } from "../core/ports/config.ts";
import { modeOfRules } from "../core/ports/file-access.ts";
import { hookEventNames } from "../core/ports/hooks.ts";
import { type JsonSchema, jsonSchema, parse, problem } from "../lib/schema.ts";
import { check } from "../lib/schema-check.ts";
import { isTable, parseToml, setOwn, TomlSyntaxError, type TomlTable } from "../lib/toml.ts";
import { ConfigRequirements } from "../protocol/config-requirements.ts";
import { invalidRequest } from "../protocol/errors.ts";
import { permissionProfiles, type SandboxMode } from "../protocol/policy.ts";
import type { FileCache } from "./file-cache.ts";
import { mergeTables } from "./merge.ts";
import { generalNetwork, managedRules, shownNetwork, underManaged, unenforcedNetwork } from "./network-profile.ts";
import type { Profiles } from "./permissions.ts";
import { tableAt } from "./read-value.ts";

export interface Requirements {
  readonly file: string;
  readonly values: ConfigRequirements;
  /** The administrator's own hooks, as written in the file. */
  readonly hooks: TomlTable | undefined;
  /** Requirements that this server knows but cannot enforce, and unknown keys. */
  readonly warnings: readonly string[];
}

/** Values that override every layer's, by the config.toml key that each sets. */
const requiredValues = {
  chatgpt_base_url: "chatgptBaseUrl",
  check_for_update_on_startup: "checkForUpdateOnStartup",
  cli_auth_credentials_store: "cliAuthCredentialsStore",
  feedback: "feedback",
  log_dir: "logDir",
  model_provider: "modelProvider",
  model_providers: "modelProviders",
  otel: "otel",
} as const satisfies Readonly<Record<string, keyof ConfigRequirements>>;

/** By their names on the wire. */
export const enforced: ReadonlySet<string> = new Set([
  ...["allowedApprovalPolicies", "allowedApprovalsReviewers", "allowedSandboxModes", "allowedPermissionProfiles"],
  ...["allowedWebSearchModes", "allowedLoginMethods", "featureRequirements", "additionalDeveloperInstructions", "defaultPermissions"],
  ...["hooks", "allowManagedHooksOnly", "network"],
  ...Object.values(requiredValues),
]);

/** undefined when there is no file. Throws invalidRequest when it is broken: an unreadable requirement must not be skipped. */
export function readRequirements(files: FileCache, systemDir: string): Requirements | undefined {
  const file = path.join(systemDir, "requirements.toml");
  const content = files.read(file);
  return content === undefined ? undefined : files.derive(content, "requirements", () => requirementsFrom(content.text, file));
}

function requirementsFrom(text: string, file: string): Requirements {
  const wire: TomlTable = {};
  const table = parsed(text, file);
  const shapes = jsonSchema(ConfigRequirements()).properties ?? {};
  for (const [key, value] of Object.entries(table)) {
    const name = wireNames.get(key) ?? camelCase(key);
    setOwn(wire, name, asOnWire(Object.hasOwn(shapes, name) ? shapes[name] : undefined, shown.get(key)?.(value) ?? value));
  }
  const warnings: string[] = [];
  const values: TomlTable = {};
  for (const [key, value] of Object.entries(wire)) {
    const wrong = problem(ConfigRequirements(), { [key]: value }) ?? emptyList(key, value);
    if (wrong !== undefined && enforced.has(key)) throw invalidRequest(`invalid requirements in ${file}: ${wrong}`);
    if (Object.hasOwn(shapes, key) && wrong === undefined) setOwn(values, key, value);
    if (!enforced.has(key)) warnings.push(`${file}: \`${snakeCase(key)}\` is not enforced by this server`);
  }
  const hooks = isTable(table["hooks"]) ? table["hooks"] : undefined;
  return { file, values: parse(ConfigRequirements, values) ?? {}, hooks, warnings };
}

/** The file's names of nested keys are in snake_case, the wire's mostly not: each becomes the one that its schema has. */
function asOnWire(shape: JsonSchema | undefined, value: unknown): unknown {
  if (shape?.anyOf !== undefined) {
    const forms = shape.anyOf.map((member) => ({ member, form: asOnWire(member, value) }));
    return forms.find(({ member, form }) => check(member, form))?.form ?? value;
  }
  if (Array.isArray(value)) return Array.isArray(shape?.items) ? value : value.map((entry) => asOnWire(shape?.items as JsonSchema, entry));
  if (!isTable(value)) return value;
  const { properties, additionalProperties } = shape ?? {};
  const named: TomlTable = {};
  for (const [key, entry] of Object.entries(value)) {
    const own =
      properties !== undefined && !Object.hasOwn(properties, key) && Object.hasOwn(properties, camelCase(key)) ? camelCase(key) : key;
    setOwn(named, own, asOnWire(properties?.[own] ?? additionalProperties, entry));
  }
  return named;
}

/** Tables that the wire names or shows otherwise. */
const wireNames: ReadonlyMap<string, string> = new Map([
  ["features", "featureRequirements"],
  ["experimental_network", "network"],
]);
const shown: ReadonlyMap<string, (value: unknown) => unknown> = new Map([
  ["hooks", managedHooks],
  ["experimental_network", shownNetwork],
]);

/** The administrator's hooks as the wire shows them: every event named, default values filled in. */
function managedHooks(hooks: unknown): unknown {
  if (!isTable(hooks)) return hooks;
  const { managed_dir: managedDir = null, windows_managed_dir: windowsManagedDir = null, ...events } = hooks;
  const named = Object.fromEntries(Object.values(hookEventNames).map((name) => [name, []]));
  return { ...named, ...mapValues(events, (groups) => each(groups, managedGroup)), managedDir, windowsManagedDir };
}
const managedGroup = (group: TomlTable): TomlTable => ({ ...group, hooks: each(group["hooks"] ?? [], managedHandler) });
function managedHandler({ timeout, timeout_sec: seconds, ...handler }: TomlTable): TomlTable {
  const standard = handler["type"] === "command" ? { async: false } : handler["type"] === "mcp_tool" ? { input: {} } : {};
  return { ...standard, ...handler, timeoutSec: timeout ?? seconds ?? null };
}
const each = (list: unknown, change: (entry: TomlTable) => TomlTable): unknown =>
  Array.isArray(list) ? list.map((entry: unknown) => (isTable(entry) ? change(entry) : entry)) : list;
const mapValues = (table: TomlTable, change: (value: unknown) => unknown): TomlTable =>
  Object.fromEntries(Object.entries(table).map(([key, value]) => [key, change(value)]));

/** A list that allows nothing would leave no setting to fall back on. */
const emptyList = (key: string, value: unknown): string | undefined =>
  Array.isArray(value) && value.length === 0 ? `\`${snakeCase(key)}\` allows nothing; name at least one value` : undefined;

function parsed(text: string, file: string): TomlTable {
  try {
    return parseToml(text);
  } catch (error) {
    if (!(error instanceof TomlSyntaxError)) throw error;
    throw invalidRequest(`invalid requirements in ${file}: line ${error.line}, column ${error.column}: ${error.message}`);
  }
}

const camelCase = (key: string): string => key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
/** The name in the file. */
export const snakeCase = (key: string): string =>
  [...wireNames].find(([, name]) => name === key)?.[0] ?? key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const isAllowed = (allowed: readonly unknown[] | null | undefined, value: unknown): boolean =>
  allowed === null || allowed === undefined || allowed.some((choice) => JSON.stringify(choice) === JSON.stringify(value));

/** Why settings must not be requested, or undefined. */
export function forbiddenBy(requirements: Requirements | undefined, config: TomlTable): string | undefined {
  if (requirements === undefined) return undefined;
  const { values, file } = requirements;
  const choices: [key: string, allowed: readonly unknown[] | null | undefined][] = [
    ["approval_policy", values.allowedApprovalPolicies],
    ["approvals_reviewer", values.allowedApprovalsReviewers],
    ["sandbox_mode", allowedModes(values)],
    ["web_search", searchModes(values)],
  ];
  for (const [key, allowed] of choices)
    if (Object.hasOwn(config, key) && !isAllowed(allowed, config[key])) return refusal(key, config[key], { file, allowed: allowed ?? [] });
  const profile = config["default_permissions"];
  if (typeof profile === "string" && !isProfileAllowed(values, profile))
    return refusal("default_permissions", profile, { file, allowed: profilesIn(values) });
  for (const [key, name] of Object.entries(requiredValues)) {
    const required = values[name] ?? undefined;
    if (required !== undefined && Object.hasOwn(config, key) && differs(config[key], required))
      return refusal(key, config[key], { file, allowed: [required] });
  }
  const features = tableAt(config, "features");
  for (const [name, required] of Object.entries(values.featureRequirements ?? {}))
    if (Object.hasOwn(features, name) && features[name] !== required)
      return refusal(`features.${name}`, features[name], { file, allowed: [required] });
  return undefined;
}

function refusal(key: string, value: unknown, { file, allowed }: { file: string; allowed: readonly unknown[] }): string {
  const shown = typeof value === "object" ? "this value" : JSON.stringify(value);
  return `${key}: ${shown} is not allowed by ${file}; allowed are ${allowed.map((choice) => JSON.stringify(choice)).join(", ")}`;
}

/** A table satisfies a requirement when merging the requirement over it changes nothing. */
const differs = (value: unknown, required: unknown): boolean =>
  isTable(value) && isTable(required) ? !isDeepStrictEqual(mergeTables(value, required), value) : !isDeepStrictEqual(value, required);

/** By name. A user's own profile must be allowed itself; its sandbox mode is checked with its rules. */
function isProfileAllowed(values: ConfigRequirements, id: string): boolean {
  if (Object.hasOwn(permissionProfiles, id)) return isAllowed(allowedModes(values), permissionProfiles[id]);
  return !values.allowedPermissionProfiles || values.allowedPermissionProfiles[id] === true;
}

function profilesIn(values: ConfigRequirements): readonly string[] {
  const named = Object.entries(values.allowedPermissionProfiles ?? {}).flatMap(([id, isOn]) => (isOn ? [id] : []));
  return [...new Set([...Object.keys(permissionProfiles), ...named])].filter((id) => isProfileAllowed(values, id));
}

/** The user's own profiles that are allowed by their name and by what they allow; undefined allows all of them. */
export function allowedProfiles(values: ConfigRequirements, own: Profiles): readonly string[] | undefined {
  if (!values.allowedPermissionProfiles && !values.allowedSandboxModes) return undefined;
  return Object.entries(own).flatMap(([id, profile]) => {
    const isFit = !("problem" in profile) && isAllowed(values.allowedSandboxModes, modeOfRules(profile.rules));
    return isFit && isProfileAllowed(values, id) ? [id] : [];
  });
}

/** Where no sandbox mode is allowed, new threads get the first profile that is. */
function replacement(values: ConfigRequirements, profiles: readonly string[] | undefined): string | undefined {
  const wanted = values.defaultPermissions ?? "";
  if (allowedModes(values)?.length !== 0) return undefined;
  return profiles?.includes(wanted) === true ? wanted : profiles?.[0];
}

/** Disabling search is always allowed. */
const searchModes = ({ allowedWebSearchModes: modes }: ConfigRequirements): readonly string[] | undefined =>
  modes ? ["disabled", ...modes] : undefined;

/** Merged settings with the administrator's fixed values over them, and the administrator's defaults below. */
export function withRequirements(raw: TomlTable, requirements: Requirements | undefined): TomlTable {
  if (requirements === undefined) return raw;
  const { values } = requirements;
  const over: TomlTable = {};
  for (const [key, name] of Object.entries(requiredValues))
    if (values[name] !== null && values[name] !== undefined) setOwn(over, key, values[name]);
  const filters = values.featureRequirements?.["network_proxy"];
  if (filters !== undefined && filters !== (generalNetwork(raw) !== undefined)) setOwn(over, "features", { network_proxy: filters });
  const below = Object.hasOwn(raw, "sandbox_mode") || !values.defaultPermissions ? {} : { default_permissions: values.defaultPermissions };
  return mergeTables(mergeTables(below, raw), over);
}

/**
 * Applies the requirements to a config. A value set in a file is replaced with a warning; one that this request itself set is refused,
 * because its sender can choose again.
 */
export function enforce(config: Config, requirements: Requirements | undefined, requested: TomlTable): Config {
  if (requirements === undefined) return config;
  const { values, file } = requirements;
  const refused = forbiddenBy(requirements, requested);
  if (refused !== undefined) throw invalidRequest(refused);
  const warnings = [...config.warnings, ...requirements.warnings, ...unenforcedNetwork(values.network, file)];
  const managed = managedRules(values.network, `${file}: experimental_network`);
  const openNetwork = underManaged({ network: true, networkRules: config.openNetwork }, managed, values.network).networkRules;
  const bend = <T>(key: string, value: T, allowed: readonly T[] | null | undefined): T => {
    const [first] = allowed ?? [];
    if (isAllowed(allowed, value) || first === undefined) return value;
    if (Object.hasOwn(config.raw, key))
      warnings.push(`${key}: ${JSON.stringify(value)} is not allowed by ${file}; ${JSON.stringify(first)} is used`);
    return first;
  };
  const profiles = allowedProfiles(values, config.permissionProfiles);
  const defaultProfile =
    config.defaultProfile === undefined || isAllowed(profiles, config.defaultProfile) ? config.defaultProfile : undefined;
  if (config.defaultProfile !== undefined && defaultProfile === undefined)
    warnings.push(`default_permissions: ${JSON.stringify(config.defaultProfile)} is not allowed by ${file}; the sandbox mode is used`);
  const modes = searchModes(values)?.map((mode) => (mode === "indexed" ? "cached" : mode));
  return {
    ...config,
    openNetwork,
    permissionProfiles: Object.fromEntries(
      Object.entries(config.permissionProfiles).map(([id, profile]) => [
        id,
        "problem" in profile ? profile : { ...profile, ...underManaged(profile, managed, values.network) },
      ]),
    ),
    approvalPolicy: bend("approval_policy", config.approvalPolicy, values.allowedApprovalPolicies),
    approvalsReviewer: bend("approvals_reviewer", config.approvalsReviewer, values.allowedApprovalsReviewers),
    sandboxMode: bend("sandbox_mode", config.sandboxMode, allowedModes(values)),
    defaultProfile: defaultProfile ?? replacement(values, profiles),
    webSearch: isAllowed(modes, config.webSearch) ? config.webSearch : "disabled",
    features: { ...config.features, ...values.featureRequirements },
    requirements: {
      file,
      allowedApprovalPolicies: values.allowedApprovalPolicies ?? undefined,
      allowedApprovalsReviewers: values.allowedApprovalsReviewers ?? undefined,
      allowedSandboxModes: allowedModes(values),
      allowedProfiles: profiles,
      allowedLoginMethods: values.allowedLoginMethods ?? undefined,
      developerInstructions: values.additionalDeveloperInstructions ?? undefined,
    },
    warnings,
  };
}

const strictness = ["read-only", "workspace-write", "danger-full-access"] as const;

/** The modes that are allowed by name and by profile, strictest first. */
export function allowedModes({
  allowedSandboxModes,
  allowedPermissionProfiles: profiles,
}: ConfigRequirements): readonly SandboxMode[] | undefined {
  if (!allowedSandboxModes && !profiles) return undefined;
  const byProfile = Object.entries(permissionProfiles).flatMap(([id, mode]) => (!profiles || profiles[id] === true ? [mode] : []));
  return strictness.filter((mode) => isAllowed(allowedSandboxModes, mode) && byProfile.includes(mode));
}
