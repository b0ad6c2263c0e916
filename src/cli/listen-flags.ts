/** Parses where a server listens and which clients it accepts. Pure except for the secret files. */
import { isIP } from "node:net";
import path from "node:path";
import type { Endpoint } from "../main/listen.ts";
import type { CheckToken } from "../rpc/bearer.ts";
import { authFlags } from "./app-server/help.ts";
import { minTokenLength, readSecretFile } from "./secret-file.ts";
import { StartError, UsageError, type Values } from "./usage.ts";

/** One endpoint per `--listen`; `off` is none. A host name instead of an address is refused: it could resolve to another machine tomorrow. */
export function endpointFrom(url: string, codexHome: string): Endpoint | undefined {
  if (url === "stdio://") return { kind: "stdio" };
  if (url === "off") return undefined;
  if (url.startsWith("unix://")) return { kind: "unix", path: url.slice("unix://".length) || controlSocket(codexHome) };
  if (!url.startsWith("ws://"))
    throw new UsageError(
      `unsupported --listen URL \`${url}\`; expected \`stdio://\`, \`unix://\`, \`unix://PATH\`, \`ws://IP:PORT\` or \`off\``,
    );
  const address = addressFrom(url);
  if (address === undefined) throw new UsageError(`invalid websocket --listen URL \`${url}\`; expected \`ws://IP:PORT\``);
  return { kind: "websocket", ...address };
}

/** The address of a plain HTTP server. */
export function httpEndpointFrom(url: string): { readonly host: string; readonly port: number } {
  const address = url.startsWith("http://") ? addressFrom(url) : undefined;
  if (address === undefined) throw new UsageError(`unsupported --listen URL \`${url}\`; expected \`stdio://\` or \`http://IP:PORT\``);
  return address;
}

function addressFrom(url: string): { readonly host: string; readonly port: number } | undefined {
  const [, six, four, digits] = /^\w+:\/\/(?:\[([^\]]+)\]|([^:[\]]+)):(\d{1,5})\/?$/.exec(url) ?? [];
  const host = six ?? four ?? "";
  const port = Number(digits);
  return isIP(host) === (six === undefined ? 4 : 6) && port <= 65535 ? { host, port } : undefined;
}

/** Where `unix://` without a path listens and `proxy` without `--sock` connects. */
export const controlSocket = (codexHome: string): string => path.join(codexHome, "app-server-control", "app-server-control.sock");

export type AuthFlags = Values<{ readonly flags: typeof authFlags }>;

const minSecretBytes = 32;
const defaultSkewSeconds = 30;

/** The authentication that the flags request; undefined if none. */
export async function checkFromFlags(flags: AuthFlags): Promise<CheckToken | undefined> {
  const mode = flags["ws-auth"];
  if (mode === undefined) {
    if (authFlags.some(({ name }) => flags[name] !== undefined))
      throw new StartError("websocket auth flags require `--ws-auth capability-token` or `--ws-auth signed-bearer-token`");
    return undefined;
  }
  const bearer = await import("../rpc/bearer.ts");
  if (mode === "capability-token") return bearer.capabilityToken(tokenDigest(flags, bearer.digestOfToken));
  if (mode !== "signed-bearer-token")
    throw new UsageError(`invalid value '${mode}' for '--ws-auth <MODE>': expected capability-token or signed-bearer-token`);
  return bearer.signedBearerToken({
    secret: sharedSecret(flags["ws-shared-secret-file"]),
    issuer: flags["ws-issuer"],
    audience: flags["ws-audience"],
    maxClockSkewSeconds: skewSeconds(flags["ws-max-clock-skew-seconds"]),
    now: Date.now,
  });
}

function tokenDigest(flags: AuthFlags, digestOf: (token: string) => Buffer): Buffer {
  const hex = flags["ws-token-sha256"];
  const file = flags["ws-token-file"];
  if (hex !== undefined && file !== undefined) throw new StartError("give either `--ws-token-file` or `--ws-token-sha256`, not both");
  if (hex !== undefined) {
    if (!/^[0-9a-f]{64}$/i.test(hex)) throw new StartError("--ws-token-sha256 must be a 64-character hex SHA-256 digest");
    return Buffer.from(hex, "hex");
  }
  if (file === undefined)
    throw new StartError("`--ws-token-file` or `--ws-token-sha256` is required when `--ws-auth capability-token` is set");
  const token = readSecretFile(file);
  if (token.length < minTokenLength)
    throw new StartError(
      `the token in ${file} is too short: it needs at least ${minTokenLength} characters. Make one: openssl rand -hex 32`,
    );
  return digestOf(token);
}

function sharedSecret(file: string | undefined): Buffer {
  if (file === undefined) throw new StartError("`--ws-shared-secret-file` is required when `--ws-auth signed-bearer-token` is set");
  const secret = Buffer.from(readSecretFile(file), "utf8");
  if (secret.length < minSecretBytes)
    throw new StartError(`signed websocket bearer secret ${file} must be at least ${minSecretBytes} bytes`);
  return secret;
}

function skewSeconds(text: string | undefined): number {
  if (text === undefined) return defaultSkewSeconds;
  if (!/^\d{1,6}$/.test(text))
    throw new UsageError(`invalid value '${text}' for '--ws-max-clock-skew-seconds': expected a number of seconds`);
  return Number(text);
}
