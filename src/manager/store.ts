/** What the manager must not forget: projects, devices, tombstones, waiting requests. One small file, replaced whole and safely at every change. */
import { mkdirSync, renameSync } from "node:fs";
import path from "node:path";
import { readBoundedTextSync } from "../lib/bounded-read.ts";
import { replaceFileSync } from "../lib/durable-write.ts";
import { errorMessage } from "../lib/error-text.ts";
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
import { errorCode, isCode, systemErrorTexts } from "../lib/system-error.ts";
import { PendingRequest, QueuedMessage, SessionControls } from "../sessions/records.ts";
import { Project, TranscriptRow } from "./api/records.ts";

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
const maxBytes = 256 * 1024 * 1024;
/** Characters of a question that is written down, since all of them are at each write; a longer one gets another id and time after a restart. */
const maxQuestion = 64 * 1024;
/** How often what changes all the time is written at most. */
const soonMs = 250;
/** How long a change that the disk refused waits for the next try, if no other change comes first. */
const retryMs = 5_000;

/** The disk does not take the state: what was asked for has not happened. */
export class StateUnwritten extends Error {
  constructor(file: string, cause: unknown) {
    const reason = systemErrorTexts[errorCode(cause) ?? ""] ?? errorMessage(cause);
    super(`The manager cannot write ${file}: ${reason}. Nothing was changed; mend that and try again.`, { cause });
  }
}

type Warn = (message: string, fields: Readonly<Record<string, unknown>>) => void;

export class ManagerStore {
  #file: string;
  readonly #warn: Warn;
  #state: StoredState;
  /** Set while the file lags behind what is known. */
  #retry: NodeJS.Timeout | undefined;
  /** Set for a moment after each write of what changes all the time. */
  #pause: NodeJS.Timeout | undefined;
  #isBehind = false;

  /** Reads the file. A damaged one is moved aside and said so; the manager then starts with nothing rather than not at all. */
  constructor(folder: string, warn: Warn) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#file = path.join(folder, "state.json");
    this.#warn = warn;
    this.#state = this.#read();
  }

  get state(): Readonly<StoredState> {
    return this.#state;
  }

  /** For what somebody asks for. It is on the disk when this returns; where the disk refuses, nothing has changed. Throws StateUnwritten. */
  change(part: Partial<StoredState>): void {
    const next = this.#with(part);
    this.#write(next);
    this.#state = next;
  }

  /** For what has happened already. It counts from now on; a failed write is reported and tried again. */
  note(part: Partial<StoredState>): void {
    this.#state = this.#with(part);
    this.#catchUp();
  }

  /** As `note`, for what may change thousands of times in a moment: written at once, and then now and then. */
  noteOften(part: Partial<StoredState>): void {
    this.#state = this.#with(part);
    if (this.#pause !== undefined) {
      this.#isBehind = true;
      return;
    }
    this.#catchUp();
    this.#pause = setTimeout(() => {
      this.#pause = undefined;
      if (this.#isBehind) this.noteOften({});
    }, soonMs).unref();
  }

  /** Writes what is still to be written. */
  close(): void {
    clearTimeout(this.#pause);
    if (this.#isBehind) this.#catchUp();
    clearTimeout(this.#retry);
  }

  #with(part: Partial<StoredState>): StoredState {
    const next = { ...this.#state, ...part };
    return {
      ...next,
      accepted: next.accepted.slice(-keepAccepted),
      handed: next.handed.slice(-keepAccepted),
      tombstones: next.tombstones.slice(-keepTombstones),
    };
  }

  #catchUp(): void {
    const wasBehind = this.#retry !== undefined;
    try {
      this.#write(this.#state);
    } catch (error) {
      if (!wasBehind) this.#warn("the manager's state could not be written and is tried again", { error: String(error) });
      this.#retry = setTimeout(() => this.#catchUp(), retryMs).unref();
    }
  }

  #read(): StoredState {
    let why = "it is no state of a manager";
    try {
      const read: unknown = JSON.parse(readBoundedTextSync(this.#file, maxBytes));
      if (versionOf(read) !== undefined && versionOf(read) !== "1") return this.#readBeside(versionOf(read));
      const state = parse(StoredState, { ...empty(), ...(read as object) });
      if (state !== undefined && versionOf(read) !== undefined) return state;
    } catch (error) {
      if (isCode(error, "ENOENT")) return empty();
      why = errorMessage(error);
    }
    const aside = `${this.#file}.damaged-${Date.now()}-${Math.random().toString(36).slice(2, 6)}`;
    renameSync(this.#file, aside);
    this.#warn("the manager's state could not be read and was moved aside; projects, devices and waiting messages start anew", {
      file: aside,
      why,
    });
    return empty();
  }

  /** A newer manager's file is left for it, as it is; this one keeps its own beside it. */
  #readBeside(version: unknown): StoredState {
    this.#warn("the manager's state belongs to a newer version; this one keeps its own beside it", { file: this.#file, version });
    this.#file = path.join(path.dirname(this.#file), "state-1.json");
    return this.#read();
  }

  #write(state: StoredState): void {
    clearTimeout(this.#retry);
    try {
      const pending = state.pending.filter(({ request }) => JSON.stringify(request).length <= maxQuestion);
      replaceFileSync(this.#file, JSON.stringify({ ...state, pending }), { mode: 0o600 });
    } catch (error) {
      throw new StateUnwritten(this.#file, error);
    }
    this.#retry = undefined;
    this.#isBehind = false;
  }
}

const versionOf = (read: unknown): unknown => (typeof read === "object" && read !== null && "version" in read ? read.version : undefined);
