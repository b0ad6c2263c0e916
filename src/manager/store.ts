/** What the manager must not forget: projects, devices, tombstones, waiting requests. One small file, replaced whole and safely at every change. */
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import path from "node:path";
import {
  array,
  boolean,
  type Infer,
  literals,
  maybe,
  named,
  nullable,
  object,
  optional,
  parse,
  record,
  string,
  unknown,
} from "../lib/schema.ts";
import { PendingRequest, Project, QueuedMessage, SessionControls, TranscriptRow } from "./api/records.ts";

const StoredDevice = named("StoredDevice", () =>
  object({
    deviceId: string(),
    name: string(),
    scope: literals("read", "approve", "drive", "admin"),
    /** SHA-256 of its token; the token itself is nowhere. */
    digest: string(),
    /** SHA-256 of the second secret of a browser's page; null for a script, absent for a device of the time before there was one. */
    pageDigest: maybe(string()),
    createdAt: string(),
    lastSeenAt: string(),
    expiresAt: string(),
  }),
);
export type StoredDevice = Infer<typeof StoredDevice>;

const Tombstone = named("Tombstone", () => object({ sessionId: string(), title: nullable(string()), deletedAt: string() }));
export type Tombstone = Infer<typeof Tombstone>;

/** A waiting request with the number under which the engine knows it. */
const StoredRequest = named("StoredRequest", () => object({ rpcId: string(), request: PendingRequest() }));
export type StoredRequest = Infer<typeof StoredRequest>;

const StoredState = named("StoredState", () =>
  object({
    version: literals("1"),
    projects: array(Project()),
    /** Session → project. */
    assignments: record(string()),
    titles: record(string()),
    controls: record(SessionControls()),
    defaults: nullable(SessionControls()),
    systemOwned: array(string()),
    tombstones: array(Tombstone()),
    devices: array(StoredDevice()),
    pending: array(StoredRequest()),
    queues: record(array(QueuedMessage())),
    /** Messages that were accepted, newest last: sending one again must not send it twice. */
    accepted: array(object({ messageId: string(), sessionId: string(), turnId: nullable(string()) })),
    side: record(array(TranscriptRow())),
    ruleNotes: record(object({ expiresAt: nullable(string()), addedBy: maybe(string()) })),
    settings: record(record(unknown())),
    /** Messages on their way to the engine: whether one that is still here arrived must be looked up before it is sent again. */
    handed: array(object({ messageId: string(), sessionId: string() })),
    /** Session → the client tools it was last offered with. */
    tools: record(
      array(
        object({
          name: string(),
          description: string(),
          inputSchema: optional(unknown()),
          namespace: maybe(string()),
          deferLoading: optional(boolean()),
        }),
      ),
    ),
    locked: boolean(),
  }),
);
export type StoredState = Infer<typeof StoredState>;

const empty = (): StoredState => ({
  version: "1",
  projects: [],
  assignments: {},
  titles: {},
  controls: {},
  defaults: null,
  systemOwned: [],
  tombstones: [],
  devices: [],
  pending: [],
  queues: {},
  accepted: [],
  handed: [],
  side: {},
  ruleNotes: {},
  settings: {},
  tools: {},
  locked: false,
});

const keepAccepted = 1000;
const keepTombstones = 20_000;

export class ManagerStore {
  readonly #file: string;
  readonly #warn: (message: string, fields: Readonly<Record<string, unknown>>) => void;
  #state: StoredState;

  /** Reads the file. A damaged one is moved aside and said so; the manager then starts with nothing rather than not at all. */
  constructor(folder: string, warn: (message: string, fields: Readonly<Record<string, unknown>>) => void) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#file = path.join(folder, "state.json");
    this.#warn = warn;
    this.#state = this.#read();
  }

  get state(): Readonly<StoredState> {
    return this.#state;
  }

  /** Changes the state and writes it out before it returns. */
  change(part: Partial<StoredState>): void {
    const next = { ...this.#state, ...part };
    this.#state = {
      ...next,
      accepted: next.accepted.slice(-keepAccepted),
      handed: next.handed.slice(-keepAccepted),
      tombstones: next.tombstones.slice(-keepTombstones),
    };
    this.#write();
  }

  #read(): StoredState {
    let text: string;
    try {
      text = readFileSync(this.#file, "utf8");
    } catch {
      return empty();
    }
    try {
      const read: unknown = { ...empty(), ...(JSON.parse(text) as object) };
      const state = parse(StoredState, read);
      if (state !== undefined) return state;
    } catch {
      // Falls through to the same end as a file of another shape.
    }
    const aside = `${this.#file}.damaged-${Date.now()}`;
    renameSync(this.#file, aside);
    this.#warn("the manager's state could not be read and was moved aside", { file: aside });
    return empty();
  }

  /** Written beside the old file and then put in its place: after a crash the file is the old or the new one, never half of one. */
  #write(): void {
    const next = `${this.#file}.next`;
    const file = openSync(next, "w", 0o600);
    try {
      writeSync(file, JSON.stringify(this.#state));
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(next, this.#file);
  }
}
