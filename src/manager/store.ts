/** The manager's durable state: projects, devices, tombstones, pending requests. One small file, replaced atomically at every change. */
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
  natural,
  nullable,
  object,
  optional,
  parse,
  record,
  string,
  unknown,
} from "../lib/schema.ts";
import { errorCode, isCode, systemErrorTexts } from "../lib/system-error.ts";
import { GitPullRequest } from "../protocol/git.ts";
import { PendingRequest, SessionChanges, SessionControls } from "../sessions/records.ts";
import { Schedule, Template } from "./api/automation.ts";
import { PushWants } from "./api/push.ts";
import { Project, TranscriptRow } from "./api/records.ts";

const StoredDevice = named("StoredDevice", () =>
  object({
    deviceId: string(),
    name: string(),
    scope: literals("read", "approve", "drive", "admin"),
    /** SHA-256 of its token; the token itself is not stored. */
    digest: string(),
    /** SHA-256 of the second secret of a browser's page; null for a script, absent for a device from before this secret existed. */
    pageDigest: maybe(string()),
    createdAt: string(),
    lastSeenAt: string(),
    expiresAt: string(),
  }),
);
export type StoredDevice = Infer<typeof StoredDevice>;

const Tombstone = named("Tombstone", () => object({ sessionId: string(), title: nullable(string()), deletedAt: string() }));
export type Tombstone = Infer<typeof Tombstone>;

/** A pending request with the engine's id for it. */
const StoredRequest = named("StoredRequest", () => object({ rpcId: string(), request: PendingRequest() }));
export type StoredRequest = Infer<typeof StoredRequest>;

/** A snapshot of a session that whoever has its link may read. */
const StoredShare = named("StoredShare", () =>
  object({
    shareId: string(),
    /** SHA-256 of the secret in its link; the link itself is not stored. */
    digest: string(),
    sessionId: string(),
    title: string(),
    bytes: natural(),
    createdAt: string(),
    expiresAt: string(),
    by: string(),
  }),
);
export type StoredShare = Infer<typeof StoredShare>;

/** Where and how a device is notified while its page is closed. */
const StoredPush = named("StoredPush", () => object({ endpoint: string(), p256dh: string(), auth: string(), wants: PushWants() }));
export type StoredPush = Infer<typeof StoredPush>;

const StoredState = named("StoredState", () =>
  object({
    version: literals("1"),
    projects: array(Project()),
    /** The ids of those that the engine keeps. */
    engineProjects: array(string()),
    /** Session → project. */
    assignments: record(string()),
    titles: record(string()),
    controls: record(SessionControls()),
    defaults: nullable(SessionControls()),
    systemOwned: array(string()),
    tombstones: array(Tombstone()),
    devices: array(StoredDevice()),
    pending: array(StoredRequest()),
    /** Accepted messages, newest last: sending one again must not deliver it twice. */
    accepted: array(object({ messageId: string(), sessionId: string(), turnId: nullable(string()) })),
    side: record(array(TranscriptRow())),
    ruleNotes: record(object({ expiresAt: nullable(string()), addedBy: maybe(string()) })),
    settings: record(record(unknown())),
    /** Messages in transit to the engine: before one of them is sent again, it must be checked whether it arrived. */
    handed: array(object({ messageId: string(), sessionId: string() })),
    /** Session → the client tools it was last offered. */
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
    /** Session → the worktree that it works in. */
    worktrees: record(object({ root: string(), branch: string(), folder: string() })),
    /** Session → the pull request of its branch, as it was last seen. */
    pullRequests: record(GitPullRequest()),
    /** Session → until when it is left out of the list, in seconds since 1970. */
    snoozed: record(natural()),
    /** Session → what it changed in files, as counted at the end of its last turn. */
    changes: record(SessionChanges()),
    locked: boolean(),
    templates: array(Template()),
    schedules: array(Schedule()),
    shares: array(StoredShare()),
    /** By device. */
    pushes: record(StoredPush()),
  }),
);
export type StoredState = Infer<typeof StoredState>;

const empty = (): StoredState => ({
  version: "1",
  projects: [],
  engineProjects: [],
  assignments: {},
  titles: {},
  controls: {},
  defaults: null,
  systemOwned: [],
  tombstones: [],
  devices: [],
  pending: [],
  accepted: [],
  handed: [],
  side: {},
  ruleNotes: {},
  settings: {},
  tools: {},
  worktrees: {},
  pullRequests: {},
  snoozed: {},
  changes: {},
  locked: false,
  templates: [],
  schedules: [],
  shares: [],
  pushes: {},
});

const keepAccepted = 1000;
const keepTombstones = 20_000;
const maxBytes = 256 * 1024 * 1024;
/** Maximum number of characters of a stored question, because all questions are in each write; a longer one gets a new id and time after a restart. */
const maxQuestion = 64 * 1024;
/** Minimum interval between writes of frequently changing data. */
const soonMs = 250;
/** How long a failed write waits for the next attempt, unless another change comes first. */
const retryMs = 5_000;

/** The state could not be written: the requested change was not made. */
export class StateUnwritten extends Error {
  constructor(file: string, cause: unknown) {
    const reason = systemErrorTexts[errorCode(cause) ?? ""] ?? errorMessage(cause);
    super(`The manager cannot write ${file}: ${reason}. Nothing was changed; fix that and try again.`, { cause });
  }
}

type Warn = (message: string, fields: Readonly<Record<string, unknown>>) => void;

export class ManagerStore {
  #file: string;
  readonly #warn: Warn;
  #state: StoredState;
  /** Set while the file is out of date. */
  #retry: NodeJS.Timeout | undefined;
  /** Set for a moment after each write of frequently changing data. */
  #pause: NodeJS.Timeout | undefined;
  #isBehind = false;

  /** Reads the file. A damaged file is moved aside with a warning; the manager then starts with an empty state. */
  constructor(folder: string, warn: Warn) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#file = path.join(folder, "state.json");
    this.#warn = warn;
    this.#state = this.#read();
  }

  get state(): Readonly<StoredState> {
    return this.#state;
  }

  /** For requested changes. The change is on disk when this returns; if the write fails, nothing has changed. Throws StateUnwritten. */
  change(part: Partial<StoredState>): void {
    const next = this.#with(part);
    this.#write(next);
    this.#state = next;
  }

  /** For changes that have already happened. They take effect immediately; a failed write is reported and retried. */
  note(part: Partial<StoredState>): void {
    this.#state = this.#with(part);
    this.#catchUp();
  }

  /** Like `note`, for data that may change thousands of times in a moment: written immediately, then at intervals. */
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

  /** Writes pending changes. */
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
    this.#warn("the manager's state could not be read and was moved aside; projects and devices are reset", {
      file: aside,
      why,
    });
    return empty();
  }

  /** A newer manager's file is left unchanged; this one uses a separate file. */
  #readBeside(version: unknown): StoredState {
    this.#warn("the manager's state belongs to a newer version; this one uses a separate file", { file: this.#file, version });
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
