/** The network part of a permission profile, and the administrator's network rules: which hosts commands may reach. */
import type { NetworkRules } from "../core/ports/network-access.ts";
import { hostPattern } from "../lib/host-pattern.ts";
import { isTable, type TomlTable } from "../lib/toml.ts";
import type { NetworkRequirements } from "../protocol/config-requirements.ts";
import { invalidRequest } from "../protocol/errors.ts";
import { mergeTables } from "./merge.ts";
import { bool, tableAt } from "./read-value.ts";

const maxHosts = 5000;

export interface ProfileNetwork {
  /** Whether commands reach every host. */
  readonly network: boolean;
  readonly networkRules: NetworkRules | undefined;
}

/** Keys of Codex's own proxy, and why they have no effect here. */
const ownProxy: Readonly<Record<string, string>> = {
  proxy_url: "the proxy listens inside each command's own network, and environment variables name it",
  socks_url: "the proxy listens inside each command's own network, and environment variables name it",
  enable_socks5_udp: "UDP is not passed on",
  dangerously_allow_non_loopback_proxy: "the proxy can only be reached by its command",
  dangerously_allow_all_unix_sockets: "commands reach no unix sockets",
  mitm: "encrypted connections are never opened",
};

/** `features.network_proxy`, as true or as a table of the same keys: what holds for every profile and for every open network. */
export function generalNetwork(raw: TomlTable): TomlTable | undefined {
  const feature = tableAt(raw, "features")["network_proxy"];
  if (!isTable(feature)) return feature === true ? {} : undefined;
  const { enabled, ...rest } = feature;
  return enabled === false ? undefined : rest;
}

/** The hosts of sandbox modes whose network is open. Throws invalidRequest for what is no host. */
export function openNetworkOf(raw: TomlTable): { readonly rules: NetworkRules | undefined; readonly warnings: readonly string[] } {
  const general = generalNetwork(raw);
  const warnings: string[] = [];
  if (general === undefined) return { rules: undefined, warnings };
  return { rules: rulesIn("features.network_proxy", general, warnings), warnings };
}

/**
 * A profile that lists hosts, or limits what is sent, gives commands a network of these hosts only. Codex filters only where
 * `features.network_proxy` is on; here a list of hosts is never ignored.
 */
export function networkOf(
  name: string,
  own: TomlTable,
  { warnings, general }: { warnings: string[]; general: TomlTable | undefined },
): ProfileNetwork {
  const field = `permissions.${name}.network`;
  const table = mergeTables(general ?? {}, own);
  const others = Object.keys(table).filter((key) => key !== "enabled" && !(key === "mode" && table[key] === "full"));
  if (bool(table, "enabled") !== true) {
    if (others.some((key) => Object.hasOwn(own, key)))
      warnings.push(`${field}: ${others.join(", ")} ${others.length === 1 ? "has" : "have"} no effect without \`enabled = true\`.`);
    return { network: false, networkRules: undefined };
  }
  if (others.length === 0 && general === undefined) return { network: true, networkRules: undefined };
  return { network: false, networkRules: rulesIn(field, table, warnings) };
}

function rulesIn(field: string, table: TomlTable, warnings: string[]): NetworkRules {
  for (const key of Object.keys(table).filter((key) => Object.hasOwn(ownProxy, key) && table[key] !== false))
    warnings.push(`${field}.${key} has no effect: ${ownProxy[key]}.`);
  if (Object.values(isTable(table["unix_sockets"]) ? table["unix_sockets"] : {}).includes("allow"))
    warnings.push(`${field}.unix_sockets has no effect: commands reach no unix sockets.`);
  const mode = table["mode"] ?? "full";
  if (mode !== "full" && mode !== "limited") throw invalidRequest(`${field}.mode: give "full" or "limited"`);
  if (mode === "limited")
    warnings.push(
      `${field}.mode: "limited" allows only plain HTTP here: what an encrypted connection carries cannot be seen, so HTTPS is refused.`,
    );
  return {
    ...hostLists(`${field}.domains`, table["domains"]),
    mode,
    allowsLocal: bool(table, "allow_local_binding") === true,
    usesUpstream: bool(table, "allow_upstream_proxy") !== false,
    hasSocks: bool(table, "enable_socks5") !== false,
    isClosed: false,
  };
}

