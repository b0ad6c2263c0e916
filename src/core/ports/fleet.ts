/**
 * Port: who is in a fleet and who runs what. A worker runs threads; a front serves clients and runs none; the engine (PostgreSQL) knows
 * which worker holds a thread. A front decides with it where a request goes.
 */

/** One start of a worker's process. A worker that was declared lost and comes back is another boot. */
export interface WorkerId {
  readonly name: string;
  readonly boot: string;
}

/** How a front reaches a worker. */
export interface WorkerAddress extends WorkerId {
  readonly url: string;
  /** What the worker expects of a front as bearer token. */
  readonly linkSecret: string;
  /** The only certificate that is accepted at a `wss` address; null where it has none of its own. */
  readonly certSha256: string | null;
}

export type WorkerState = "up" | "draining" | "lost";

export interface FleetWorker extends WorkerAddress {
  readonly state: WorkerState;
  readonly labels: readonly string[];
  /** The teams that it serves; empty means all. */
  readonly teams: readonly string[];
  /** Threads that it holds now. */
  readonly threads: number;
  readonly maxThreads: number | null;
}

/** Where a thread is. */
export interface HeldThread {
  readonly threadId: string;
  readonly team: string;
  /** Undefined while nobody holds it. */
  readonly holder: WorkerId | undefined;
  /** Grows with each new holder. */
  readonly epoch: number;
  /** The number of its last record. */
  readonly seq: number;
  readonly state: "idle" | "active" | "waiting";
  /** Only a worker that has all of these may hold it. */
  readonly labels: readonly string[];
  /** Why its last holder no longer has it. */
  readonly moved: "lost" | "drained" | "released" | null;
}

export interface FleetRegistry {
  /** Everybody, as of now; a front asks for it several times a second. */
  workers(): Promise<readonly FleetWorker[]>;
  /** The threads that exist; several calls at once become one query. */
  holders(threadIds: readonly string[]): Promise<ReadonlyMap<string, HeldThread>>;
  /** The ids of a team's threads that somebody holds. */
  held(team: string): Promise<readonly string[]>;
  /** The process of this worker has certainly ended: its lease is not waited for. Does nothing if it is another boot by now. */
  expire(worker: WorkerId): Promise<void>;
}

/** What a client may do with its team's threads; each includes those before it. */
export const fleetRights = ["look", "answer", "drive", "everything"] as const;
export type FleetRights = (typeof fleetRights)[number];

/** Who is behind a token. */
export interface FleetUser {
  /** May read the fleet's state and every team. */
  readonly admin: boolean;
  /** Null for an administrator. */
  readonly team: string | null;
  readonly user: string | null;
  readonly rights: FleetRights;
}

export interface FleetTokens {
  /** Undefined for a token that does not exist or was revoked. */
  find(token: string): Promise<FleetUser | undefined>;
}

/** The object of `GET /api/fleet`. */
export interface FleetStatus {
  readonly workers: readonly {
    readonly name: string;
    readonly state: WorkerState;
    /** Threads that it holds. */
    readonly threads: number;
    readonly labels: readonly string[];
  }[];
  /** Held by a worker; with a running turn; with a turn that waits for a person. */
  readonly threads: { readonly live: number; readonly active: number; readonly waiting: number };
}

/** The object of `GET /api/fleet/threads/ID`. */
export interface FleetPlace {
  readonly threadId: string;
  readonly team: string;
  /** Null while nobody holds it. */
  readonly worker: string | null;
  readonly epoch: number;
  readonly seq: number;
}

/** What operators ask a front about the fleet. */
export interface FleetReport {
  status(): Promise<FleetStatus>;
  /** Undefined where there is no such thread; with `team`, also where it belongs to another one. */
  place(threadId: string, team: string | null): Promise<FleetPlace | undefined>;
  /** In Prometheus' text format. */
  metrics(): Promise<string>;
  /** Lets the worker leave as SIGTERM does; what became of it. */
  drain(worker: string): Promise<"draining" | "lost" | "unknown">;
}
