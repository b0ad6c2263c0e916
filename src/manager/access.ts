/** Who may do what: the token file for scripts, one-time links that become devices, and the list from which a device can be struck. */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { type Scope, scopes } from "./api/define.ts";
import type { Actor, Device } from "./api/records.ts";
import { failure } from "./problems.ts";
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
}

const day = 24 * 60 * 60 * 1000;
/** A device that is used keeps its place; one that is not loses it after this time. */
const deviceLifeMs = 30 * day;
const linkLifeMs = 10 * 60 * 1000;
/** Wrong codes in a minute before all are refused for a while: a code cannot be guessed, and a guesser cannot keep us busy. */
const maxWrong = 20;
const maxLinks = 100;
/** How often a device's last use is written down. */
const seenEveryMs = 60 * 1000;

const sha256 = (text: string): Buffer => createHash("sha256").update(text).digest();
const secret = (bytes: number): string => randomBytes(bytes).toString("base64url");

export const allows = (have: Scope, need: Scope): boolean => scopes.indexOf(have) >= scopes.indexOf(need);

export class Access {
  readonly #store: ManagerStore;
  readonly #now: () => number;
  readonly #fileToken: Buffer;
  #links: Link[] = [];
  #wrong: number[] = [];
  /** Called when a device is struck from the list, to end its open sockets. */
  onRevoked: (deviceId: string) => void = () => {};

  constructor(store: ManagerStore, fileToken: string, now: () => number) {
    this.#store = store;
    this.#now = now;
    this.#fileToken = sha256(fileToken);
  }

  /** Who a bearer token belongs to. */
  bearer(token: string): Caller | undefined {
    const digest = sha256(token);
    if (timingSafeEqual(digest, this.#fileToken))
      return { scope: "admin", actor: { kind: "script", name: "token file" }, device: undefined };
    return this.#deviceOf(digest, "script");
  }

  /** Who a cookie belongs to. */
  cookie(token: string): Caller | undefined {
    return this.#deviceOf(sha256(token), "device");
  }

  /** A code that signs one device in, once. */
  makeLink(scope: Scope, name: string | undefined, lifeMs = linkLifeMs): { code: string; expiresAt: string } {
    const code = secret(24);
    const expiresAt = this.#now() + lifeMs;
    this.#links = [...this.#links.filter((l) => l.expiresAt > this.#now()), { digest: sha256(code), scope, name, expiresAt }].slice(
      -maxLinks,
    );
    return { code, expiresAt: new Date(expiresAt).toISOString() };
  }

  /** Trades a code for a device and its token. */
  signIn(code: string, name: string | undefined): { device: StoredDevice; token: string } {
    const now = this.#now();
    this.#wrong = this.#wrong.filter((at) => now - at < 60_000);
    if (this.#wrong.length >= maxWrong) throw failure(429, "too_many_attempts", "Too many wrong codes. Wait a minute.");
    const digest = sha256(code);
    const link = this.#links.find((l) => timingSafeEqual(l.digest, digest) && l.expiresAt > now);
    if (link === undefined) {
      this.#wrong.push(now);
      throw failure(401, "bad_code", "This link was used already, is too old, or was never made. Ask for a new one.");
    }
    this.#links = this.#links.filter((l) => l !== link);
    const token = secret(32);
    const at = new Date(now).toISOString();
    const device: StoredDevice = {
      deviceId: secret(9),
      name: (link.name ?? name ?? "A device").slice(0, 100),
      scope: link.scope,
      digest: sha256(token).toString("hex"),
      createdAt: at,
      lastSeenAt: at,
      expiresAt: new Date(now + deviceLifeMs).toISOString(),
    };
    this.#store.change({ devices: [...this.#alive(), device] });
    return { device, token };
  }

  devices(current: string | undefined): Device[] {
    return this.#alive().map(({ digest: _, ...device }) => ({ ...device, current: device.deviceId === current }));
  }

  revoke(deviceId: string): boolean {
    const left = this.#alive().filter((d) => d.deviceId !== deviceId);
    if (left.length === this.#alive().length) return false;
    this.#store.change({ devices: left });
    this.onRevoked(deviceId);
    return true;
  }

  #alive(): StoredDevice[] {
    return this.#store.state.devices.filter((d) => Date.parse(d.expiresAt) > this.#now());
  }

  #deviceOf(digest: Buffer, kind: "device" | "script"): Caller | undefined {
    const device = this.#alive().find((d) => timingSafeEqual(Buffer.from(d.digest, "hex"), digest));
    if (device === undefined) return undefined;
    this.#seen(device);
    return { scope: device.scope, actor: { kind, id: device.deviceId, name: device.name }, device };
  }

  #seen(device: StoredDevice): void {
    const now = this.#now();
    if (now - Date.parse(device.lastSeenAt) < seenEveryMs) return;
    const fresh = { ...device, lastSeenAt: new Date(now).toISOString(), expiresAt: new Date(now + deviceLifeMs).toISOString() };
    this.#store.change({ devices: this.#store.state.devices.map((d) => (d.deviceId === device.deviceId ? fresh : d)) });
  }
}
