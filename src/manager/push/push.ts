/** Notifications for devices whose page is closed: which devices get which events, and what each message contains. */
import { generateKeyPairSync } from "node:crypto";
import path from "node:path";
import { readBoundedTextSync } from "../../lib/bounded-read.ts";
import { createFileSync } from "../../lib/durable-write.ts";
import { errorMessage } from "../../lib/error-text.ts";
import { isRecord } from "../../lib/is-record.ts";
import { isCode } from "../../lib/system-error.ts";
import type { PendingRequest } from "../../sessions/records.ts";
import { type Access, allows } from "../access.ts";
import type { PushWants } from "../api/push.ts";
import { failure, invalid } from "../problems.ts";
import type { ManagerStore, StoredDevice, StoredPush } from "../store.ts";
import { type Delivery, deliver, problemOfEndpoint, problemOfKeys } from "./deliver.ts";
import { maxPlainBytes, type PushKey, publicKeyOf } from "./encrypt.ts";

export interface PushPorts {
  readonly store: ManagerStore;
  readonly access: Access;
  readonly folder: string;
  /** Hosts of push services besides the browsers' own, as `host` or `host:port`. */
  readonly hosts: readonly string[];
  readonly bootId: string;
  now(): number;
  warn(message: string, fields: Readonly<Record<string, unknown>>): void;
}

/** What the page's service worker receives; it shows the notification and answers the request. */
export interface PushPayload {
  readonly kind: keyof PushWants | "test";
  readonly title: string;
  readonly body: string;
  /** A newer notification with the same tag replaces the older one. */
  readonly tag: string;
  readonly path: string;
  /** Set if Allow and Decline may be offered: what identifies the request that is answered. */
  readonly approval?: { readonly approvalId: string; readonly createdAt: string; readonly bootId: string };
}

type Ended = { readonly sessionId: string; readonly title: string | null; readonly error: string | null };

/** Messages under way at once; more are dropped, because the inbox has everything anyway. */
const maxUnderWay = 64;
const maxTitle = 120;
const maxBody = 600;

export class Push {
  readonly #ports: PushPorts;
  #key: PushKey | undefined;
  #underWay = 0;

  constructor(ports: PushPorts) {
    this.#ports = ports;
  }

  get publicKey(): string {
    return publicKeyOf(this.#ownKey());
  }

  wants(device: StoredDevice | undefined): PushWants | null {
    return device === undefined ? null : (this.#ports.store.state.pushes[device.deviceId]?.wants ?? null);
  }

  /** Throws a Problem that names the field. */
  subscribe(device: StoredDevice | undefined, push: StoredPush): void {
    if (device === undefined) throw failure(409, "no_device", "Only a signed-in browser can be notified, and this is the token file.");
    const problem = problemOfEndpoint(push.endpoint, this.#ports.hosts) ?? problemOfKeys(push);
    if (problem !== undefined) throw invalid([problem]);
    const alive = new Set(this.#ports.access.devices(undefined).map(({ deviceId }) => deviceId));
    const others = Object.entries(this.#ports.store.state.pushes).filter(
      ([id, other]) => alive.has(id) && id !== device.deviceId && other.endpoint !== push.endpoint,
    );
    this.#ports.store.change({ pushes: { ...Object.fromEntries(others), [device.deviceId]: push } });
  }

  unsubscribe(deviceId: string | undefined): void {
    if (deviceId === undefined || this.#ports.store.state.pushes[deviceId] === undefined) return;
    const { [deviceId]: _, ...pushes } = this.#ports.store.state.pushes;
    this.#ports.store.note({ pushes });
  }

  /** A request waits for somebody. */
  needsYou(request: PendingRequest): void {
    const { requestId, approvalId, createdAt, threadId, summary } = request;
    const approval = approvalId === undefined ? undefined : { approvalId, createdAt, bootId: this.#ports.bootId };
    this.#send("needsYou", (device) => ({
      kind: "needsYou",
      title: short(request.sessionTitle ?? "Parley needs you", maxTitle),
      body: short(`${kindTexts[request.kind]}: ${commandIn(request) ?? summary}`, maxBody),
      tag: `request-${requestId}`,
      path: `/s/${encodeURIComponent(threadId)}#request=${encodeURIComponent(requestId)}`,
      ...(approval !== undefined && allows(device.scope, "approve") ? { approval } : {}),
    }));
  }

  ended({ sessionId, title, error }: Ended): void {
    const kind = error === null ? "done" : "failed";
    const body = error === null ? "Done." : `The turn failed: ${error}`;
    this.#send(kind, () => ({
      ...{ kind, title: short(title ?? "A session", maxTitle), body: short(body, maxBody) },
      ...{ tag: `session-${sessionId}`, path: `/s/${encodeURIComponent(sessionId)}` },
    }));
  }

