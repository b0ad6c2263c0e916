/** Access control: the token file for scripts, one-time links that register devices, and the list of devices, which can be revoked. */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { hasPassed, isBefore } from "../lib/passed.ts";
import type { Actor } from "../sessions/records.ts";
import { type Scope, scopes } from "./api/define.ts";
import type { Device } from "./api/records.ts";
import { failure, type Problem } from "./problems.ts";
import type { ManagerStore, StoredDevice } from "./store.ts";

export interface Caller {
  readonly scope: Scope;
  readonly actor: Actor;
  /** Undefined for the token of the file. */
  readonly device: StoredDevice | undefined;
}

interface Link {
  readonly digest: Buffer;
  readonly scope: Scope;
  readonly name: string | undefined;
  readonly expiresAt: number;
  readonly lifeMs: number;
}

/** Setting the clock back does not extend a link's life. */
const isAlive = ({ expiresAt, lifeMs }: Link, nowMs: number): boolean => isBefore(expiresAt, lifeMs, nowMs);

const day = 24 * 60 * 60 * 1000;
/** A device that is in use stays registered; an unused one expires after this time. */
const deviceLifeMs = 30 * day;
const linkLifeMs = 10 * 60 * 1000;
/** Failed codes per minute before all are refused for a while: codes cannot be guessed, and guessing cannot keep the server busy. */
const maxWrong = 20;
const maxLinks = 100;
const maxDevices = 500;
/** Maximum number of cookies with our name that are checked. */
const maxCookies = 20;
/** Minimum interval between saves of a device's last use. */
const seenEveryMs = 60 * 1000;

const sha256 = (text: string): Buffer => createHash("sha256").update(text).digest();
const secret = (bytes: number): string => randomBytes(bytes).toString("base64url");

/** Digests from the file may have any length. */
function sameDigest(hex: string, digest: Buffer): boolean {
  const kept = Buffer.from(hex, "hex");
  return kept.length === digest.length && timingSafeEqual(kept, digest);
}

const how = "Sign in again with a new link: run `parley manager link` on the machine where the manager runs.";
const signInAgain = (): Problem =>
  failure(401, "sign_in_again", `This device was signed in before browsers were given a second key. ${how}`);
const cookieReplaced = (): Problem =>
  failure(401, "cookie_replaced", `Another program on this host has replaced this browser's cookie. ${how}`);

export const allows = (have: Scope, need: Scope): boolean => scopes.indexOf(have) >= scopes.indexOf(need);

export class Access {
  readonly #store: ManagerStore;
  readonly #now: () => number;
  readonly #fileToken: Buffer;
  #links: Link[] = [];
  #wrong: number[] = [];
  /** Called when a device is revoked, to close its open sockets. */
  onRevoked: (deviceId: string) => void = () => {};

  constructor(store: ManagerStore, fileToken: string, now: () => number) {
    this.#store = store;
    this.#now = now;
    this.#fileToken = sha256(fileToken);
  }

