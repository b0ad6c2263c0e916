/** What the administrator of the machine demands (requirements.toml): read, shown, and enforced where this server can. */
import path from "node:path";
import type { Config } from "../core/ports/config.ts";
import { jsonSchema, parse, problem } from "../lib/schema.ts";
import { isTable, parseToml, setOwn, TomlSyntaxError, type TomlTable } from "../lib/toml.ts";
import { ConfigRequirements } from "../protocol/config-requirements.ts";
import { invalidRequest } from "../protocol/errors.ts";
import type { FileCache } from "./layers.ts";

export interface Requirements {
  readonly file: string;
  readonly values: ConfigRequirements;
  /** Demands that this server knows of and cannot enforce, and keys it does not know. */
  readonly warnings: readonly string[];
}

const enforced = new Set([
  ...["allowedApprovalPolicies", "allowedSandboxModes", "allowedWebSearchModes", "allowedLoginMethods", "featureRequirements"],
  ...["feedback", "additionalDeveloperInstructions", "cliAuthCredentialsStore", "checkForUpdateOnStartup", "modelProvider"],
]);

/** undefined when there is no file. Throws invalidRequest when it is broken: a demand that cannot be read must not be skipped. */
export function readRequirements(files: FileCache, systemDir: string): Requirements | undefined {
  const file = path.join(systemDir, "requirements.toml");
  const content = files.read(file);
  return content === undefined ? undefined : files.derive(content, "requirements", () => requirementsFrom(content.text, file));
}

function requirementsFrom(text: string, file: string): Requirements {
  const wire: TomlTable = {};
  for (const [key, value] of Object.entries(parsed(text, file)))
    setOwn(wire, key === "features" ? "featureRequirements" : camelCase(key), value);
  const known = new Set(Object.keys(jsonSchema(ConfigRequirements()).properties ?? {}));
  const values = Object.fromEntries(Object.entries(wire).filter(([key]) => known.has(key)));
  const checked = parse(ConfigRequirements, values);
  if (checked === undefined)
    throw invalidRequest(`invalid requirements in ${file}: ${problem(ConfigRequirements(), values) ?? "wrong shape"}`);
  const unmet = Object.keys(wire).filter((key) => !enforced.has(key));
  return { file, values: checked, warnings: unmet.map((key) => `${file}: \`${snakeCase(key)}\` is not enforced by this server`) };
}

function parsed(text: string, file: string): TomlTable {
  try {
    return parseToml(text);
  } catch (error) {
    if (!(error instanceof TomlSyntaxError)) throw error;
    throw invalidRequest(`invalid requirements in ${file}: line ${error.line}, column ${error.column}: ${error.message}`);
  }
}

const camelCase = (key: string): string => key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
const snakeCase = (key: string): string => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const isAllowed = (allowed: readonly unknown[] | null | undefined, value: unknown): boolean =>
  allowed === null || allowed === undefined || allowed.some((choice) => JSON.stringify(choice) === JSON.stringify(value));

/** Why settings may not be written, or undefined. */
export function forbiddenBy(requirements: Requirements | undefined, config: TomlTable): string | undefined {
  if (requirements === undefined) return undefined;
  const { values, file } = requirements;
  const checks: [key: string, allowed: readonly unknown[] | null | undefined][] = [
    ["approval_policy", values.allowedApprovalPolicies],
    ["sandbox_mode", values.allowedSandboxModes],
    ["web_search", values.allowedWebSearchModes],
  ];
  for (const [key, allowed] of checks)
    if (Object.hasOwn(config, key) && !isAllowed(allowed, config[key]))
      return `${key}: ${JSON.stringify(config[key])} is not allowed by ${file}; allowed are ${(allowed ?? []).map((choice) => JSON.stringify(choice)).join(", ")}`;
  return undefined;
}

/**
 * Bends a config to the demands. A value that a file set gives way with a warning; one that this very request asked for is refused,
 * because its sender can choose again.
 */
export function enforce(config: Config, requirements: Requirements | undefined, asked: TomlTable): Config {
  if (requirements === undefined) return config;
  const { values, file } = requirements;
  const refused = forbiddenBy(requirements, asked);
  if (refused !== undefined) throw invalidRequest(refused);
  const warnings = [...config.warnings, ...requirements.warnings];
  const bend = <T>(key: string, value: T, allowed: readonly T[] | null | undefined): T => {
    const [first] = allowed ?? [];
    if (isAllowed(allowed, value) || first === undefined) return value;
    if (Object.hasOwn(config.raw, key))
      warnings.push(`${key}: ${JSON.stringify(value)} is not allowed by ${file}; ${JSON.stringify(first)} is used`);
    return first;
  };
  const modes = values.allowedWebSearchModes?.map((mode) => (mode === "indexed" ? "cached" : mode));
  return {
    ...config,
    approvalPolicy: bend("approval_policy", config.approvalPolicy, values.allowedApprovalPolicies),
    sandboxMode: bend("sandbox_mode", config.sandboxMode, strictestFirst(values.allowedSandboxModes)),
    webSearch: isAllowed(modes, config.webSearch) ? config.webSearch : "disabled",
    features: { ...config.features, ...values.featureRequirements },
    developerInstructions: joined(config.developerInstructions, values.additionalDeveloperInstructions ?? undefined),
    requirements: {
      allowedApprovalPolicies: values.allowedApprovalPolicies ?? undefined,
      allowedSandboxModes: values.allowedSandboxModes ?? undefined,
      allowedLoginMethods: values.allowedLoginMethods ?? undefined,
    },
    warnings,
  };
}

const strictness = ["read-only", "workspace-write", "danger-full-access"] as const;
const strictestFirst = (modes: ConfigRequirements["allowedSandboxModes"]) =>
  modes === null || modes === undefined ? modes : strictness.filter((mode) => modes.includes(mode));

function joined(own: string | undefined, added: string | undefined): string | undefined {
  return own === undefined || added === undefined ? (own ?? added) : `${own}\n\n${added}`;
}

export const isEnabledBy = (requirements: Requirements | undefined, key: "feedback"): boolean => {
  const entry = requirements?.values[key];
  return !isTable(entry) || entry["enabled"] !== false;
};
