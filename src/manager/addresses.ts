/** The addresses of the page, for links: the likeliest for another device first. */
import type { NetworkInterfaceInfo } from "node:os";
import { isLoopback } from "../rpc/websocket.ts";

export interface Listening {
  /** A literal IP address. */
  readonly host: string;
  readonly port: number;
  readonly scheme: string;
  /** Further names of this machine. */
  readonly names: readonly string[];
}

type Interfaces = Readonly<Record<string, readonly Pick<NetworkInterfaceInfo, "address" | "family" | "internal">[] | undefined>>;

export function addressesOf({ host, port, scheme, names }: Listening, interfaces: Interfaces): readonly string[] {
  const isEverywhere = host === "0.0.0.0" || host === "::";
  const url = (name: string): string => `${scheme}://${name.includes(":") ? `[${name}]` : name}:${port}`;
  const own = url(isEverywhere ? "127.0.0.1" : host);
  // A name may belong to a proxy in front of a manager that only this machine reaches.
  if (isLoopback(host)) return [own, ...names.map(url)];
  const others = isEverywhere ? reachable(interfaces, host === "::") : [];
  return [...names.map(url), ...others.map(url), own];
}

/** Addresses of a link alone, which need a zone, are left out: they work on no other machine. */
function reachable(interfaces: Interfaces, withSix: boolean): readonly string[] {
  const all = Object.values(interfaces).flatMap((addresses) => addresses ?? []);
  const fits = ({ family, address }: (typeof all)[number]): boolean =>
    family === "IPv4" ? !address.startsWith("169.254.") : withSix && !/^fe80:/i.test(address);
  return all.filter((one) => !one.internal && fits(one)).map(({ address }) => address);
}
