/** Access through a corporate network: proxies and a private certificate authority, as set in the environment. Costs nothing without them. */
import { readBoundedTextSync } from "./bounded-read.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** Certificate files that are trusted in addition to the usual ones. `NODE_EXTRA_CA_CERTS` is read by Node itself. */
const certificateVariables = ["CODEX_CA_CERTIFICATE", "SSL_CERT_FILE"] as const;
const proxyVariables = ["https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"] as const;

const hasProxy = (env: Env): boolean => proxyVariables.some((name) => Boolean(env[name]));

/** For Node's agents, which do not know ALL_PROXY: it stands in for each proxy that is not named, as in other programs. */
export function withAllProxy(env: Env): Env {
  const all = env["all_proxy"] || env["ALL_PROXY"] || "";
  if (!/^https?:/i.test(all)) return env;
  const named = (name: string): string => env[name.toLowerCase()] || env[name] || all;
  return { ...env, https_proxy: named("HTTPS_PROXY"), http_proxy: named("HTTP_PROXY") };
}

/** The environment variables that name certificate files, with those files. */
export const certificateFiles = (env: Env): readonly (readonly [variable: string, file: string])[] =>
  certificateVariables.flatMap((name) => (env[name] ? [[name, env[name]] as const] : []));

/**
 * Trusts the environment's certificates for the whole process. Call it before the first TLS connection and not at startup: a full bundle
 * takes tens of milliseconds. A file that cannot be read is skipped; the connection then reports what is missing.
 */
export function trustCertificates(env: Env): void {
  const files = certificateFiles(env);
  if (files.length === 0) return;
  const tls = process.getBuiltinModule("node:tls");
  const trusted = tls.getCACertificates("default");
  const known = new Set(trusted.map(plain));
  const more = files.flatMap(([, file]) => certificatesIn(file)).filter((certificate) => !known.has(plain(certificate)));
  if (more.length > 0) tls.setDefaultCACertificates([...trusted, ...more]);
}

const maxBytes = 16 * 1024 * 1024;

function certificatesIn(file: string): readonly string[] {
  try {
    return readBoundedTextSync(file, maxBytes).match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g) ?? [];
  } catch {
    return [];
  }
}
const plain = (certificate: string): string => certificate.replace(/\s+/g, "");

/** Sends `fetch` and everything else that uses the default agents through the proxy, except to this machine. */
function goThroughProxy(env: Env): void {
  const own = ["localhost", "127.0.0.1", "[::1]"];
  const exempt = [env["no_proxy"] ?? env["NO_PROXY"] ?? "", ...own].filter((name) => name !== "").join(",");
  process.getBuiltinModule("node:http").setGlobalProxyFromEnv({ ...withAllProxy(env), no_proxy: exempt, NO_PROXY: exempt });
}

const variableFor = ({ protocol }: URL, env: Env): readonly [variable: string, address: string] | undefined => {
  const addressIn = (name: string): string => env[name.toLowerCase()] || env[name] || "";
  const variable = [protocol === "http:" ? "HTTP_PROXY" : "HTTPS_PROXY", "ALL_PROXY"].find((name) => addressIn(name) !== "");
  return variable === undefined ? undefined : [variable, addressIn(variable)];
};
/** Whether the environment names a proxy for such addresses; it may not be for all of them. */
export const namesProxyFor = (url: URL, env: Env): boolean => variableFor(url, env) !== undefined;

/** The variable whose proxy leads to this host, and its value; undefined for direct connections. Pass addresses of other machines only. */
export function proxyFor(url: URL, env: Env): readonly [variable: string, address: string] | undefined {
  const { hostname } = url;
  const exempt = (env["no_proxy"] ?? env["NO_PROXY"] ?? "").split(/[\s,]+/).map((entry) => entry.replace(/^\*?\.|:\d+$/g, ""));
  const isExempt = exempt.some((entry) => entry === "*" || (entry !== "" && (hostname === entry || hostname.endsWith(`.${entry}`))));
  return isExempt ? undefined : variableFor(url, env);
}

/** Why the proxy for this host cannot be used, with the fix. A direct connection in its place would go where the user did not want it. */
export function unusableProxy(url: URL, env: Env): string | undefined {
  const [variable, address = ""] = proxyFor(url, env) ?? [];
  if (variable === undefined || (/^https?:/i.test(address) && URL.canParse(address))) return undefined;
  const what = /^socks/i.test(address) ? "names a SOCKS proxy" : "is no http:// address";
  return `${variable} ${what}, and only HTTP proxies are used: set it to the http:// address of a proxy, unset it, or name ${url.hostname} in NO_PROXY`;
}

/** Networks with their own certificate authority are common, and the environment variable for it is hard to guess. */
export const certificateHint = (message: string): string =>
  /self[- ]signed|unable to (?:get|verify)|certificate|UNABLE_TO_|DEPTH_ZERO/i.test(message)
    ? "if your network has a certificate authority of its own, name its file in SSL_CERT_FILE"
    : "";

/** Both at once, for connections made with the default agents. */
export function openNetwork(env: Env): void {
  trustCertificates(env);
  if (hasProxy(env)) goThroughProxy(env);
}

/** Sets up the network at the process's first `fetch`. */
export function openNetworkAtFirstFetch(env: Env): void {
  if (!hasProxy(env) && certificateFiles(env).length === 0) return;
  const { fetch } = globalThis;
  let isOpen = false;
  globalThis.fetch = (input, init) => {
    if (!isOpen) {
      isOpen = true;
      openNetwork(env);
    }
    return fetch(input, init);
  };
}
