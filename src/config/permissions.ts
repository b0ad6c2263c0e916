/** The user's permission profiles (`[permissions.<name>]`): what each extends, and what it says about files and the network. */
import os from "node:os";
import path from "node:path";
import type { BrokenProfile, Config, PermissionProfile } from "../core/ports/config.ts";
import { hasWildcards } from "../lib/glob.ts";
import { isTable, type TomlTable } from "../lib/toml.ts";
import { invalidRequest, RpcError } from "../protocol/errors.ts";
import { type FileRules, permissionProfiles } from "../protocol/policy.ts";
import type { Layer } from "./layers.ts";
import { mergeTables } from "./merge.ts";
import { generalNetwork, networkOf } from "./network-profile.ts";
import { tableAt, text } from "./read-value.ts";

type Entry = FileRules["entries"][number];

export interface ProfilesContext {
  /** Relative workspace roots of a profile are resolved against it. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export type Profiles = Config["permissionProfiles"];

const workspace = ":workspace_roots";
const maxEntries = 1000;

/** Profiles that others may extend. The protected names of a workspace are protected in any case. */
const parents: Readonly<Record<string, TomlTable>> = {
  ":read-only": { filesystem: { ":root": "read" } },
  ":workspace": { filesystem: { ":root": "read", [workspace]: { ".": "write" }, ":slash_tmp": "write", ":tmpdir": "write" } },
};

/** What programs need to run at all: `:minimal`. */
const minimal: Readonly<Record<string, readonly string[]>> = {
  darwin: ["/bin", "/sbin", "/usr", "/etc", "/private/etc", "/System", "/Library", "/opt/homebrew", "/private/var/db", "/dev"],
  linux: ["/bin", "/sbin", "/usr", "/etc", "/lib", "/lib64", "/nix/store", "/run/current-system/sw"],
};

/** Every profile of the settings. A broken one is an error only where it is used, so that it does not stop the others. */
export function profilesFrom(raw: TomlTable, context: ProfilesContext): Profiles {
  const permissions = tableAt(raw, "permissions");
  const all = { ...context, general: generalNetwork(raw) };
  return Object.fromEntries(Object.keys(permissions).map((name) => [name, profileNamed(name, permissions, all)]));
}

/** `general`: what holds for the network of every profile. */
type CompileContext = ProfilesContext & { readonly general: TomlTable | undefined };

function profileNamed(name: string, permissions: TomlTable, context: CompileContext): PermissionProfile | BrokenProfile {
  try {
    return compiled(name, resolved(name, permissions), context);
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    return { problem: error.message };
  }
}

/** The key in force of the two that choose a sandbox: that of the strongest layer, and in one layer the profile. The other is dropped. */
export function withOneSandbox(raw: TomlTable, layers: readonly Layer[]): TomlTable {
  if (!Object.hasOwn(raw, "sandbox_mode") || !Object.hasOwn(raw, "default_permissions")) return raw;
  const inForce = layers.filter(({ disabledReason }) => disabledReason === undefined);
  const last = inForce.findLast(({ config }) => Object.hasOwn(config, "sandbox_mode") || Object.hasOwn(config, "default_permissions"));
  const { [last === undefined || Object.hasOwn(last.config, "default_permissions") ? "sandbox_mode" : "default_permissions"]: _, ...rest } =
    raw;
  return rest;
}

/** The profile of new threads, if it is one of the user's own. Throws invalidRequest when it cannot be used. */
export function defaultProfile(raw: TomlTable, profiles: Profiles): string | undefined {
  const id = text(raw, "default_permissions");
  if (id === undefined || Object.hasOwn(permissionProfiles, id)) return undefined;
  const profile = Object.hasOwn(profiles, id) ? profiles[id] : undefined;
  const known = [...Object.keys(permissionProfiles), ...Object.keys(profiles)].join(", ");
  if (profile === undefined) throw invalidRequest(`default_permissions: unknown permission profile \`${id}\`; known are ${known}`);
  if ("problem" in profile) throw invalidRequest(`default_permissions: ${profile.problem}`);
  return id;
}

/** Those of the profile that new threads get; the others' come with the threads that are given them. */
export function profileWarnings(raw: TomlTable, profiles: Profiles): readonly string[] {
  const id = text(raw, "default_permissions") ?? "";
  const profile = Object.hasOwn(profiles, id) ? profiles[id] : undefined;
  return profile === undefined || "problem" in profile ? [] : profile.warnings;
}

/** A profile with everything that it extends merged under it; its own keys win. */
function resolved(name: string, permissions: TomlTable): TomlTable {
  if (name.startsWith(":")) throw invalidRequest(`permissions profile \`${name}\` uses a reserved built-in profile prefix`);
  const chain: string[] = [];
  let merged: TomlTable = {};
  for (let next: string | undefined = name; next !== undefined; ) {
    if (chain.includes(next))
      throw invalidRequest(`permissions profile inheritance cycle detected: ${[...chain.slice(chain.indexOf(next)), next].join(" -> ")}`);
    const profile: unknown = Object.hasOwn(permissions, next)
      ? permissions[next]
      : Object.hasOwn(parents, next)
        ? parents[next]
        : undefined;
    if (!isTable(profile)) throw invalidRequest(unknownParent(chain.at(-1) ?? name, next));
    const { description: _, extends: parent, ...rest }: TomlTable = profile;
    if (parent !== undefined && typeof parent !== "string") throw invalidRequest(`permissions.${next}.extends: give the name of a profile`);
    merged = mergeTables(rest, merged);
    chain.push(next);
    next = parent;
  }
  return { ...merged, ...ownPart(permissions[name]) };
}

const ownPart = (profile: unknown): TomlTable =>
  isTable(profile) ? { description: profile["description"], extends: profile["extends"] } : {};

const unknownParent = (child: string, parent: string): string =>
  parent.startsWith(":")
    ? `permissions profile \`${child}\` cannot extend unsupported built-in profile \`${parent}\`; extend ${Object.keys(parents).join(" or ")}`
    : `permissions profile \`${child}\` extends undefined profile \`${parent}\``;

function compiled(name: string, profile: TomlTable, { cwd, env, general }: CompileContext): PermissionProfile {
  const warnings: string[] = [];
  const tmpdir = env["TMPDIR"] !== undefined && path.isAbsolute(env["TMPDIR"]) ? path.normalize(env["TMPDIR"]) : undefined;
  const files = tableAt(profile, "filesystem");
  const depth = files["glob_scan_max_depth"];
  if (depth !== undefined && !(typeof depth === "number" && Number.isInteger(depth) && depth >= 1))
    throw invalidRequest(`permissions.${name}.filesystem.glob_scan_max_depth: must be at least 1`);
  const written = Object.entries(files).filter(([key]) => key !== "glob_scan_max_depth");
  const symbolic = written.flatMap(([place, access]) => entriesAt(name, place, access));
  if (symbolic.length > maxEntries)
    throw invalidRequest(`permissions profile \`${name}\` has ${symbolic.length} file entries; at most ${maxEntries} are allowed`);
  if (written.length === 0) warnings.push(nothingWritten(name));
  const known = symbolic.flatMap((entry) => withoutUnknown(entry, { warnings, tmpdir }));
  if (depth === undefined && process.platform !== "darwin")
    warnings.push(...known.filter(({ path: place, access }) => access === "deny" && place.includes("**")).map(deepGlob));
  return {
    description: text(profile, "description") ?? null,
    extends: text(profile, "extends") ?? null,
    rules: { isWhole: true, entries: withFurtherRoots(known, rootsOf(profile, cwd)), globScanMaxDepth: depth ?? null },
    ...networkOf(name, tableAt(profile, "network"), { warnings, general }),
    tmpdir,
    warnings,
  };
}

const nothingWritten = (name: string): string =>
  `Permissions profile \`${name}\` does not define any recognized filesystem entries. Filesystem access will remain restricted.`;

const deepGlob = ({ path: glob }: Entry): string =>
  `Filesystem deny-read glob \`${glob}\` uses \`**\`: every command looks through all folders for matching files first. Set \`glob_scan_max_depth\` in this filesystem profile to cap that search, or enumerate explicit depths such as \`*.env\`, \`*/*.env\`.`;

/** The folders that a profile adds to a session's own: its entries for these apply to both. */
function rootsOf(profile: TomlTable, cwd: string): string[] {
  const roots = Object.entries(tableAt(profile, "workspace_roots")).filter(([, isOn]) => isOn === true);
  return roots.map(([root]) => path.resolve(cwd, fromHome(root)));
}

const withFurtherRoots = (entries: readonly Entry[], roots: readonly string[]): Entry[] =>
  entries.flatMap((entry) => {
    const isOfWorkspace = entry.path === workspace || entry.path.startsWith(`${workspace}/`);
    const further = isOfWorkspace ? roots.map((root) => ({ ...entry, path: root + entry.path.slice(workspace.length) })) : [];
    return [entry, ...further];
  });

function entriesAt(name: string, place: string, value: unknown): Entry[] {
  const field = `permissions.${name}.filesystem.${JSON.stringify(place)}`;
  if (!isTable(value)) return [entryAt(field, placeOf(place, "."), accessOf(field, value))];
  return Object.entries(value).map(([below, access]) => {
    const inner = `${field}.${JSON.stringify(below)}`;
    return entryAt(inner, placeOf(place, below), accessOf(inner, access));
  });
}

function accessOf(field: string, value: unknown): Entry["access"] {
  if (value === "read" || value === "write" || value === "deny") return value;
  if (value === "none") return "deny"; // its older name
  throw invalidRequest(`${field}: ${JSON.stringify(value)} is no access; give "read", "write" or "deny"`);
}

/** An absolute path, or a special name with what is below it. */
function placeOf(place: string, below: string): string {
  const base = place === ":project_roots" ? workspace : place;
  if (!base.startsWith(":") && !path.isAbsolute(base) && base !== "~" && !base.startsWith("~/"))
    throw invalidRequest(`filesystem path \`${place}\` must be absolute, use \`~/...\`, or start with \`:\``);
  const start = base.startsWith(":") ? base : path.normalize(fromHome(base)).replace(/(.)\/+$/, "$1");
  if (below === ".") return start;
  if ([":root", ":minimal", ":tmpdir", ":slash_tmp"].includes(base))
    throw invalidRequest(`filesystem path \`${place}\` does not support nested entries`);
  if (below === "" || path.isAbsolute(below) || below.split("/").some((part) => part === "" || part === "." || part === ".."))
    throw invalidRequest(`filesystem subpath \`${below}\` must be a descendant path without \`.\` or \`..\` components`);
  return `${start === "/" ? "" : start}/${below}`;
}

/** Only denials can have wildcards; `/**` at the end of another entry says what it means anyhow. */
function entryAt(field: string, place: string, access: Entry["access"]): Entry {
  if (access === "deny" || !hasWildcards(place)) return { path: place, access };
  const folder = place.replace(/\/\*\*$/, "");
  if (!hasWildcards(folder)) return { path: folder, access };
  throw invalidRequest(
    `${field}: filesystem glob path \`${place}\` only supports \`deny\` access; use an exact path or trailing \`/**\` for \`${access}\` subtree access`,
  );
}

const fromHome = (place: string): string => (place === "~" || place.startsWith("~/") ? path.join(os.homedir(), place.slice(1)) : place);

const alwaysProtected = new Set([".git", ".codex", ".agents"].map((name) => `${workspace}/${name}`));

/** Special names as paths, where they do not depend on the session. Unknown ones are ignored with a warning. */
function withoutUnknown(entry: Entry, { warnings, tmpdir }: { warnings: string[]; tmpdir: string | undefined }): Entry[] {
  const { path: place, access } = entry;
  if (access === "write" && alwaysProtected.has(place))
    warnings.push(`Filesystem entry \`${place}\` = "write" has no effect: this name is always read-only in a workspace.`);
  if (!place.startsWith(":") || place === ":root" || place === workspace || place.startsWith(`${workspace}/`)) return [entry];
  if (place === ":slash_tmp") return [{ path: "/tmp", access }];
  if (place === ":tmpdir") return tmpdir === undefined ? [] : [{ path: tmpdir, access }];
  if (place === ":minimal" && access !== "deny") return (minimal[process.platform] ?? []).map((at) => ({ path: at, access: "read" }));
  warnings.push(`Configured filesystem path \`${place}\` is not recognized and will be ignored.`);
  return [];
}