  /** Throws a Problem if the push service refuses or cannot be reached. */
  async test(device: StoredDevice | undefined): Promise<void> {
    const push = device === undefined ? undefined : this.#ports.store.state.pushes[device.deviceId];
    if (device === undefined || push === undefined) throw failure(409, "not_subscribed", "This device has no notifications switched on.");
    const payload: PushPayload = { kind: "test", title: "Parley", body: "Notifications work on this device.", tag: "test", path: "/" };
    const outcome = await this.#deliver(device.deviceId, push, payload);
    if (outcome !== undefined) throw failure(502, "push_failed", outcome);
  }

  #send(kind: keyof PushWants, payloadFor: (device: StoredDevice) => PushPayload): void {
    const { pushes, devices } = this.#ports.store.state;
    const now = this.#ports.now();
    for (const device of devices) {
      const push = pushes[device.deviceId];
      if (push?.wants[kind] !== true || Date.parse(device.expiresAt) <= now) continue;
      if (this.#underWay >= maxUnderWay) return this.#ports.warn("a notification was dropped: too many are under way", { kind });
      void this.#deliver(device.deviceId, push, payloadFor(device));
    }
  }

  /** Returns what went wrong. Never rejects. A subscription that the service no longer knows is forgotten. */
  async #deliver(deviceId: string, push: StoredPush, payload: PushPayload): Promise<string | undefined> {
    this.#underWay++;
    try {
      const delivery: Delivery = { push, key: this.#ownKey(), plain: plainOf(payload), isUrgent: payload.kind === "needsYou" };
      const { problem, isGone } = await deliver(delivery, this.#ports.hosts, this.#ports.now());
      if (isGone && this.#ports.store.state.pushes[deviceId]?.endpoint === push.endpoint) this.unsubscribe(deviceId);
      if (problem !== undefined) this.#ports.warn("a notification was not delivered", { problem, kind: payload.kind });
      return problem;
    } catch (error) {
      this.#ports.warn("a notification was not delivered", { problem: errorMessage(error), kind: payload.kind });
      return errorMessage(error);
    } finally {
      this.#underWay--;
    }
  }

  /** Made once: a browser's subscription belongs to this key. */
  #ownKey(): PushKey {
    if (this.#key !== undefined) return this.#key;
    const file = path.join(this.#ports.folder, "push-key.json");
    try {
      this.#key = JSON.parse(readBoundedTextSync(file, 10_000)) as PushKey;
      publicKeyOf(this.#key);
    } catch (error) {
      if (!isCode(error, "ENOENT")) throw error;
      const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
      this.#key = privateKey.export({ format: "jwk" }) as PushKey;
      createFileSync(file, `${JSON.stringify(this.#key)}\n`);
    }
    return this.#key;
  }
}

const kindTexts: Readonly<Record<PendingRequest["kind"], string>> = {
  command: "Command",
  fileChange: "File changes",
  permissions: "Permissions",
  question: "Question",
  toolCall: "Tool call",
  elicitation: "MCP server",
  other: "Request",
};

/** The command without the shell around it, as the engine has read it. */
function commandIn({ kind, details }: PendingRequest): string | undefined {
  const actions = kind === "command" && isRecord(details) ? details["commandActions"] : undefined;
  const [only, ...more] = Array.isArray(actions) ? (actions as readonly unknown[]) : [];
  return more.length === 0 && isRecord(only) && typeof only["command"] === "string" ? only["command"] : undefined;
}

/** A payload whose texts were cut to what a message can hold; letters may take several bytes. */
function plainOf(payload: PushPayload): Buffer {
  const whole = Buffer.from(JSON.stringify(payload));
  return whole.length <= maxPlainBytes ? whole : Buffer.from(JSON.stringify({ ...payload, body: payload.body.slice(0, 100) }));
}

/** On one line, without control characters, cut between letters. */
function short(text: string, max: number): string {
  const line = text.replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, " ").trim();
  const letters = [...line];
  return letters.length <= max ? line : `${letters.slice(0, max - 1).join("")}…`;
}
