/** Read-only links: each is a snapshot of a session as an HTML file in the manager's folder, found by a secret of which only the digest is stored. */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { mkdirSync, rmSync } from "node:fs";
import path from "node:path";
import { readBoundedTextSync } from "../lib/bounded-read.ts";
import { replaceFileSync } from "../lib/durable-write.ts";
import { randomUuid } from "../lib/random.ts";
import { failure } from "./problems.ts";
import { type ManagerStore, StateUnwritten, type StoredShare } from "./store.ts";

export const maxShareBytes = 20 * 1024 * 1024;
const maxShares = 200;
const dayMs = 24 * 60 * 60_000;

export class Shares {
  readonly #folder: string;
  readonly #store: ManagerStore;
  readonly #now: () => number;

  constructor(folder: string, store: ManagerStore, now: () => number) {
    this.#folder = path.join(folder, "shares");
    this.#store = store;
    this.#now = now;
  }

  get all(): readonly StoredShare[] {
    const now = this.#now();
    return this.#store.state.shares.filter(({ expiresAt }) => Date.parse(expiresAt) > now);
  }

  add(html: string, of: Pick<StoredShare, "sessionId" | "title" | "by">, days: number): { share: StoredShare; secret: string } {
    if (this.all.length >= maxShares)
      throw failure(409, "too_many_shares", `There are ${maxShares} links, the most that there may be. End one first.`);
    const secret = randomBytes(32).toString("base64url");
    const now = this.#now();
    const share: StoredShare = {
      ...of,
      shareId: randomUuid(),
      digest: digestOf(secret).toString("hex"),
      bytes: Buffer.byteLength(html),
      createdAt: new Date(now).toISOString(),
      expiresAt: new Date(now + days * dayMs).toISOString(),
    };
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      replaceFileSync(this.#file(share.shareId), html, { mode: 0o600 });
    } catch (error) {
      throw new StateUnwritten(this.#file(share.shareId), error);
    }
    this.#store.change({ shares: [...this.#store.state.shares, share] });
    return { share, secret };
  }

  /** The snapshot's HTML; undefined for an unknown, ended or expired link. */
  read(secret: string): string | undefined {
    const digest = digestOf(secret);
    const share = this.all.find((one) => timingSafeEqual(Buffer.from(one.digest, "hex"), digest));
    if (share === undefined) return undefined;
    try {
      return readBoundedTextSync(this.#file(share.shareId), maxShareBytes);
    } catch {
      return undefined;
    }
  }

  end(shareId: string): boolean {
    if (!this.#store.state.shares.some((one) => one.shareId === shareId)) return false;
    this.#drop(new Set([shareId]));
    return true;
  }

  /** Removes what has expired. */
  sweep(): void {
    const alive = new Set(this.all.map(({ shareId }) => shareId));
    const over = this.#store.state.shares.filter(({ shareId }) => !alive.has(shareId)).map(({ shareId }) => shareId);
    if (over.length > 0) this.#drop(new Set(over));
  }

  /** The link ends at once, even if the file cannot be removed. */
  #drop(ids: ReadonlySet<string>): void {
    this.#store.note({ shares: this.#store.state.shares.filter(({ shareId }) => !ids.has(shareId)) });
    for (const id of ids) rmSync(this.#file(id), { force: true });
  }

  #file(shareId: string): string {
    return path.join(this.#folder, `${shareId}.html`);
  }
}

const digestOf = (secret: string): Buffer => createHash("sha256").update(secret).digest();
