/** Names and addresses of hosts in one form, and the patterns that select them. For lists of hosts that somebody may or may not reach. */
import { isIP } from "node:net";
import { mappedAddress } from "./private-network.ts";

const longest = 253;

/**
 * A host in the one form in which hosts are compared and connected to: lower case, in ASCII, without a trailing dot; an address as the
 * kernel reads it, whatever its spelling (0x7f.1, 2130706433, ::ffff:127.0.0.1). Undefined for what is no host.
 */
export function canonicalHost(text: string): string | undefined {
  const isBare = isIP(text) === 6;
  if (text.length > longest + 2 || (!isBare && !/^(?:\[[0-9a-f:.]+\]|[^\s\p{Cc}/?#@\\%:[\]<>^|]+)$/iu.test(text))) return undefined;
  const url = URL.parse(`http://${isBare ? `[${text}]` : text}/`);
  if (url === null || url.hostname === "" || url.port !== "" || url.pathname !== "/") return undefined;
  const host = url.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  if (isIP(host) === 6) return mappedAddress(host) ?? host;
  return /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/.test(host) && host.length <= longest ? host : undefined;
}

export interface HostPattern {
  readonly text: string;
  matches(host: string): boolean;
}

/**
 * A host (`example.com`), its subdomains (`*.example.com`), both (`**.example.com`), every host (`*`), or a name with wildcards in it
 * (`eu-*.example.com`). Undefined for anything else.
 */
export function hostPattern(text: string): HostPattern | undefined {
  const [, prefix = "", rest = ""] = /^(\*\*\.|\*\.)?(.*)$/s.exec(text.trim()) ?? [];
  if (rest === "*" && prefix === "") return { text: "*", matches: () => true };
  const name = /[*?]/.test(rest) ? wildcardName(rest) : canonicalHost(rest);
  if (name === undefined) return undefined;
  const whole = /[*?]/.test(name) ? expressionOf(name) : undefined;
  const isName = (host: string): boolean => (whole === undefined ? host === name : whole.test(host));
  const isBelow = (host: string): boolean =>
    whole === undefined ? host.length > name.length + 1 && host.endsWith(`.${name}`) : labelsBelow(host).some(isName);
  if (prefix === "*.") return { text: `*.${name}`, matches: isBelow };
  if (prefix === "**.") return { text: `**.${name}`, matches: (host) => isName(host) || isBelow(host) };
  return { text: name, matches: isName };
}

/** Whether a host, in its canonical form, fits one of the patterns. Patterns that are none fit nothing. */
export function hostMatcher(patterns: readonly string[]): (host: string) => boolean {
  const known = patterns.map(hostPattern).filter((pattern) => pattern !== undefined);
  return (host) => known.some((pattern) => pattern.matches(host));
}

const wildcardName = (text: string): string | undefined => {
  const name = text.toLowerCase().replace(/\.$/, "");
  // `*` alone behind a prefix would be every host.
  return /^[a-z0-9_.*?-]+$/.test(name) && /[a-z0-9]/.test(name) && !name.includes("..") && name.length <= longest ? name : undefined;
};

const expressionOf = (name: string): RegExp =>
  new RegExp(`^${name.replace(/[.-]/g, "\\$&").replace(/\*+/g, "[\\s\\S]*").replaceAll("?", "[\\s\\S]")}$`);

const labelsBelow = (host: string): string[] => host.split(".").map((_, i, labels) => labels.slice(i + 1).join("."));
