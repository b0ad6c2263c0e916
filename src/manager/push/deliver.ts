/** Sends one message to a push service. Only to known services: the address comes from a device, and the manager must not call whatever it names. */
import { isIP } from "node:net";
import { boundedResponse } from "../../lib/bounded-response.ts";
import { errorMessage } from "../../lib/error-text.ts";
import type { StoredPush } from "../store.ts";
import { authorization, encrypted, type PushKey } from "./encrypt.ts";

export interface Delivery {
  readonly push: StoredPush;
  readonly key: PushKey;
  readonly plain: Buffer;
  readonly isUrgent: boolean;
}

/** The services of Chrome and its relatives, Firefox, Safari and Edge. */
const known: readonly RegExp[] = [
  /^fcm\.googleapis\.com$/,
  /^updates\.push\.services\.mozilla\.com$/,
  /^([a-z0-9-]+\.)*push\.apple\.com$/,
  /^([a-z0-9-]+\.)+notify\.windows\.com$/,
];

const timeoutMs = 10_000;
const keepSeconds = 12 * 60 * 60;
const maxAnswerBytes = 2000;

export interface FieldProblem {
  readonly path: string;
  readonly message: string;
}

export function problemOfEndpoint(endpoint: string, hosts: readonly string[]): FieldProblem | undefined {
  const refused = (message: string): FieldProblem => ({ path: "endpoint", message });
  if (!URL.canParse(endpoint)) return refused("expected the address of a push service");
  const { protocol, hostname, host, username, password, port } = new URL(endpoint);
  if (username !== "" || password !== "") return refused("must not contain a user name or password");
  const isListed = hosts.includes(host) || (port === "" && hosts.includes(hostname));
  const isPlain = protocol === "http:" && isListed && isIP(hostname.replace(/^\[|\]$/g, "")) !== 0;
  if (protocol !== "https:" && !isPlain) return refused("expected an https address");
  if (isListed || (port === "" && known.some((service) => service.test(hostname)))) return undefined;
  return refused(`${host} is not a known push service; start the manager with --push-host ${host} to allow it`);
}

export function problemOfKeys({ p256dh, auth }: Pick<StoredPush, "p256dh" | "auth">): FieldProblem | undefined {
  const point = Buffer.from(p256dh, "base64url");
  if (point.length !== 65 || point[0] !== 4) return { path: "keys.p256dh", message: "expected an uncompressed P-256 point in base64url" };
  return Buffer.from(auth, "base64url").length === 16 ? undefined : { path: "keys.auth", message: "expected 16 bytes in base64url" };
}

export async function deliver(
  { push, key, plain, isUrgent }: Delivery,
  hosts: readonly string[],
  nowMs: number,
): Promise<{ readonly problem: string | undefined; readonly isGone: boolean }> {
  // The list of allowed services may have become shorter since the device subscribed.
  const refused = problemOfEndpoint(push.endpoint, hosts);
  if (refused !== undefined) return { problem: refused.message, isGone: true };
  const { host } = new URL(push.endpoint);
  try {
    const response = await fetch(push.endpoint, {
      method: "POST",
      redirect: "error",
      headers: {
        authorization: authorization(push.endpoint, key, nowMs),
        "content-encoding": "aes128gcm",
        "content-type": "application/octet-stream",
        ttl: String(keepSeconds),
        urgency: isUrgent ? "high" : "normal",
      },
      body: new Uint8Array(encrypted(plain, push)),
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = await boundedResponse(response, maxAnswerBytes)
      .text()
      .catch(() => "");
    if (response.ok) return { problem: undefined, isGone: false };
    const isGone = response.status === 404 || response.status === 410;
    return { problem: `${host} answered with status ${response.status}${text === "" ? "" : `: ${text.slice(0, 200)}`}`, isGone };
  } catch (error) {
    return { problem: `${host} cannot be reached: ${errorMessage(error)}`, isGone: false };
  }
}
