/** One message for a push service: encrypted for the browser that subscribed (RFC 8291) and signed by the manager's key (RFC 8292). */
import { createCipheriv, createECDH, createPrivateKey, hkdfSync, randomBytes, sign } from "node:crypto";

/** What a browser gave when it subscribed. The keys are base64url. */
export interface Subscription {
  readonly endpoint: string;
  readonly p256dh: string;
  readonly auth: string;
}

/** The manager's key pair for push services, as a private JSON Web Key on the curve P-256. */
export type PushKey = { readonly kty: "EC"; readonly crv: "P-256"; readonly x: string; readonly y: string; readonly d: string };

/** Fixed in tests only, to compare with the example of the RFC. */
export interface Chosen {
  readonly salt?: Buffer;
  readonly privateKey?: Buffer;
}

const recordSize = 4096;
/** Push services take a body of 4,096 bytes: the header, the padding mark and the tag leave this much. */
export const maxPlainBytes = recordSize - 86 - 17;

export function encrypted(plain: Buffer, { p256dh, auth }: Pick<Subscription, "p256dh" | "auth">, chosen: Chosen = {}): Buffer {
  if (plain.length > maxPlainBytes) throw new RangeError(`a push message has at most ${maxPlainBytes} bytes`);
  const salt = chosen.salt ?? randomBytes(16);
  const own = createECDH("prime256v1");
  if (chosen.privateKey === undefined) own.generateKeys();
  else own.setPrivateKey(chosen.privateKey);
  const theirs = Buffer.from(p256dh, "base64url");
  const info = Buffer.concat([Buffer.from("WebPush: info\0"), theirs, own.getPublicKey()]);
  const secret = Buffer.from(hkdfSync("sha256", own.computeSecret(theirs), Buffer.from(auth, "base64url"), info, 32));
  const key = Buffer.from(hkdfSync("sha256", secret, salt, "Content-Encoding: aes128gcm\0", 16));
  const nonce = Buffer.from(hkdfSync("sha256", secret, salt, "Content-Encoding: nonce\0", 12));
  const cipher = createCipheriv("aes-128-gcm", key, nonce);
  const body = Buffer.concat([cipher.update(plain), cipher.update(Buffer.from([2])), cipher.final(), cipher.getAuthTag()]);
  const header = Buffer.alloc(5);
  header.writeUInt32BE(recordSize);
  header.writeUInt8(own.getPublicKey().length, 4);
  return Buffer.concat([salt, header, own.getPublicKey(), body]);
}

/** The public half, as browsers take it: an uncompressed point in base64url. */
export const publicKeyOf = ({ x, y }: PushKey): string =>
  Buffer.concat([Buffer.from([4]), Buffer.from(x, "base64url"), Buffer.from(y, "base64url")]).toString("base64url");

/** Identifies the manager to the push service of this endpoint. */
export function authorization(endpoint: string, key: PushKey, nowMs: number): string {
  const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString("base64url");
  const claims = { aud: new URL(endpoint).origin, exp: Math.floor(nowMs / 1000) + 12 * 60 * 60, sub: "mailto:push@parley.example" };
  const signed = `${encode({ typ: "JWT", alg: "ES256" })}.${encode(claims)}`;
  const privateKey = createPrivateKey({ key, format: "jwk" });
  const signature = sign("sha256", Buffer.from(signed), { key: privateKey, dsaEncoding: "ieee-p1363" }).toString("base64url");
  return `vapid t=${signed}.${signature}, k=${publicKeyOf(key)}`;
}
