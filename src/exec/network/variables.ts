/**
 * The environment variables by which a command's programs find the proxy. The names are those of Codex. Unlike there, programs reach the
 * command's own servers directly, unless the profile opens the machine's address of that name.
 */
import type { NetworkRules } from "../../core/ports/network-access.ts";
import { proxyPort } from "./listener.ts";

const httpNames = [
  ...["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy", "WS_PROXY", "WSS_PROXY", "ws_proxy", "wss_proxy"],
  ...["YARN_HTTP_PROXY", "YARN_HTTPS_PROXY", "BUNDLE_HTTP_PROXY", "BUNDLE_HTTPS_PROXY", "PIP_PROXY"],
  ...["npm_config_http_proxy", "npm_config_https_proxy", "npm_config_proxy", "DOCKER_HTTP_PROXY", "DOCKER_HTTPS_PROXY"],
  ...["NPM_CONFIG_HTTP_PROXY", "NPM_CONFIG_HTTPS_PROXY", "NPM_CONFIG_PROXY"],
];
const anyNames = ["ALL_PROXY", "all_proxy", "FTP_PROXY", "ftp_proxy"];
const exceptNames = ["NO_PROXY", "no_proxy", "npm_config_noproxy", "NPM_CONFIG_NOPROXY", "BUNDLE_NO_PROXY"];
/** The sandbox's own loopback, where the command finds what it serves itself. */
const ownHosts = ["localhost", "127.0.0.1", "::1"];

const all = (names: readonly string[], value: string): Record<string, string> => Object.fromEntries(names.map((name) => [name, value]));

export function proxyVariables({ allow, hasSocks, allowsLocal }: NetworkRules): Record<string, string> {
  const http = `http://127.0.0.1:${proxyPort}`;
  return {
    ...all(httpNames, http),
    ...all(anyNames, hasSocks ? `socks5h://127.0.0.1:${proxyPort}` : http),
    ...all(exceptNames, ownHosts.filter((host) => !allow.includes(host)).join(",")),
    CODEX_NETWORK_PROXY_ACTIVE: "1",
    CODEX_NETWORK_ALLOW_LOCAL_BINDING: allowsLocal ? "1" : "0",
    ELECTRON_GET_USE_PROXY: "true",
    NODE_USE_ENV_PROXY: "1",
  };
}
