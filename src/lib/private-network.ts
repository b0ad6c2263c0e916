/** Addresses that are not public: this machine, its network, and metadata services of clouds. For URLs that others make us fetch. */
import { BlockList, isIP } from "node:net";

/** Built on first use. */
function privateRanges(): BlockList {
  const list = new BlockList();
  for (const [net, bits] of [
    ["0.0.0.0", 8],
    ["10.0.0.0", 8],
    ["100.64.0.0", 10],
    ["127.0.0.0", 8],
    ["169.254.0.0", 16],
    ["172.16.0.0", 12],
    ["192.0.0.0", 24],
    ["192.168.0.0", 16],
    ["198.18.0.0", 15],
    ["224.0.0.0", 3], // multicast and reserved
  ] as const)
    list.addSubnet(net, bits, "ipv4");
  for (const [net, bits] of [
    ["::", 96], // unspecified, loopback, and old IPv4 forms
    ["64:ff9b::", 96],
    ["64:ff9b:1::", 48],
    ["2001::", 32], // tunnels, which hide an IPv4 address
    ["2002::", 16],
    ["fc00::", 7],
    ["fe80::", 10],
    ["fec0::", 10],
    ["ff00::", 8],
  ] as const)
    list.addSubnet(net, bits, "ipv6");
  return list;
}

/** Whether an IP address, as returned by a DNS lookup, is private. Anything that is not an address counts as private too. */
export function isPrivateAddress(address: string): boolean {
  const plain = address.replace(/%.*$/, "");
  const version = isIP(plain);
  return version === 0 || isPrivateHost(new URL(`http://${version === 6 ? `[${plain}]` : plain}/`));
}

/** Whether a URL's host is private. Names are judged as text, without a DNS lookup. */
export function isPrivateHost(url: URL): boolean {
  const host = url.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  const version = isIP(host);
  if (version === 0) return /(?:^|\.)(?:localhost|local|internal|home\.arpa|lan)$/i.test(host) || !host.includes(".");
  const plain = mappedAddress(host);
  if (plain !== undefined) return privateRanges().check(plain, "ipv4");
  return privateRanges().check(host, version === 4 ? "ipv4" : "ipv6");
}

/** The IPv4 address in an IPv6 one of the form ::ffff:a.b.c.d, as URLs write that; undefined for other hosts. */
export function mappedAddress(host: string): string | undefined {
  const embedded = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/i.exec(host);
  if (embedded === null) return undefined;
  const number = Number.parseInt(embedded[1] ?? "0", 16) * 65536 + Number.parseInt(embedded[2] ?? "0", 16);
  return [24, 16, 8, 0].map((shift) => (number >>> shift) & 255).join(".");
}

/**
 * Why `target`, which the server at `from` named, must not be fetched; undefined when it may be. A server that is itself private may name
 * hosts on its network, but the metadata address where clouds hand out keys is never fetched.
 */
export function refusePrivateTarget(target: URL, from: URL): string | undefined {
  if (target.origin === from.origin) return undefined;
  const isKeys = /^(?:169\.254\.|\[fd00:ec2::254\]|metadata\.)/i.test(target.hostname);
  if (!isKeys && (isPrivateHost(from) || !isPrivateHost(target))) return undefined;
  return `${from.host} names ${target.host}, an address inside this network, which is not fetched for it`;
}