function hostLists(field: string, domains: unknown): Pick<NetworkRules, "allow" | "deny"> {
  if (domains !== undefined && !isTable(domains)) throw invalidRequest(`${field}: give a table of hosts, each "allow" or "deny"`);
  const entries = Object.entries(domains ?? {});
  if (entries.length > maxHosts) throw invalidRequest(`${field}: ${entries.length} hosts; at most ${maxHosts} are allowed`);
  const patterns = entries.map(([text, access]) => {
    if (access !== "allow" && access !== "deny") throw invalidRequest(`${field}.${JSON.stringify(text)}: give "allow" or "deny"`);
    const pattern = hostPattern(text);
    if (pattern === undefined)
      throw invalidRequest(
        `${field}: ${JSON.stringify(text)} is no host; give a name or an address without scheme, port and path, such as "example.com", "*.example.com" or "**.example.com"`,
      );
    if (pattern.text === "*" && access === "deny")
      throw invalidRequest(
        `${field}: unsupported global wildcard domain pattern "*"; use exact hosts or scoped wildcards like *.example.com or **.example.com`,
      );
    return { pattern: pattern.text, access };
  });
  const of = (access: string): string[] => patterns.filter((each) => each.access === access).map(({ pattern }) => pattern);
  return { allow: of("allow"), deny: of("deny") };
}

/** `[experimental_network]` of requirements.toml, as the wire shows it. */
export function shownNetwork(table: unknown): unknown {
  if (!isTable(table)) return table;
  const { domains, unix_sockets: sockets, allowed_domains: allowed, denied_domains: denied, allow_unix_sockets: paths, ...rest } = table;
  const named = Object.fromEntries(Object.entries(rest).map(([key, value]) => [camelCase(key), value]));
  const all = isTable(domains) ? domains : domains === undefined && (allowed ?? denied) ? listed(allowed, denied) : (domains ?? null);
  const keysOf = (of: unknown, access: string): string[] | null => {
    const keys = isTable(of) ? Object.keys(of).filter((key) => of[key] === access) : [];
    return keys.length === 0 ? null : keys;
  };
  const allSockets = isTable(sockets) ? sockets : paths === undefined ? null : listed(paths, undefined);
  return {
    ...{ enabled: null, httpPort: null, socksPort: null, allowUpstreamProxy: null, dangerouslyAllowNonLoopbackProxy: null },
    ...{ dangerouslyAllowAllUnixSockets: null, reviewDomains: null, managedAllowedDomainsOnly: null, allowLocalBinding: null },
    ...named,
    ...{ domains: all, allowedDomains: keysOf(all, "allow"), deniedDomains: keysOf(all, "deny") },
    ...{ unixSockets: allSockets, allowUnixSockets: keysOf(allSockets, "allow") },
  };
}

const listed = (allowed: unknown, denied: unknown): TomlTable =>
  Object.fromEntries([
    ...(Array.isArray(allowed) ? allowed.map((each: unknown) => [String(each), "allow"]) : []),
    ...(Array.isArray(denied) ? denied.map((each: unknown) => [String(each), "deny"]) : []),
  ]);

const camelCase = (key: string): string => key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** The administrator's rules, where they are switched on. Throws invalidRequest for what is no host. */
export function managedRules(required: NetworkRequirements | null | undefined, field: string): NetworkRules | undefined {
  if (required?.enabled !== true) return undefined;
  return {
    ...hostLists(`${field}.domains`, required.domains ?? undefined),
    mode: "full",
    allowsLocal: required.allowLocalBinding === true,
    usesUpstream: required.allowUpstreamProxy !== false,
    hasSocks: true,
    isClosed: required.managedAllowedDomainsOnly === true,
  };
}

/** A profile under the administrator's rules: it may add hosts, unless the list is closed, and take away; it may not undo a denial. */
export function underManaged(
  profile: ProfileNetwork,
  managed: NetworkRules | undefined,
  required: NetworkRequirements | null | undefined,
): ProfileNetwork {
  const { networkRules: own } = profile;
  if (managed === undefined || (own === undefined && !profile.network)) return profile;
  const base = own ?? { ...managed, allow: [], deny: [] };
  return {
    network: false,
    networkRules: {
      allow: managed.isClosed ? managed.allow : [...new Set([...managed.allow, ...base.allow])],
      deny: [...new Set([...managed.deny, ...base.deny])],
      mode: base.mode,
      allowsLocal: typeof required?.allowLocalBinding === "boolean" ? managed.allowsLocal : base.allowsLocal,
      usesUpstream: typeof required?.allowUpstreamProxy === "boolean" ? managed.usesUpstream : base.usesUpstream,
      hasSocks: base.hasSocks,
      isClosed: managed.isClosed,
    },
  };
}

/** What of the administrator's table has no effect here. */
export function unenforcedNetwork(required: NetworkRequirements | null | undefined, file: string): readonly string[] {
  const silent = ["httpPort", "socksPort", "reviewDomains"] as const;
  const named = silent.filter((key) => required?.[key] !== null && required?.[key] !== undefined);
  const spelled = named.map((key) => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
  return [
    ...spelled.map((key) => `${file}: \`experimental_network.${key}\` has no effect: the proxy listens inside each command's own network`),
    ...(required?.enabled === true && Object.values(required.unixSockets ?? {}).includes("allow")
      ? [`${file}: \`experimental_network.unix_sockets\` has no effect: commands reach no unix sockets`]
      : []),
  ];
}
