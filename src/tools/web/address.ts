/** Checks which web addresses may be fetched, by their text. */
import { isPrivateHost } from "../../lib/private-network.ts";

const maxUrl = 4096;

export interface FetchOptions {
  readonly version: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** For tests, whose servers are on this machine. */
  readonly isInside?: (address: string) => boolean;
}

/** The address that a model wrote or a server redirects to, or why it is not fetched. */
export function pageAddress(text: string, { isInside }: Pick<FetchOptions, "isInside"> = {}): URL | string {
  if (text.length > maxUrl) return `the address is longer than ${maxUrl} characters`;
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:/i.test(text.trim()) ? text.trim() : `https://${text.trim()}`);
  if (url === null) return "not an address; give a whole one such as https://example.org/page";
  if (url.protocol !== "https:" && url.protocol !== "http:") return `only http and https can be fetched, not ${url.protocol}`;
  if (url.username !== "" || url.password !== "") return "an address with a name or password in it is not fetched";
  if (isInside === undefined && isPrivateHost(url)) return internalAddressText(url.hostname);
  url.hash = "";
  return url;
}

export const internalAddressText = (host: string): string =>
  `${host} is an address of this machine or its network, which is not fetched; use a command for it`;