  /** The owner of a bearer token. A browser's cookie is not accepted here, because cookies are sent to every port of a host. */
  bearer(token: string): Caller | Problem | undefined {
    const digest = sha256(token);
    if (timingSafeEqual(digest, this.#fileToken))
      return { scope: "admin", actor: { kind: "script", name: "token file" }, device: undefined };
    const device = this.#find((d) => sameDigest(d.digest, digest));
    if (device === undefined || typeof device.pageDigest === "string") return undefined;
    return device.pageDigest === null ? this.#callerOf(device, "script") : signInAgain();
  }

  /**
   * The owner of a page: the device of its key, provided that one of the cookies belongs to the same device. The key is in the storage of
   * our own page, which no other port can read; the cookie cannot be read by any script. There are several cookies of one name if another
   * port has planted one.
   */
  page(key: string | undefined, cookies: readonly string[]): Caller | Problem | undefined {
    const digests = cookies.slice(0, maxCookies).map(sha256);
    const has = (device: StoredDevice): boolean => digests.some((digest) => sameDigest(device.digest, digest));
    const digest = sha256(key ?? "");
    const device = this.#find((d) => typeof d.pageDigest === "string" && sameDigest(d.pageDigest, digest));
    if (device !== undefined && has(device)) return this.#callerOf(device, "device");
    if (this.#find((d) => d.pageDigest === undefined && has(d)) !== undefined) return signInAgain();
    return device === undefined || digests.length === 0 ? undefined : cookieReplaced();
  }

  /** A code that signs in one device, once. */
  makeLink(scope: Scope, name: string | undefined, lifeMs = linkLifeMs): { code: string; expiresAt: string } {
    const code = secret(24);
    const expiresAt = this.#now() + lifeMs;
    this.#links = [...this.#links.filter((l) => isAlive(l, this.#now())), { digest: sha256(code), scope, name, expiresAt, lifeMs }].slice(
      -maxLinks,
    );
    return { code, expiresAt: new Date(expiresAt).toISOString() };
  }

  /** Exchanges a code for a script's device and its bearer token. */
  signIn(code: string, name: string | undefined): { device: StoredDevice; token: string } {
    return this.#signIn(code, name, null);
  }

  /** Exchanges a code for a browser's device: a token for its cookie and a key for its page. */
  signInPage(code: string, name: string | undefined): { device: StoredDevice; token: string; pageKey: string } {
    const pageKey = secret(32);
    return { ...this.#signIn(code, name, sha256(pageKey).toString("hex")), pageKey };
  }

  #signIn(code: string, name: string | undefined, pageDigest: string | null): { device: StoredDevice; token: string } {
    const now = this.#now();
    this.#wrong = this.#wrong.filter((at) => !hasPassed(at, 60_000, now));
    if (this.#wrong.length >= maxWrong) throw failure(429, "too_many_attempts", "Too many wrong codes. Wait a minute.");
    const digest = sha256(code);
    const link = this.#links.find((l) => timingSafeEqual(l.digest, digest) && isAlive(l, now));
    if (link === undefined) {
      this.#wrong.push(now);
      throw failure(401, "bad_code", "This link was used already, is too old, or was never made. Ask for a new one.");
    }
    if (this.#alive().length >= maxDevices)
      throw failure(429, "too_many_devices", `${maxDevices} devices are signed in, the most that there may be. Sign one out first.`);
    this.#links = this.#links.filter((l) => l !== link);
    const token = secret(32);
    const at = new Date(now).toISOString();
    const device: StoredDevice = {
      deviceId: secret(9),
      name: (link.name ?? name ?? "A device").slice(0, 100),
      scope: link.scope,
      digest: sha256(token).toString("hex"),
      pageDigest,
      createdAt: at,
      lastSeenAt: at,
      expiresAt: new Date(now + deviceLifeMs).toISOString(),
    };
    this.#store.change({ devices: [...this.#alive(), device] });
    return { device, token };
  }

  devices(current: string | undefined): Device[] {
    return this.#alive().map(({ digest: _, pageDigest: __, ...device }) => ({ ...device, current: device.deviceId === current }));
  }

  rename(deviceId: string, name: string): boolean {
    if (!this.#alive().some((d) => d.deviceId === deviceId)) return false;
    this.#store.change({ devices: this.#store.state.devices.map((d) => (d.deviceId === deviceId ? { ...d, name } : d)) });
    return true;
  }

  revoke(deviceId: string): boolean {
    const left = this.#alive().filter((d) => d.deviceId !== deviceId);
    if (left.length === this.#alive().length) return false;
    // Revoked from now on, even if the write fails.
    this.#store.note({ devices: left });
    this.onRevoked(deviceId);
    return true;
  }

  #alive(): StoredDevice[] {
    return this.#store.state.devices.filter((d) => Date.parse(d.expiresAt) > this.#now());
  }

  #find(fits: (device: StoredDevice) => boolean): StoredDevice | undefined {
    return this.#alive().find(fits);
  }

  #callerOf(device: StoredDevice, kind: "device" | "script"): Caller {
    this.#seen(device);
    return { scope: device.scope, actor: { kind, id: device.deviceId, name: device.name }, device };
  }

  #seen(device: StoredDevice): void {
    const now = this.#now();
    if (!hasPassed(Date.parse(device.lastSeenAt), seenEveryMs, now)) return;
    const fresh = { ...device, lastSeenAt: new Date(now).toISOString(), expiresAt: new Date(now + deviceLifeMs).toISOString() };
    this.#store.note({ devices: this.#store.state.devices.map((d) => (d.deviceId === device.deviceId ? fresh : d)) });
  }
}
